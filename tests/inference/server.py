"""A real HTTP server on loopback that speaks OpenAI's embeddings protocol, well or badly.

It answers well unless the script says otherwise: each behaviour in the script is used up by one
request, and then it answers well again.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Behaviour = Callable[["Handler", dict[str, Any]], None]


def vector_of(text: str, dims: int) -> list[float]:
    """What the server thinks a text means: always the same, and never of length one."""
    seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    numbers: list[float] = np.random.default_rng(seed).normal(size=dims).round(6).tolist()
    return numbers


def expected(texts: list[str], dims: int = 8) -> NDArray[np.float64]:
    """What the server's vectors are at length one, after cutting to the dimensions wanted."""
    rows = np.array([vector_of(text, 8)[:dims] for text in texts])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


class Server:
    """What the tests see of it."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.url = f"{self.root}/v1"
        self.dims = 8
        self.honours_dimensions = False
        self.ollama_models: list[str] | None = None
        self.script: list[Behaviour] = []
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.authorizations: list[str | None] = []
        self.over = Event()

    def has_heard(self, times: int) -> bool:
        """Whether it was asked so often: who gave up early is heard later on a busy machine."""
        end = time.monotonic() + 60
        while len(self.requests) < times and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.requests) == times

    def embeddings(self, request: dict[str, Any]) -> dict[str, Any]:
        dims = request.get("dimensions") if self.honours_dimensions else None
        vectors = [vector_of(text, self.dims)[:dims] for text in request["input"]]
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(vectors)
        ]
        return {"object": "list", "data": data, "model": request["model"], "usage": {}}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server_version = "loopback"
    protocol_version = "HTTP/1.1"
    seen: ClassVar[Server]

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        self.seen.paths.append(self.path)
        if self.path == "/api/tags" and self.seen.ollama_models is not None:
            self.answer(200, {"models": [{"name": name} for name in self.seen.ollama_models]})
        else:
            self.answer(404, {"error": "not found"})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.paths.append(self.path)
        self.seen.requests.append(request)
        self.seen.authorizations.append(self.headers.get("authorization"))
        behave = self.seen.script.pop(0) if self.seen.script else well
        behave(self, request)

    def answer(self, status: int, body: object, **headers: str) -> None:
        self.answer_bytes(status, json.dumps(body).encode(), **headers)

    def answer_bytes(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running() -> Iterator[Server]:
    """A server on a free port, for the time of the block."""

    class ThisHandler(Handler):
        pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), ThisHandler)
    ThisHandler.seen = Server(httpd.server_address[1])
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield ThisHandler.seen
    finally:
        ThisHandler.seen.over.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def well(handler: Handler, request: dict[str, Any]) -> None:
    handler.answer(200, handler.seen.embeddings(request))


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    """An error in OpenAI's shape."""
    return lambda handler, request: handler.answer(
        code, {"error": {"message": message, "type": "error"}}, **headers
    )


def raw(body: bytes, code: int = 200) -> Behaviour:
    return lambda handler, request: handler.answer_bytes(code, body)


def changed(change: Callable[[dict[str, Any]], None]) -> Behaviour:
    """A good answer with something wrong about it."""

    def behave(handler: Handler, request: dict[str, Any]) -> None:
        answer = handler.seen.embeddings(request)
        change(answer)
        handler.answer(200, answer)

    return behave


def hang(handler: Handler, request: dict[str, Any]) -> None:
    """Say nothing until the test is over."""
    handler.seen.over.wait()
    handler.close_connection = True


def drip(handler: Handler, request: dict[str, Any]) -> None:
    """One byte at a time, each in good time, for ever."""
    handler.send_response(200)
    handler.send_header("content-length", "100000")
    handler.end_headers()
    try:
        while not handler.seen.over.wait(0.02):
            handler.wfile.write(b" ")
    except OSError:
        pass
    handler.close_connection = True


def hang_up(handler: Handler, request: dict[str, Any]) -> None:
    handler.close_connection = True


def half(handler: Handler, request: dict[str, Any]) -> None:
    """Promise a whole answer, send half of it, and go."""
    body = json.dumps(handler.seen.embeddings(request)).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True
