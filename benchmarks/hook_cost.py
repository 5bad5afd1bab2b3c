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
from typing import Any

from tests.surfaces.hooks.harness import Harness

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


def hooks(calls: int) -> dict[str, tuple[float, float]]:
    """CPU milliseconds of each event: its process, and the daemon meanwhile."""
    found: dict[str, tuple[float, float]] = {}
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
                first, daemon = children(), of_process(harness.pid)
                for number in range(calls):
                    given = {"file_path": harness.path(f"src/module{number % 50}.py")}
                    if data.get("tool_name") == "Bash":
                        given = {"command": "pytest -q tests/test_login.py"}
                    harness.hook(event, tool_input=given, tool_use_id=f"{event}{number}", **data)
                process = (children() - first) / calls * 1_000
                found[event] = process, (of_process(harness.pid) - daemon) / calls * 1_000
        finally:
            harness.stop()
    return found


def main() -> None:
    """Measure and print a table, and the whole as one line of JSON."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    base = bare(calls)
    print(f"python -I -S -c pass: {base:.2f} ms of CPU")
    ratios = {}
    for event, (process, daemon) in hooks(calls).items():
        ratios[event] = round((process + daemon) / base, 2)
        print(f"{event:20} {process:6.2f} + {daemon:6.2f} ms  = {ratios[event]:.2f} x")
    print(json.dumps({"bare_ms": round(base, 2), "ratios": ratios}))


if __name__ == "__main__":
    main()
