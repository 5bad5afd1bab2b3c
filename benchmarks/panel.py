"""``python -m benchmarks.panel``: what the panel's pages cost, and what open pages cost the API.

The server is a real one in a process of its own. CPU time is what that process took, whoever else
was busy. Pages are asked for as a browser without a cache does; a search is set against the recall
behind it; the API's throughput is taken in turns without and with pages that stay open and live.
"""

import argparse
import http.client
import json
import socket
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from threading import Event
from time import perf_counter, sleep
from typing import Any

import recollect
from benchmarks.server import Load, Place, asked, cpu_of, loaded, running, waited_for
from benchmarks.texts import questions, sentences
from recollect.vocabulary.ids import new_id
from recollect.vocabulary.memory_types import MemoryType

PAGES = {
    "start page": "/",
    "memories": "/panel/memories",
    "memories, least sure first": "/panel/memories?sort=unsure",
    "attention": "/panel/attention",
    "served": "/panel/served",
}
_KINDS = (MemoryType.FACT, MemoryType.DECISION, MemoryType.GOTCHA, MemoryType.PATTERN)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--browsers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--settle", type=float, default=20, help="Seconds after pages are opened.")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--store", type=Path, help="Use this store; made when it is not there.")
    options = parser.parse_args()
    options.wrk = False
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "memory.db"
        if not store.exists():
            fill(store, options.memories)
        command = [sys.executable, "-m", "recollect", "serve", "--db", str(store), "--json"]
        with running([*command, "--port", "0", "--processes", "1"], folder) as place:
            waited_for(place, 1)
            measure_pages(place)
            measure_search(place)
            measure_open_pages(place, options)


def fill(store: Path, count: int) -> None:
    """A store with so many memories of several kinds, written over a year.

    They come as an export that is brought back, which is several times faster than telling them.
    """
    with recollect.open(store, worker=False) as memory:
        harmless = (text for text in sentences(count) if "password" not in text)
        first = memory.remember(next(harmless), files=["src/part0/file0.py"])
        document = json.loads("".join(memory.export()))
        document["memories"] = [
            _memory(document["memories"][0], number, text, first.created_at)
            for number, text in enumerate(harmless, 1)
        ]
        export = store.with_suffix(".json")
        export.write_text(json.dumps(document), "utf-8")
        report = memory.import_(export, progress=_told)
        export.unlink()
        print(f"{report.added:,} written; {report.skipped:,} left out", file=sys.stderr)
        memory.work(600)


def _memory(like: dict[str, Any], number: int, text: str, now: datetime) -> dict[str, Any]:
    at = now - timedelta(minutes=5 * number)
    times = dict.fromkeys(("created_at", "updated_at", "valid_from"), at.isoformat())
    own = {
        "id": new_id("mem", at),
        "content": text,
        "type": _KINDS[number % len(_KINDS)].value,
        "confidence": 0.3 + (number % 60) / 100,
        "files": [f"src/part{number % 40}/file{number % 200}.py"],
        "modules": [f"src/part{number % 40}"],
        "needs_review": number % 50 == 0,
        "history": [],
    }
    return like | times | own


def _told(read: int, total: int, _: int) -> None:
    if read % 5_000 == 0:
        print(f"{read:,} of {total:,} written", file=sys.stderr)


def measure_pages(place: Place) -> None:
    """The first sight of each page, and one more."""
    for name, path in PAGES.items():
        first, again = (_page(place, path) for _ in range(2))
        print(
            f"{name:28} {first[0]:6.2f} s CPU first, {again[0]:5.2f} s again, "
            f"{first[1] / 1024:5.0f} kB"
        )


