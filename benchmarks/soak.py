"""A long run: server, hooks, MCP and panel at once, with workers and nights, and processes killed.

    python -m benchmarks.soak --minutes 60

Processes are killed in the first and the last quarter of the run; the half between is left alone,
so that every process lives long enough for a leak to show. The run fails by each of these rules:

* no answer is a 5xx, and every request is answered. One that met a server which had been killed is
  sent again, as a client would, and is counted apart;
* every write that was acknowledged is in the store at the end: memories over HTTP, and what was
  said in sessions with hooks;
* memory is flat: of the longest life of each process, the first quarter is its warm-up; the median
  of the last tenth is at most a tenth, or 8 MB, above the median of the tenth after the warm-up;
* open descriptors are constant: the last tenth has at most two more than the tenth after the
  warm-up had at its highest (connections come and go);
* the file's growth is shown by table, with rows and bytes, so that it can be explained.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import os
import random
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from recollect.surfaces.hooks.status import running
from tests.surfaces.hooks.harness import Harness

SAMPLES = 2.0  # seconds between two looks
WORDS = "login parser harbour invoice gateway importer calendar basket ledger webhook".split()
LARGEST = 10  # tables shown


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at one process."""

    pid: int
    at: float
    kilobytes: int
    files: int
    cpu: float


