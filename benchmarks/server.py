"""The server under load: keeping an entry and recalling over HTTP, beside a bare FastAPI route.

    python -m benchmarks.server --entries 10000 --seconds 5

Each server is a process of its own, asked over kept-open connections by a process of its own that
writes requests and reads answers by hand, in turns, so that all see the same machine. CPU time a
request is what the server took, whoever else was busy; requests a second and the latencies are
what this machine gave at the time.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from benchmarks.texts import questions, sentences

_TICKS = os.sysconf("SC_CLK_TCK")
BARE = """
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

class Body(BaseModel):
    text: str = ""
    query: str = ""
    tags: list[str] = []

app = FastAPI()

@app.post("/bare")
async def bare(body: Body) -> dict[str, str | int]:
    return {"text": body.text or body.query, "count": len(body.tags)}

class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print('{"url": "http://127.0.0.1:%d"}' % port, flush=True)

Server(uvicorn.Config(app, port=0, log_config=None, access_log=False, ws="none")).run()
"""


class Load(NamedTuple):
    """What a server did under load."""

    requests: int
    seconds: float
    cpu_seconds: float
    latencies: list[float]
    bad: int

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    def told(self) -> dict[str, float]:
        """The figures, in milliseconds where they are times."""
        ordered = sorted(self.latencies)
        return {
            "requests": self.requests,
            "per_second": round(self.rate, 1),
            "p50_ms": round(ordered[len(ordered) // 2] * 1000, 2),
            "p99_ms": round(ordered[int(len(ordered) * 0.99)] * 1000, 2),
            "cpu_ms": round(self.cpu_seconds / self.requests * 1000, 3),
            "bad": self.bad,
        }


def main() -> None:
    """Build a store, serve it, load it, print the figures."""
    parser = argparse.ArgumentParser("python -m benchmarks.server", description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", type=Path, help="a store built before, which is copied")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        client(json.loads(options.client))
        return
    print(json.dumps(measure(options), indent=2))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Every route in turns, as many rounds as asked."""
    with tempfile.TemporaryDirectory(prefix="recollect-server-") as folder:
        store = Path(folder) / "memory.db"
        if options.store:
            shutil.copy(options.store, store)
        else:
            build(store, options.entries)
        ours = [sys.executable, "-m", "recollect", "--db", str(store), "serve", "--port", "0"]
        with (
            running([sys.executable, "-c", BARE], folder) as bare,
            running([*ours, "--json"], folder) as server,
        ):
            routes = {
                "bare": (bare, "/bare", said(options.entries)),
                "entries": (server, "/v1/memory/entries", said(options.entries)),
                "recall": (server, "/v1/recall", asked()),
            }
            loads: dict[str, list[Load]] = {name: [] for name in routes}
            for number in range(options.rounds + 1):
                for name, (place, path, bodies) in routes.items():
                    part = bodies[number * 20_000 :] if name != "recall" else bodies
                    load = loaded(place, path, part, options)
                    if number:  # the first round warms up
                        loads[name].append(load)
    return told(loads)


def told(loads: dict[str, list[Load]]) -> dict[str, Any]:
    """The figures of each route, and their ratio to the bare one."""
    figures: dict[str, Any] = {name: _together(some).told() for name, some in loads.items()}
    for name in ("entries", "recall"):
        figures[name]["times_slower"] = round(
            figures["bare"]["per_second"] / figures[name]["per_second"], 2
        )
        figures[name]["times_cpu"] = round(figures[name]["cpu_ms"] / figures["bare"]["cpu_ms"], 2)
    return figures


def _together(loads: list[Load]) -> Load:
    return Load(
        sum(load.requests for load in loads),
        sum(load.seconds for load in loads),
        sum(load.cpu_seconds for load in loads),
        [latency for load in loads for latency in load.latencies],
        sum(load.bad for load in loads),
    )


def build(store: Path, entries: int) -> None:
    """A store with so many entries of one person."""
    with recollect.open(store, worker=False) as memory:
        memory.chat.set(soft_cap=1_000_000)
        for text in sentences(entries):
            memory.chat.add(text)
        memory.work(600)


def said(past: int) -> list[str]:
    """Things nobody said yet."""
    return [json.dumps({"text": text}) for text in sentences(past + 200_000)[past:]]


def asked() -> list[str]:
    """Questions, each another."""
    return [json.dumps({"query": question}) for question in questions(5_000)]


class Place(NamedTuple):
    """Where a server listens, and its process."""

    host: str
    port: int
    process: int


@contextmanager
def running(command: list[str], folder: str) -> Iterator[Place]:
    """A server that says where it is in its first line."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            host, port = url.removeprefix("http://").rsplit(":", 1)
            yield Place(host, int(port), process.pid)
        finally:
            process.terminate()


def loaded(place: Place, path: str, bodies: list[str], options: argparse.Namespace) -> Load:
    """Load a route from another process; what came of it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(bodies[:100_000], file)
        file.flush()
        told = {
            "host": place.host,
            "port": place.port,
            "path": path,
            "bodies": file.name,
            "seconds": options.seconds,
            "connections": options.connections,
        }
        before = cpu_of(place.process)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.server", "--client", json.dumps(told)],
            capture_output=True,
            text=True,
            check=True,
        )
        used = cpu_of(place.process) - before
    found = json.loads(done.stdout)
    return Load(len(found["latencies"]), found["seconds"], used, found["latencies"], found["bad"])


def cpu_of(process: int) -> float:
    """The CPU time a process has taken, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def client(told: dict[str, Any]) -> None:
    """Ask as fast as the answers come, on so many connections."""
    bodies = iter(json.loads(Path(told["bodies"]).read_text()))
    found = asyncio.run(_ask(told, bodies))
    print(json.dumps(found))


async def _ask(told: dict[str, Any], bodies: Iterator[str]) -> dict[str, Any]:
    latencies: list[float] = []
    bad = 0
    end = time.perf_counter() + told["seconds"]

    async def one() -> None:
        nonlocal bad
        reader, writer = await asyncio.open_connection(told["host"], told["port"])
        head = f"POST {told['path']} HTTP/1.1\r\nHost: {told['host']}\r\n"
        head += "Content-Type: application/json\r\nContent-Length: "
        for body in bodies:
            began = time.perf_counter()
            if began > end:
                break
            content = body.encode()
            writer.write(f"{head}{len(content)}\r\n\r\n".encode() + content)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            latencies.append(time.perf_counter() - began)
            bad += not answer.startswith(b"HTTP/1.1 2")
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(told["connections"])))
    return {"seconds": time.perf_counter() - began, "latencies": latencies, "bad": bad}


if __name__ == "__main__":
    main()
