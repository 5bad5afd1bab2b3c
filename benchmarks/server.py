"""The server under load: keeping an entry and recalling over HTTP, beside a bare FastAPI route.

    python -m benchmarks.server                       the figures of the documentation
    python -m benchmarks.server --quick               2,000 entries, in under a minute
    python -m benchmarks.server --wrk                 asked by wrk, where that is installed

Both servers run in as many processes as there are cores, and are asked in turns over kept-open
connections by one process (wrk, or one that writes requests and reads answers by hand), so that all
see the same machine. CPU time a request is what the server took, whoever else was busy; requests a
second and the latencies are what this machine gave at the time, with the asking on the same cores.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from benchmarks.texts import questions, sentences
from recollect.vocabulary.errors import SecretRefused

_TICKS = os.sysconf("SC_CLK_TCK")
_LOADED = 0.8  # seconds of CPU; loading the parts alone takes more
#: What wrk is told: each request has the next of the bodies; the latencies in thousandths.
WRK = """
local bodies, next = {}, 0
for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
function request()
  next = next + 1
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, bodies[next])
end
function done(summary, latency)
  local told = {}
  for share = 0, 999 do told[#told + 1] = latency:percentile(share / 10 + 0.05) / 1000000 end
  local errors = summary.errors
  local bad = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.stderr:write(string.format('{"requests": %d, "seconds": %f, "bad": %d, "latencies": [%s]}',
    summary.requests, summary.duration / 1000000, bad, table.concat(told, ", ")))
end
"""
BARE = """
import multiprocessing, socket, sys
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

def run(port, told):
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listening.bind(("127.0.0.1", port))
    if told:
        print('{"url": "http://127.0.0.1:%d"}' % listening.getsockname()[1], flush=True)
    port = listening.getsockname()[1]
    if told:
        for _ in range(int(sys.argv[1]) - 1):
            multiprocessing.get_context("fork").Process(target=run, args=(port, False)).start()
    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none")
    uvicorn.Server(config).run(sockets=[listening])

run(0, True)
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
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="fewer entries, shorter turns")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--store", type=Path, help="a store built before, which is copied")
    parser.add_argument("--wrk", action="store_true", help="ask by wrk")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        client(json.loads(options.client))
        return
    if options.quick:
        options.entries, options.seconds, options.rounds = 2_000, 1.5, 2
    figures = measure(options)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    print(f"{options.processes} processes, {options.connections} connections")
    print(f"{'':10} {'per second':>10} {'p50 ms':>8} {'p99 ms':>8} {'cpu ms':>8} {'of bare':>8}")
    for name, one in figures.items():
        ratio = f"1/{one['times_slower']}" if "times_slower" in one else "1"
        print(
            f"{name:10} {one['per_second']:>10} {one['p50_ms']:>8} {one['p99_ms']:>8} "
            f"{one['cpu_ms']:>8} {ratio:>8}"
            + (f"   {one['bad']} were refused" if one["bad"] else "")
        )


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Every route in turns, as many rounds as asked."""
    with tempfile.TemporaryDirectory(prefix="recollect-server-") as folder:
        store = Path(folder) / "memory.db"
        if options.store:
            shutil.copy(options.store, store)
        else:
            build(store, options.entries)
        count = str(options.processes)
        ours = [sys.executable, "-m", "recollect", "--db", str(store), "serve", "--port", "0"]
        with (
            running([sys.executable, "-c", BARE, count], folder) as bare,
            running([*ours, "--processes", count, "--json"], folder) as server,
        ):
            routes = {
                "bare": (bare, "/bare", said(options.entries)),
                "entries": (server, "/v1/memory/entries", said(options.entries)),
                "recall": (server, "/v1/recall", asked()),
            }
            waited_for(server, options.processes)
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
            # Of made-up sentences one in some thousands says a password, and is refused for it.
            with suppress(SecretRefused):
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
            for one in reversed(crew_of(process.pid)):
                os.kill(one, signal.SIGTERM)


def loaded(place: Place, path: str, bodies: list[str], options: argparse.Namespace) -> Load:
    """Load a route from another process; what came of it."""
    with tempfile.TemporaryDirectory(prefix="recollect-asking-") as folder:
        before = cpu_of(place.process)
        ask = _ask_by_wrk if options.wrk else _ask_by_hand
        found = ask(place, path, bodies[:100_000], options, Path(folder))
        used = cpu_of(place.process) - before
    return Load(found["requests"], found["seconds"], used, found["latencies"], found["bad"])


def _ask_by_hand(
    place: Place, path: str, bodies: list[str], options: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    file = folder / "bodies.json"
    file.write_text(json.dumps(bodies))
    told = {
        "host": place.host,
        "port": place.port,
        "path": path,
        "bodies": str(file),
        "seconds": options.seconds,
        "connections": options.connections,
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.server", "--client", json.dumps(told)],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "requests": len(found["latencies"])}


def _ask_by_wrk(
    place: Place, path: str, bodies: list[str], options: argparse.Namespace, folder: Path
) -> dict[str, Any]:
    (folder / "bodies.txt").write_text("\n".join(bodies))
    (folder / "ask.lua").write_text(WRK)
    command = ["wrk", "--threads", "1", "--connections", str(options.connections)]
    command += ["--duration", f"{options.seconds:.0f}s", "--script", str(folder / "ask.lua")]
    done = subprocess.run(
        [*command, f"http://{place.host}:{place.port}{path}"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "BODIES": str(folder / "bodies.txt")},
    )
    found: dict[str, Any] = json.loads(done.stderr)
    return found


def waited_for(place: Place, processes: int) -> None:
    """Until every process of a server answers: none has begun before it has used a core."""
    while len(crew_of(place.process)) < processes or not all(
        cpu_of(one, alone=True) > _LOADED for one in crew_of(place.process)
    ):
        time.sleep(0.2)
    time.sleep(1.0)


def crew_of(process: int) -> list[int]:
    """A process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for task in Path(f"/proc/{process}/task").iterdir():
        children += (task / "children").read_text().split()
    return sorted({process, *map(int, children)})


def cpu_of(process: int, *, alone: bool = False) -> float:
    """The CPU time a process and its children have taken, in seconds."""
    used = 0
    for one in [process] if alone else crew_of(process):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        used += int(fields[11]) + int(fields[12])
    return used / _TICKS


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