def measure_search(place: Place) -> None:
    """A search on the page beside the recall behind it, in turns."""
    asked_for = questions(40)
    pages: list[float] = []
    recalls: list[float] = []
    for question in asked_for:
        body = json.dumps({"query": question, "limit": 40, "kinds": ["memory"]})
        for path, method, times in (
            ("/v1/recall", "POST", recalls),
            (f"/panel/memories?q={question.replace(' ', '+')}", "GET", pages),
        ):
            begun = perf_counter()
            _got(place, method, path, body if method == "POST" else None)
            times.append(perf_counter() - begun)
    page, recall = median(pages), median(recalls)
    print(
        f"search on the page {page * 1000:.1f} ms, its recall {recall * 1000:.1f} ms: "
        f"{page / recall:.1f}x (asked: at most 5x)"
    )


def measure_open_pages(place: Place, options: argparse.Namespace) -> None:
    """Recalls without and with open pages, in turns: while nobody writes, and while somebody does.

    Pages take processor time by the clock. Where the machine is busy the server has little of it,
    so that the pages' part of a second is told beside the recalls: it is what they would take of a
    process that has a core for itself.
    """
    for writes, name in ((False, "nobody writes"), (True, "a memory is written each second")):
        alone, beside = [], []
        for _ in range(options.rounds):
            with _writer(place) if writes else nullcontext():
                alone.append(_load(place, options))
                with _open_pages(place, options.browsers):
                    sleep(options.settle if writes else 0)
                    beside.append(_load(place, options))
        rates = [median(one.rate for one in loads) for loads in (alone, beside)]
        each = median(one.cpu_seconds / one.requests for one in alone)
        share = median((one.cpu_seconds - each * one.requests) / one.seconds for one in beside)
        had = median(one.cpu_seconds / one.seconds for one in alone)
        print(
            f"{name}: recalls a second {rates[0]:.0f} alone, {rates[1]:.0f} beside "
            f"{options.browsers} open pages: {1 - rates[1] / rates[0]:.0%} less, where the server "
            f"had {had:.0%} of a core; the pages took {share:.1%} of a core (asked: at most 20 %)"
        )


def _load(place: Place, options: argparse.Namespace) -> Load:
    return loaded(place, "/v1/recall", asked(), options)


@contextmanager
def _open_pages(place: Place, count: int) -> Iterator[None]:
    """Open start pages that ask for themselves again when they are told of a change."""
    closed = Event()
    with ThreadPoolExecutor(count) as pool, ExitStack() as stack:
        for _ in range(count):
            connection = http.client.HTTPConnection(place.host, place.port, timeout=60)
            connection.request("GET", "/panel/live")
            stack.callback(connection.sock.shutdown, socket.SHUT_RDWR)
            answer = connection.getresponse()
            answer.fp.readline()
            pool.submit(_follow, place, answer, closed)
        yield
        closed.set()


def _follow(place: Place, answer: http.client.HTTPResponse, closed: Event) -> None:
    """What the script of a page does: it asks again, less often where the page is slow to make."""
    while line := answer.fp.readline():
        if line.startswith(b"event: changed") and not closed.is_set():
            begun = perf_counter()
            _got(place, "GET", "/", None)
            closed.wait(min(20 * (perf_counter() - begun), 30))


@contextmanager
def _writer(place: Place) -> Iterator[None]:
    """Somebody who tells something each second."""
    closed = Event()

    def write() -> None:
        number = 0
        while not closed.wait(1):
            number += 1
            body = {"content": f"Measured in round {number} of {id(closed)}.", "type": "fact"}
            _got(place, "POST", "/v1/memories", json.dumps(body))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(write)
        yield
        closed.set()


def _page(place: Place, path: str) -> tuple[float, int]:
    before = cpu_of(place.process)
    body = _got(place, "GET", path, None)
    return cpu_of(place.process) - before, len(body)


def _got(place: Place, method: str, path: str, body: str | None) -> bytes:
    connection = http.client.HTTPConnection(place.host, place.port, timeout=600)
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        found = answer.read()
        if answer.status not in (200, 201):
            raise SystemExit(f"{path} answered {answer.status}: {found[:300]!r}")
        return found
    finally:
        connection.close()


if __name__ == "__main__":
    main()