class Soak:
    """All that runs, and what became of it."""

    def __init__(self, folder: Path, minutes: float, seed: int) -> None:
        self.harness = Harness(folder, RECOLLECT_AGENT_PATIENCE="1")
        self.folder = folder
        self.db = folder / "memory.db"
        self.seconds = minutes * 60
        self.began = time.monotonic()
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.memories: set[str] = set()
        self.said: set[str] = set()
        self.samples: dict[str, list[Sample]] = {}
        self.log_sizes: list[int] = []
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.up = threading.Event()  # the server has answered since it was last started
        self.falls = 0  # how often it was killed
        self.port = _free_port()
        self.numbers = itertools.count()
        self.failures: list[BaseException] = []

    @property
    def elapsed(self) -> float:
        """Seconds since everything ran."""
        return time.monotonic() - self.began

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.elapsed > self.seconds or bool(self.failures)

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end."""
        time.sleep(max(0.0, min(seconds, self.seconds - self.elapsed)))

    def start(self, name: str, *words: str, **pipes: Any) -> "subprocess.Popen[bytes]":
        """Start a process of the product; what it says on its error output is kept."""
        with (self.folder / f"{name}.log").open("ab") as log:
            made = subprocess.Popen(
                [sys.executable, "-m", "recollect", *words],
                env=self.harness.environment,
                cwd=self.harness.project,
                stderr=log,
                **{"stdout": subprocess.DEVNULL, **pipes},
            )
        self.processes[name] = made
        return made

    def serve(self) -> None:
        """The server with its panel, and wait until it answers."""
        made = self.start("server", "serve", "--port", str(self.port))
        while made.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self._answer("GET", "/ready", None)[0] == 200:
                    self.up.set()
                    return
            time.sleep(0.2)
        raise SystemExit(f"the server ended by itself: {(self.folder / 'server.log').read_text()}")

    def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One request, sent again where the server had been killed; 0 where nobody answered."""
        while True:
            falls, was_up, began = self.falls, self.up.is_set(), time.monotonic()
            try:
                status, answer = self._answer(method, path, body)
                break
            except (OSError, http.client.HTTPException):
                if was_up and falls == self.falls and self.up.is_set():
                    self.counts["unanswered"] += 1
                    took = time.monotonic() - began
                    print(f"{self.elapsed:.0f} s: {path} was not answered in {took:.1f} s")
                    return 0, None
                self.counts["sent again (server was killed)"] += 1
                self.up.wait(600)
        self.counts["requests answered"] += 1
        self.counts["4xx"] += 400 <= status < 500
        self.counts["5xx"] += status >= 500
        if status >= 400:
            print(f"{self.elapsed:.0f} s: {path} answered {status}: {answer}")
        return status, answer

    def _answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            answer = connection.getresponse()
            raw = answer.read()
        finally:
            connection.close()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(raw) if is_json else None

    def write_and_ask(self) -> None:
        """A client of the server."""
        number = next(self.numbers)
        words = f"Note {number}: {self.chance.choice(WORDS)} needs {self.chance.choice(WORDS)}."
        body = {"content": words, "type": "gotcha", "repeats": "keep"}
        status, kept = self.request("POST", "/v1/memories", body)
        if status in {200, 201}:
            self.memories.add(kept["id"])
        asked = {"query": f"what does {self.chance.choice(WORDS)} need"}
        self.request("POST", "/v1/recall", asked)
        self.pause(2.0)

    def look_at_the_panel(self) -> None:
        """A person with a browser, and a scraper."""
        for path in ("/panel", "/panel/memories", "/panel/ask", "/metrics"):
            self.request("GET", path)
            self.pause(4.0)

    def work_as_an_agent(self) -> None:
        """A session with hooks; each is a process, as an agent starts them."""
        session = f"s{next(self.numbers)}"
        said = f"mend the login, number {next(self.numbers)}"
        hook = self.harness.hook
        hook("SessionStart", session, source="startup")
        hook("UserPromptSubmit", session, prompt=said)
        self.said.add(said)
        for call in range(3):
            self.harness.tool("Bash", f"c{call}", session, command="make test")
            self.pause(3.0)
        hook("SessionEnd", session, reason="other")
        self.counts["sessions"] += 1
        self.pause(15.0)

    def ask_by_mcp(self) -> None:
        """A client of the MCP server, which is started anew when it was killed."""
        made = self.processes.get("mcp")
        if made is None or made.poll() is not None:
            made = self.start("mcp", "mcp", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            client = {"name": "soak", "version": "1"}
            given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            if self._call(made, "initialize", given) is None:
                return
            self._send(made, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        wanted = {"name": "search_memory", "arguments": {"query": self.chance.choice(WORDS)}}
        answer = self._call(made, "tools/call", wanted)
        self.counts["mcp calls"] += answer is not None
        self.counts["mcp errors"] += answer is not None and "error" in answer
        self.pause(3.0)

    def _send(self, made: "subprocess.Popen[bytes]", message: dict[str, Any]) -> None:
        assert made.stdin is not None
        with contextlib.suppress(OSError):
            made.stdin.write(json.dumps(message).encode() + b"\n")
            made.stdin.flush()

    def _call(self, made: "subprocess.Popen[bytes]", method: str, given: Any) -> Any:
        number = next(self.numbers)
        self._send(made, {"jsonrpc": "2.0", "id": number, "method": method, "params": given})
        assert made.stdout is not None
        for line in made.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer
        return None

    def run_a_night(self) -> None:
        """The night, in a process of its own."""
        self.pause(self.seconds / 10)
        if not self.over:
            ended = self.start("night", "evolve").wait()
            self.counts["nights"] += 1
            self.counts["nights that failed"] += ended != 0

    def kill_somebody(self) -> None:
        """Kill a process without warning, and start it again where nobody else does."""
        for name in self.chance.sample(["server", "worker", "mcp", "daemon"], 4):
            self.pause(max(15.0, self.seconds / 40))
            calm = self.seconds * 0.25 <= self.elapsed <= self.seconds * 0.75
            if calm or self.over:
                return
            self._kill(name)

    def _kill(self, name: str) -> None:
        made = self.processes.get(name)
        pid = made.pid if made is not None else running(self.harness.home)
        if pid is None:
            return
        if name == "server":
            self.falls += 1
            self.up.clear()
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.counts[f"killed: {name}"] += 1
        if made is not None:
            made.wait()
        if name == "server":
            self.serve()
        elif name == "worker":
            self.start("worker", "worker")

    def sample(self) -> None:
        """Look at every process."""
        known = {name: made.pid for name, made in self.processes.items() if made.poll() is None}
        pid = running(self.harness.home)
        for name, each in (known | ({"daemon": pid} if pid else {})).items():
            with contextlib.suppress(OSError, ValueError, IndexError):
                self.samples.setdefault(name, []).append(_look(each, self.elapsed))
        with contextlib.suppress(OSError):
            self.log_sizes.append(self.db.with_name("memory.db-wal").stat().st_size)
        self.pause(SAMPLES)

    def run(self) -> bool:
        """Everything at once until the time is up; whether it held."""
        self.serve()
        self.start("worker", "worker")
        self.began = time.monotonic()
        first = _tables(self.db)
        loops = [
            *(self.write_and_ask, self.write_and_ask, self.look_at_the_panel),
            *(self.work_as_an_agent, self.ask_by_mcp, self.run_a_night),
            *(self.kill_somebody, self.sample),
        ]
        threads = [threading.Thread(target=self._again, args=(loop,)) for loop in loops]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            if self.over:
                self._end("mcp")  # whoever waits for its answer gets none
            time.sleep(0.5)
        took = self.elapsed
        for name in list(self.processes):
            self._end(name)
        for failure in self.failures:
            print(f"FAILED: {failure!r}")
        flat = self._show_processes(took)
        lost = self._show_counts()
        self._show_growth(first)
        return flat and not lost and not self.failures

    def _again(self, loop: Callable[[], None]) -> None:
        while not self.over:
            try:
                loop()
            except BaseException as failure:  # noqa: BLE001 - reported at the end, and ends the run
                self.failures.append(failure)

    def _end(self, name: str) -> None:
        made = self.processes.get(name)
        if made is None or made.poll() is not None:
            return
        made.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            made.wait(30)
        made.kill()
        made.wait()

    def _show_processes(self, took: float) -> bool:
        print(f"\n{took / 60:.1f} minutes; the longest life of each process:")
        head = f"{'process':8} {'minutes':>8} {'MB warm':>8} {'MB end':>7} {'MB most':>8}"
        print(f"{head} {'files warm':>11} {'files end':>10}  held")
        flat = True
        for name, rows in sorted(self.samples.items()):
            if name == "night":  # ends by itself
                continue
            life = max(_lives(rows), key=lambda each: each[-1].at - each[0].at)
            good, line = _judged(life)
            flat = flat and good
            print(f"{name:8} {line}  {'yes' if good else 'NO'}")
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        daemon = sum(life[-1].cpu for life in _lives(self.samples.get("daemon", [])))
        cpu = children.ru_utime + children.ru_stime + daemon
        print(f"all processes together used {cpu / took:.0%} of one core")
        return flat

    def _show_counts(self) -> int:
        """Print what became of requests and writes; how many broke a rule."""
        self.harness.environment["RECOLLECT_AGENT_PATIENCE"] = "60"
        self.harness.hook("SessionStart", "last", source="startup")  # writes what was waiting
        self.harness.hook("SessionEnd", "last", reason="other")
        self.harness.stop()
        with self.harness.memory() as memory:
            sound = memory.health().sound
        ids = _column(self.db, "SELECT memory_id FROM memories")
        found = _column(self.db, "SELECT text FROM events WHERE text LIKE 'mend the login%'")
        self.counts["memories acknowledged"] = len(self.memories)
        self.counts["memories lost"] = len(self.memories - ids)
        self.counts["prompts acknowledged"] = len(self.said)
        self.counts["prompts lost"] = len(self.said - found)
        self.counts["not sound"] = not sound
        for name in sorted(self.counts):
            print(f"{name:32} {self.counts[name]:>8,}")
        bad = "5xx", "unanswered", "memories lost", "prompts lost", "mcp errors", "not sound"
        return sum(self.counts[name] for name in (*bad, "nights that failed"))

    def _show_growth(self, first: dict[str, tuple[int, int]]) -> None:
        last = _tables(self.db)
        grown = {
            name: (rows - first.get(name, (0, 0))[0], size - first.get(name, (0, 0))[1])
            for name, (rows, size) in last.items()
        }
        print(f"\n{'table, with its indexes':28} {'rows':>8} {'kB':>8} {'bytes a row':>12}")
        order = sorted(grown, key=lambda name: -grown[name][1])
        for name in order[:LARGEST]:
            rows, size = grown[name]
            each = f"{size / rows:,.0f}" if rows > 0 else ""
            print(f"{name:28} {rows:>8,} {size / 1e3:>8,.0f} {each:>12}")
        rest = sum(grown[name][1] for name in order[LARGEST:])
        total = sum(size for _, size in grown.values())
        print(f"{'the others':28} {'':>8} {rest / 1e3:>8,.0f}")
        print(f"{'together':28} {'':>8} {total / 1e3:>8,.0f}")
        most = max(self.log_sizes, default=0)
        print(f"the write-ahead log was never larger than {most / 1e6:.1f} MB")


def _look(pid: int, at: float) -> Sample:
    folder = Path(f"/proc/{pid}")
    memory = int((folder / "status").read_text().split("VmRSS:")[1].split()[0])
    ticks = (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
    cpu = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return Sample(pid, at, memory, len(os.listdir(folder / "fd")), cpu)


def _lives(rows: list[Sample]) -> list[list[Sample]]:
    return [list(life) for _, life in itertools.groupby(rows, key=lambda row: row.pid)]


def _judged(life: list[Sample]) -> tuple[bool, str]:
    """Whether memory and descriptors were constant after the warm-up, and the line that says it."""
    tenth = max(1, len(life) // 10)
    warm, end = life[len(life) // 4 :][:tenth], life[-tenth:]
    before = median(row.kilobytes for row in warm) / 1024
    after = median(row.kilobytes for row in end) / 1024
    files, left = max(row.files for row in warm), max(row.files for row in end)
    most = max(row.kilobytes for row in life) / 1024
    minutes = (life[-1].at - life[0].at) / 60
    good = after <= before + max(8.0, before / 10) and left <= files + 2
    return good, (
        f"{minutes:>8.1f} {before:>8.1f} {after:>7.1f} {most:>8.1f} {files:>11} {left:>10}"
    )


def _column(db: Path, query: str) -> set[str]:
    with contextlib.closing(sqlite3.connect(db)) as store:
        return {row[0] for row in store.execute(query)}


def _tables(db: Path) -> dict[str, tuple[int, int]]:
    """Rows and bytes of every table; an index belongs to its table, as do parts of FTS5."""
    found: dict[str, list[int]] = {}
    with contextlib.closing(sqlite3.connect(db)) as store:
        sizes = store.execute(
            "SELECT m.tbl_name, m.type, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m"
            " ON m.name = s.name GROUP BY s.name"
        ).fetchall()
        for table, _, size in sizes:
            found.setdefault(table, [0, 0])[1] += size
        for table, figures in found.items():
            figures[0] = store.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    return {name: (rows, size) for name, (rows, size) in found.items()}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def main() -> int:
    """Run, print, and fail where a rule was broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-soak-") as folder:
        held = Soak(Path(folder), given.minutes, given.seed).run()
    print("every rule held" if held else "A RULE WAS BROKEN")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
