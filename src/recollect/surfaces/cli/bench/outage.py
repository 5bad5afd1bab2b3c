"""Benchmark of outages: what answers lose while a component is down, slow or wrong.

Components are the embedder, the reranker, the model and PostgreSQL. Each is a real server on
loopback that speaks the real protocol and fails on command: it closes every connection, answers
after every timeout, or answers nonsense. The database is reached through a relay that does the same
to its bytes. Every question is asked of a freshly opened store, and once more when the component
has recovered.
"""

import hashlib
import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

import recollect
from recollect.engine import Recollect
from recollect.surfaces.cli.bench.measure import import_turns
from recollect.surfaces.cli.bench.sets import Conversation
from recollect.vocabulary.errors import InvalidInput, RecollectError

Advance = Callable[[int, int | None, str], None]

DIMS: Final = 96
SLOW: Final = 3.0  # seconds, longer than any timeout here
TIMEOUT_SECONDS: Final = "1"
FAULTS: Final = ("gone", "slow", "wrong")
PARTS: Final = ("embedder", "reranker", "model", "postgres")


class FailingServer:
    """Server that embeds, reranks and answers prompts, or fails as configured."""

    def __init__(self) -> None:
        self.fault: dict[str, str] = {}
        self.over = Event()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Run the server; yields its address."""
        owner = self

        class FailingHandler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *arguments: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                part = _part(self.path)
                fault = owner.fault.get(part)
                if fault == "gone":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if fault == "slow":
                    owner.over.wait(SLOW)
                answer = _nonsense(part, body) if fault == "wrong" else _good(part, body)
                text = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

        server = _QuietServer(("127.0.0.1", 0), FailingHandler)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            self.over.set()
            server.shutdown()
            server.server_close()


class _QuietServer(ThreadingHTTPServer):
    """HTTP server that logs nothing about clients that disconnect."""

    def handle_error(self, *_: object) -> None:
        """Ignore the error: clients are expected to time out."""


def _part(path: str) -> str:
    if path.endswith("embeddings"):
        return "embedder"
    return "reranker" if "rerank" in path else "model"


def _good(part: str, body: dict[str, Any]) -> Any:
    if part == "embedder":
        rows = [_vector(text) for text in body["input"]]
        data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
        return {"data": data, "model": body["model"], "usage": {"prompt_tokens": 1}}
    if part == "reranker":
        wanted = set(body["query"].lower().split())
        scores = [len(wanted & set(text.lower().split())) / len(wanted) for text in body["texts"]]
        return [{"index": place, "score": score} for place, score in enumerate(scores)]
    return _model_reply(json.dumps(_SENSIBLE))


def _nonsense(part: str, body: dict[str, Any]) -> Any:
    draw = random.Random(0)
    if part == "embedder":
        data = [
            {"index": place, "embedding": [draw.gauss(0, 1) for _ in range(DIMS)]}
            for place in range(len(body["input"]))
        ]
        return {"data": data, "model": body["model"], "usage": {"prompt_tokens": 1}}
    if part == "reranker":
        return [{"index": 0, "score": "blue"}]
    return _model_reply("</s> {{{ 42")


#: Answer of a working model, for each of the three tasks of research.
_SENSIBLE: Final = {
    "sufficient": True,
    "searches": [],
    "confidence": 0.9,
    "known": True,
    "answer": "The first passage tells it [1].",
}


def _model_reply(words: str) -> dict[str, Any]:
    return {
        "choices": [{"message": {"role": "assistant", "content": words}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }


def _vector(text: str) -> list[float]:
    """Vector of a text: the sum of its words' hashes, enough to find texts that share words."""
    row = [0.0] * DIMS
    for word in text.lower().split()[:400]:
        digest = hashlib.blake2b(word.strip(".,!?\"'").encode(), digest_size=8).digest()
        for byte in digest[:3]:
            row[byte % DIMS] += 1.0 if digest[3] % 2 else -1.0
    return row if any(row) else [1.0, *row[1:]]


