"""Kills the daemon of the hooks at random moments, and counts what was kept and is not there.

    python -m benchmarks.hooks_crash [ROUNDS] [SEED]

Every round starts hook processes of two sessions and kills the daemon with SIGKILL at some moment
between them. At the end every event whose hook process said that it was kept must be in the store,
once; nothing must be left in the spool, and no daemon must run.
"""

import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from recollect.surfaces.hooks.spool import Spool
from recollect.surfaces.hooks.status import running
from tests.surfaces.hooks.harness import Harness

EVENTS = 5


def kill_soon(harness: Harness, seconds: float) -> threading.Thread:
    """A thread that kills the daemon after a while, if there is one."""

    def kill() -> None:
        time.sleep(seconds)
        pid = running(harness.home)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


killed: list[int] = []


def campaign(rounds: int, seed: int) -> dict[str, int]:
    """Do it; the figures."""
    chance = random.Random(seed)
    kept: Counter[str] = Counter()
    killed.clear()
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(Path(folder), RECOLLECT_AGENT_PATIENCE="1", RECOLLECT_EMBEDDER="none")
        harness.hook("SessionStart", "red", source="startup")
        for number in range(rounds):
            thread = kill_soon(harness, chance.uniform(0, 0.25))
            for place in range(EVENTS):
                text = f"event {number}.{place}"
                said = harness.send(*_event(chance, text))
                kept[text] += said.code == 0
            thread.join()
        found = _found(harness)
        harness.stop()
        lost = [text for text in kept if kept[text] and not found[text]]
        return {
            "rounds": rounds,
            "killed": len(set(killed)),
            "acknowledged": sum(kept.values()),
            "lost": len(lost),
            "twice": sum(count > 1 for count in found.values()),
            "spool_bytes": Spool(harness.home).size(),
            "left_running": len(harness.processes()),
        }


def _event(chance: random.Random, text: str) -> tuple[str, bytes]:
    event = chance.choice(["UserPromptSubmit", "UserPromptSubmit", "Stop"])
    data = {
        "session_id": chance.choice(["red", "blue"]),
        "hook_event_name": event,
        "cwd": str(Path(tempfile.gettempdir()) / "recollect-crash" / "app"),
        "prompt": text,
        "last_assistant_message": text,
    }
    return event, json.dumps(data).encode()


def _found(harness: Harness) -> Counter[str]:
    """What the store has after the sessions were ended in good order."""
    harness.wait_for_writers()
    harness.environment["RECOLLECT_AGENT_PATIENCE"] = "60"
    project = Path(tempfile.gettempdir()) / "recollect-crash" / "app"
    for session in ("red", "blue"):
        data = {"session_id": session, "hook_event_name": "SessionStart", "cwd": str(project)}
        harness.send("SessionStart", json.dumps(data).encode())
        harness.send("SessionEnd", json.dumps(data | {"hook_event_name": "SessionEnd"}).encode())
    harness.stop()
    found: Counter[str] = Counter()
    with harness.memory() as memory:
        for space in memory.spaces():
            view = memory.within(space=space.name)
            for stream in view.streams(kind="session").items:
                cursor = None
                while True:
                    page = view.read(stream.name, cursor=cursor, limit=1_000)
                    found.update(event.text for event in page.items)
                    cursor = page.next_cursor
                    if cursor is None:
                        break
    return Counter({text: count for text, count in found.items() if text.startswith("event ")})


def main() -> None:
    """Run the campaign; exit 1 when anything is lost, doubled or left."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    figures = campaign(rounds, seed)
    print(json.dumps(figures))
    sys.exit(bool(figures["lost"] or figures["twice"] or figures["left_running"]))


if __name__ == "__main__":
    main()
