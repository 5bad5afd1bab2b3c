"""A real HTTP server on loopback that reranks in the four shapes, well or badly.

It finds a text good by how many of the question's words it holds.
"""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, ClassVar

Behaviour = Callable[["Handler", dict[str, Any]], None]


def judged(query: str, text: str) -> float:
    """What the server thinks of a text."""
    wanted = set(query.lower().split())
    return len(wanted & set(text.lower().split())) / max(len(wanted), 1)


class Server:
    """What the tests see of it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []
        self.script: list[Behaviour] = []
        self.over = Event()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[Server]

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.requests.append((self.path, request, self.headers.get("authorization")))
        behave = self.seen.script.pop(0) if self.seen.script else well
        behave(self, request)

    def answer(self, body: object, status: int = 200) -> None:
        self.answer_bytes(json.dumps(body).encode(), status)

    def answer_bytes(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def rows(request: dict[str, Any], score: str) -> list[dict[str, Any]]:
    """Judgements, best first, as servers give them."""
    texts = request.get("documents", request.get("texts", []))
    found = [
        {"index": place, score: judged(request["query"], text)} for place, text in enumerate(texts)
    ]
    return sorted(found, key=lambda row: -row[score])


def well(handler: Handler, request: dict[str, Any]) -> None:
    """In the shape of whoever is asked at that path."""
    if handler.path == "/api/generate":
        generated(handler, request)
        return
    if handler.path == "/rerank":
        if "texts" in request and "documents" not in request:
            handler.answer(rows(request, "score"))
        else:
            handler.answer({"error": "no texts"}, 422)
        return
    if handler.path not in {"/v1/rerank", "/v2/rerank"} or "documents" not in request:
        handler.answer({"message": "not found"}, 404)
        return
    handler.answer({"id": "1", "results": rows(request, "relevance_score"), "meta": {}})


def generated(handler: Handler, request: dict[str, Any], *, chances: bool = True) -> None:
    """As Ollama answers when a model is asked for one word."""
    _, query, document = (part.partition(": ")[2] for part in request["prompt"].split("\n", 2))
    yes = min(max(judged(query, document), 0.01), 0.99)
    word = "yes" if yes > 0.5 else "no"
    told = [
        {"token": "yes", "logprob": math.log(yes)},
        {"token": "no", "logprob": math.log(1 - yes)},
    ]
    answer: dict[str, Any] = {"model": request["model"], "response": word, "done": True}
    if chances:
        answer["logprobs"] = [{"token": word, "logprob": -0.1, "top_logprobs": told}]
    handler.answer(answer)


def raw(body: bytes, status: int = 200) -> Behaviour:
    return lambda handler, request: handler.answer_bytes(body, status)


def changed(change: Callable[[list[dict[str, Any]]], object]) -> Behaviour:
    """A good answer with something wrong about its rows."""

    def behave(handler: Handler, request: dict[str, Any]) -> None:
        name = "score" if handler.path == "/rerank" else "relevance_score"
        found = rows(request, name)
        change(found)
        handler.answer(found if handler.path == "/rerank" else {"results": found})

    return behave


def hang(handler: Handler, request: dict[str, Any]) -> None:
    handler.seen.over.wait()
    handler.close_connection = True


def hang_up(handler: Handler, request: dict[str, Any]) -> None:
    handler.close_connection = True


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