class DatabaseRelay:
    """Relay that passes bytes on to a database: late, corrupted or not at all."""

    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        self._connect = connect
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.fault = ""
        self.port = self._listener.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def fail(self, fault: str) -> None:
        """Fail from now on, also on open connections."""
        self.fault = fault
        if fault == "gone":
            for one in self._open:
                with _quiet():
                    one.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def close(self) -> None:
        """Stop accepting connections."""
        self._listener.close()
        self.fail("gone")

    def _accept(self) -> None:
        with _quiet():
            while True:
                near, _ = self._listener.accept()
                if self.fault == "gone":
                    near.close()
                    continue
                far = self._connect()
                self._open += [near, far]
                Thread(target=self._pass_on, args=(near, far, False), daemon=True).start()
                Thread(target=self._pass_on, args=(far, near, True), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, answers: bool) -> None:
        with _quiet():
            while data := one.recv(65_536):
                if answers and self.fault == "slow":
                    time.sleep(0.05)
                spoiled = answers and self.fault == "wrong"
                other.sendall(bytes(byte ^ 0x55 for byte in data) if spoiled else data)
        for each in (one, other):
            with _quiet():
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def _quiet() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


class OutageOutcome(NamedTuple):
    """Answered questions, share of gold found, slowest answer, and warnings."""

    answered: int
    found: float
    slowest: float
    told: str


class OutageRow(NamedTuple):
    """Results of the questions during one failure."""

    part: str
    fault: str
    asked: int
    outcome: OutageOutcome
    afterwards: str


def asked(
    view: Recollect, one: Conversation, ids: dict[str, str], *, research: bool
) -> OutageOutcome:
    """Ask every question: count the answered ones, measure the gold found and the time."""
    shares: list[float] = []
    slowest, told, answered = 0.0, "", 0
    for question in one.questions:
        began = time.monotonic()
        try:
            if research:
                answer = view.research(question.text)
                found = {ids.get(each.event_id, "") for each in answer.citations}
                said = answer.notes
            else:
                hits = view.recall(question.text, limit=10, kinds="event", explicit=False)
                found, said = {ids[hit.id] for hit in hits}, hits.missing
            answered += 1
        except RecollectError as error:
            found, said = set(), (f"{type(error).__name__}: {error.message}",)
        slowest = max(slowest, time.monotonic() - began)
        told = told or next((each for each in said if _is_loss(each)), "")
        gold = set(question.gold)
        shares.append(len(gold & found) / len(gold))
    return OutageOutcome(answered, 100 * fmean(shares), slowest, told)


def _is_loss(note: str) -> bool:
    return not note.startswith(("a question of type", "asks about", "names a time", "reranked"))


def tried(
    opened: Callable[[], Recollect],
    one: Conversation,
    ids: dict[str, str],
    part: str,
    fail: Callable[[str], None],
) -> Iterator[OutageRow]:
    """Results with the component working, then failing in each way, and after recovery."""
    research = part == "model"
    with opened() as view:
        well = asked(view, one, ids, research=research)
    yield OutageRow(part, "none", len(one.questions), well, "")
    for fault in FAULTS:
        with opened() as view:
            fail(fault)
            found = asked(view, one, ids, research=research)
            fail("")
            again = _recovered(partial(asked, view, one, ids, research=research), well)
        yield OutageRow(part, fault, len(one.questions), found, again)


def _recovered(ask: Callable[[], OutageOutcome], well: OutageOutcome) -> str:
    """Whether answers are complete again; a component that failed often is skipped for a while."""
    began = time.monotonic()
    while time.monotonic() - began < 20:
        if ask()[:2] == well[:2]:
            return f"whole again after {time.monotonic() - began:.0f} s"
        time.sleep(2)
    return "not whole after 20 s"


