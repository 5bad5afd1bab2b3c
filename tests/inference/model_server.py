"""A real HTTP server on loopback that speaks the chat protocols, or misbehaves."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

Behaviour = Callable[["Handler", dict[str, Any]], None]


class ModelServer:
    """What the tests see of it. ``says`` is what the model answers."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self.says = '{"summary": "from the model"}'
        self.script: list[Behaviour] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.over = Event()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[ModelServer]

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.requests.append(request)
        self.seen.headers.append({name.lower(): value for name, value in self.headers.items()})
        behave = self.seen.script.pop(0) if self.seen.script else well
        behave(self, request)

    def good(self) -> dict[str, Any]:
        says = self.seen.says
        if self.path.endswith("/messages"):
            return {
                "content": [{"type": "text", "text": says}],
                "usage": {"input_tokens": 100, "output_tokens": 20},
            }
        return {
            "choices": [{"message": {"role": "assistant", "content": says}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        }

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def well(handler: Handler, request: dict[str, Any]) -> None:
    handler.answer(200, json.dumps(handler.good()).encode())


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    body = json.dumps({"error": {"message": message}}).encode()
    return lambda handler, request: handler.answer(code, body, **headers)


def raw(body: bytes) -> Behaviour:
    return lambda handler, request: handler.answer(200, body)


def hang(handler: Handler, request: dict[str, Any]) -> None:
    handler.seen.over.wait()
    handler.close_connection = True


def patience(behaviour: object = None) -> float:
    """Seconds to wait for this server: few only where it hangs on purpose, so that a busy machine
    is never taken for a model that does not answer.
    """
    return 0.5 if behaviour is hang else 60.0


def hang_up(handler: Handler, request: dict[str, Any]) -> None:
    handler.close_connection = True


def half(handler: Handler, request: dict[str, Any]) -> None:
    body = json.dumps(handler.good()).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


@contextmanager
def running() -> Iterator[ModelServer]:
    """A server on a free port, for the time of the block."""

    class ThisHandler(Handler):
        pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), ThisHandler)
    ThisHandler.seen = ModelServer(httpd.server_address[1])
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield ThisHandler.seen
    finally:
        ThisHandler.seen.over.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def says(*answers: dict[str, Any]) -> list[Behaviour]:
    """A script: the model says one thing after the other."""

    def behave(words: str) -> Behaviour:
        def call(handler: Handler, _: dict[str, Any]) -> None:
            body = {
                "choices": [{"message": {"role": "assistant", "content": words}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20},
            }
            handler.answer(200, json.dumps(body).encode())

        return call

    return [behave(json.dumps(one)) for one in answers]
