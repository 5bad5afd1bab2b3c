"""What a hook call costs: CPU of the hook process and of the daemon, against a bare interpreter.

    python -m benchmarks.hook_cost [CALLS]

Both are measured in the same run, on a project with a thousand memories, as CPU time, so that the
ratio means the same on any machine.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep
from typing import Any

from tests.surfaces.hooks.harness import Harness

WARM = 5
SESSION: tuple[tuple[str, dict[str, Any]], ...] = (
    ("UserPromptSubmit", {"prompt": "why does the login test fail?"}),
    ("PreToolUse", {"tool_name": "Edit"}),
    ("PostToolUse", {"tool_name": "Read", "tool_response": {"file": {"content": "x = 1\n" * 200}}}),
    ("PostToolUseFailure", {"tool_name": "Bash", "error": "Exit code 1\nassert 1 == 2"}),
    ("PostToolBatch", {"tool_calls": []}),
    ("Stop", {"last_assistant_message": "Done."}),
)


def children() -> float:
    """CPU seconds of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_process(pid: int) -> float:
    """CPU seconds of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bare(calls: int) -> float:
    """CPU milliseconds of ``python -I -S -c pass``."""
    before = children()
    for _ in range(calls):
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
    return (children() - before) / calls * 1_000


def settle(pid: int) -> None:
    """Until a process does nothing any more."""
    used = -1.0
    while (now := of_process(pid)) != used:
        used = now
        sleep(0.3)


def hooks(calls: int) -> dict[str, tuple[float, float, float]]:
    """CPU milliseconds of each event: its process, the daemon meanwhile, and a bare interpreter.

    The daemon is warm: what it loads once was loaded before. Bare ones run between the events.
    """
    found: dict[str, tuple[float, float, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(Path(folder))
        with harness.memory() as memory:
            for number in range(1_000):
                memory.remember(
                    f"Note {number}: the login of module {number % 50} needs token {number * 7}.",
                    type="gotcha",
                    files=[f"src/module{number % 50}.py"],
                    confidence=0.9,
                )
        harness.hook("SessionStart", source="startup")
        try:
            for event, data in SESSION:
                process = daemon = base = 0.0
                for number in range(-WARM, calls):
                    given = {"file_path": harness.path(f"src/module{number % 50}.py")}
                    if data.get("tool_name") == "Bash":
                        given = {"command": "pytest -q tests/test_login.py"}
                    if number == 0:
                        settle(harness.pid)
                        daemon = of_process(harness.pid)
                    first = children()
                    harness.hook(event, tool_input=given, tool_use_id=f"{event}{number}", **data)
                    if number >= 0:
                        process += children() - first
                        base += bare(1)
                settle(harness.pid)
                daemon = of_process(harness.pid) - daemon
                found[event] = process / calls * 1_000, daemon / calls * 1_000, base / calls
        finally:
            harness.stop()
    return found


def main() -> None:
    """Measure and print a table, and the whole as one line of JSON."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    ratios = {}
    for event, (process, daemon, base) in hooks(calls).items():
        ratios[event] = round((process + daemon) / base, 2)
        parts = f"({process:5.2f} + {daemon:5.2f}) / {base:5.2f} ms"
        print(f"{event:20} {parts} = {ratios[event]:.2f} x python -I -S -c pass")
    print(json.dumps({"ratios": ratios}))


if __name__ == "__main__":
    main()
