"""A long run: server, hooks, MCP and panel at once, with workers and nights, and processes killed.

    python -m benchmarks.soak --minutes 60

Every process is sampled from /proc. At the end each acknowledged write must be in the store, no
answer may have been a 5xx, and the table shows memory and open descriptors after the warm-up and at
the end, for processes that lived that long, and what the file grew by.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recollect
from recollect.surfaces.hooks.status import running
from tests.surfaces.hooks.harness import Harness

SAMPLES = 5.0  # seconds between two looks
KILLS = 45.0  # seconds between two kills
WARM = 0.25  # of the run


class Soak:
    """All that runs, and what became of it."""

    def __init__(self, folder: Path, minutes: float, seed: int) -> None:
        self.harness = Harness(folder, RECOLLECT_AGENT_PATIENCE="1")
        self.db = folder / "memory.db"
        self.began = time.monotonic()
        self.ends = self.began + minutes * 60
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.acknowledged: set[str] = set()
        self.samples: dict[str, list[tuple[int, float, int, int]]] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = _free_port()
        self.numbers = itertools.count()

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.ends

    def start(self, name: str, *words: str, **pipes: Any) -> "subprocess.Popen[bytes]":
        """Start a process of the product."""
        made = subprocess.Popen(
            [sys.executable, "-m", "recollect", *words],
            env=self.harness.environment,
            cwd=self.harness.project,
            stderr=subprocess.DEVNULL,
            **{"stdout": subprocess.DEVNULL, **pipes},
        )
        self.processes[name] = made
        return made

    def serve(self) -> None:
        """The server with its panel, and wait until it answers."""
        self.start("server", "serve", "--port", str(self.port))
        for _ in range(600):
            if self.request("GET", "/ready", quiet=True)[0] == 200:
                return
            time.sleep(0.1)

    def request(
        self, method: str, path: str, body: Any = None, *, quiet: bool = False
    ) -> tuple[int, Any]:
        """One request; 0 where nobody answered."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            answer = connection.getresponse()
            raw = answer.read()
        except (OSError, http.client.HTTPException):
            self.counts["unanswered"] += not quiet
            time.sleep(0.5)  # it was killed, and comes back
            return 0, None
        finally:
            connection.close()
        if not quiet:
            self.counts["requests"] += 1
            self.counts["5xx"] += answer.status >= 500
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(raw) if is_json else None

    def write_and_ask(self) -> None:
        """A client of the server."""
        number = next(self.numbers)
        words = f"Note {number}: {self.chance.choice(_WORDS)} needs {self.chance.choice(_WORDS)}."
        body = {"content": words, "type": "gotcha", "repeats": "keep"}
        status, kept = self.request("POST", "/v1/memories", body)
        if status in {200, 201}:
            self.acknowledged.add(kept["id"])
        self.request(
            "POST", "/v1/recall", {"query": f"what does {self.chance.choice(_WORDS)} need"}
        )
        time.sleep(0.2)

    def look_at_the_panel(self) -> None:
        """A person with a browser."""
        for path in ("/panel", "/panel/memories", "/panel/ask", "/metrics"):
            self.request("GET", path)
        time.sleep(1.0)

    def work_as_an_agent(self) -> None:
        """A session with hooks."""
        session = f"s{next(self.numbers)}"
        with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
            self.harness.hook("SessionStart", session, source="startup")
            self.harness.hook("UserPromptSubmit", session, prompt="mend the login")
            for call in range(3):
                self.harness.tool("Bash", f"c{call}", session, command="make test")
            self.harness.hook("SessionEnd", session, reason="other")
            self.counts["sessions"] += 1

    def ask_by_mcp(self) -> None:
        """A client of the MCP server, which is started anew when it was killed."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        made = self.processes.get("mcp")
        if made is None or made.poll() is not None:
            made = self.start("mcp", "mcp", **pipes)
            client = {"name": "soak", "version": "1"}
            given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            if self._call(made, "initialize", given) is None:
                return
            self._send(made, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        wanted = {"name": "search_memory", "arguments": {"query": self.chance.choice(_WORDS)}}
        answer = self._call(made, "tools/call", wanted)
        self.counts["mcp calls"] += answer is not None
        self.counts["mcp errors"] += answer is not None and "error" in answer
        time.sleep(0.5)

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
        self.start("night", "evolve").wait()
        self.counts["nights"] += 1
        time.sleep(20)

    def kill_somebody(self) -> None:
        """Kill a process without warning, and start it again where nobody else does."""
        time.sleep(min(KILLS, max(1.0, self.ends - time.monotonic())))
        if self.over:
            return
        name = self.chance.choice(["server", "worker", "mcp", "daemon"])
        self.counts["killed"] += 1
        if name == "daemon":
            pid = running(self.harness.home)
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return
        made = self.processes.get(name)
        if made is not None:
            made.kill()
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
                status = Path(f"/proc/{each}/status").read_text()
                memory = int(status.split("VmRSS:")[1].split()[0])
                files = len(os.listdir(f"/proc/{each}/fd"))
                row = (each, time.monotonic() - self.began, memory, files)
                self.samples.setdefault(name, []).append(row)
        time.sleep(SAMPLES)

    def run(self) -> None:
        """Everything at once until the time is up."""
        self.serve()
        self.start("worker", "worker")
        first = self.db.stat().st_size
        loops = [
            *(self.write_and_ask, self.write_and_ask, self.look_at_the_panel),
            *(self.work_as_an_agent, self.ask_by_mcp, self.run_a_night),
            *(self.kill_somebody, self.sample),
        ]
        threads = [threading.Thread(target=self._again, args=(loop,)) for loop in loops]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._stop()
        self.show(first)

    def _again(self, loop: Callable[[], None]) -> None:
        while not self.over:
            loop()

    def _stop(self) -> None:
        for made in self.processes.values():
            made.terminate()
        for made in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                made.wait(30)
            made.kill()
        pid = running(self.harness.home)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def show(self, first: int) -> None:
        """The tables."""
        warm = WARM * (self.ends - self.began)
        print(f"{'process':8} {'MB warm':>8} {'MB end':>8} {'files warm':>11} {'files end':>10}")
        for name, rows in sorted(self.samples.items()):
            same = [row for row in rows if row[0] == rows[-1][0]]
            settled = next((row for row in same if row[1] >= warm), same[-1])
            last = same[-1]
            print(
                f"{name:8} {settled[2] / 1024:>8.0f} {last[2] / 1024:>8.0f}"
                f" {settled[3]:>11} {last[3]:>10}"
            )
        with recollect.open(self.db, worker=False, user="ada", embedder="none") as memory:
            lost = 0
            for each in sorted(self.acknowledged):
                try:
                    memory.get(each)
                except recollect.RecollectError:
                    lost += 1
            sound = memory.health().sound
            stats = memory.stats()
        grown = self.db.stat().st_size - first
        kept = max(1, len(self.acknowledged) + int(stats["events"]))
        self.counts["acknowledged writes"] = len(self.acknowledged)
        self.counts["lost writes"] = lost
        for name in sorted(self.counts):
            print(f"{name:20} {self.counts[name]:>8,}")
        print(f"{'file grew by':20} {grown / 1e6:>8.1f} MB, {grown / kept / 1e3:.1f} kB a row kept")
        print("the store is sound" if sound else "THE STORE IS NOT SOUND")


_WORDS = "login parser harbour invoice gateway importer calendar basket ledger webhook".split()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def main() -> int:
    """Run, print, and fail where something was lost or broke."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-soak-") as folder:
        soak = Soak(Path(folder), given.minutes, given.seed)
        soak.run()
    return 1 if soak.counts["lost writes"] or soak.counts["5xx"] else 0


if __name__ == "__main__":
    sys.exit(main())