def measured(
    conversations: Sequence[Conversation],
    count: int,
    postgres: str | None,
    only: Sequence[str],
    advance: Advance,
) -> list[dict[str, Any]]:
    """Results of the first questions while each component fails in each way."""
    wanted = [part for part in PARTS if part != "postgres" or postgres is not None]
    for name in only:
        if name not in wanted:
            raise InvalidInput(
                f"There is no part {name!r} to fail.",
                hint=f"There are: {', '.join(PARTS)}; postgres with --postgres ADDRESS.",
            )
    wanted = [part for part in wanted if not only or part in only]
    whole = next((one for one in conversations if one.questions), None)
    if whole is None:
        raise InvalidInput("The set has no questions.")
    one = replace(whole, questions=whole.questions[:count])
    rows: list[dict[str, Any]] = []
    for part in wanted:
        with TemporaryDirectory(prefix="recollect-bench-") as folder:
            lines = (
                _postgres(postgres, one, Path(folder))
                if part == "postgres" and postgres
                else (_served(part, one, Path(folder)))
            )
            for line in lines:
                rows.append(_row_document(line))
                advance(len(rows), len(wanted) * (1 + len(FAULTS)), part)
    return rows


def _row_document(row: OutageRow) -> dict[str, Any]:
    return {
        "part": row.part,
        "fault": row.fault,
        "asked": row.asked,
        "answered": row.outcome.answered,
        "r10": round(row.outcome.found, 1),
        "slowest_seconds": round(row.outcome.slowest, 2),
        "said": row.outcome.told,
        "afterwards": row.afterwards,
    }


def _settings(part: str, url: str) -> dict[str, str]:
    """Settings that make a store use the failing component."""
    return {
        "embedder": {
            "embedder": "openai",
            "embedder_url": f"{url}/v1",
            "embedder_model": "hashed",
            "embedder_dims": str(DIMS),
            "embedder_timeout": TIMEOUT_SECONDS,
            "embedder_key": "k",
        },
        "reranker": {
            "embedder": "static",
            "reranker": "tei",
            "reranker_url": url,
            "reranker_timeout": TIMEOUT_SECONDS,
        },
        "model": {
            "embedder": "static",
            "model": "openai",
            "model_url": f"{url}/v1",
            "model_name": "m",
            "model_timeout": TIMEOUT_SECONDS,
            "model_key": "k",
        },
    }[part]


def _served(part: str, one: Conversation, folder: Path) -> Iterator[OutageRow]:
    """Measure a component that is reached over HTTP."""
    server = FailingServer()
    with server.running() as url:
        opened = partial(
            recollect.open,
            folder / "outage.db",
            worker=False,
            user="bench",
            settings={**_settings(part, url), "switched_off": "memos"},
        )
        with opened() as memory:
            ids, _ = import_turns(memory, one, folder / "turns.jsonl")
            memory.work(300)
        yield from tried(opened, one, ids, part, partial(server.fault.__setitem__, part))


def _connected(address: str) -> socket.socket:
    """Connect to a database address: a port, or a socket in a folder."""
    parts = urlsplit(address)
    port = parts.port or 5432
    (folder,) = parse_qs(parts.query).get("host", [""])
    if not folder:
        return socket.create_connection((parts.hostname or "127.0.0.1", port))
    made = socket.socket(socket.AF_UNIX)
    made.connect(f"{folder}/.s.PGSQL.{port}")
    return made


def _postgres(address: str, one: Conversation, folder: Path) -> Iterator[OutageRow]:
    """Measure a database behind a relay."""
    parts = urlsplit(address)
    relay = DatabaseRelay(partial(_connected, address))
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    through = urlunsplit(parts._replace(netloc=f"{login}127.0.0.1:{relay.port}", query=""))
    try:
        opened = partial(recollect.open, through, embedder="static", worker=False, user="bench")
        with opened() as memory:
            ids, _ = import_turns(memory, one, folder / "turns.jsonl")
        yield from tried(opened, one, ids, "postgres", relay.fail)
    finally:
        relay.close()
