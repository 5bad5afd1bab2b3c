"""What a command costs: processor time of ``recollect recall`` and ``--help``, beside a bare
interpreter.

    python -m benchmarks --only commands

The real command is run as a process of its own on a store of three memories, in turns with
``python -c pass``, and its least processor time of several runs is told: a busy machine adds to
it, nothing takes away from it.
"""

import os
import resource
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import recollect
from benchmarks.measures import Measure, at_most, time_text
from benchmarks.stage import Stage

ROUNDS = 15
QUICK = 5
TEXTS = (
    "The payment retries broke when the backoff overflowed.",
    "Deployments run on Fridays at noon.",
    "Ada prefers tabs over spaces.",
)


def measure(stage: Stage) -> list[Measure]:
    """Help and one question, each beside a bare interpreter."""
    store = stage.folder / "commands.db"
    with recollect.open(store, worker=False) as memory:
        for text in TEXTS:
            memory.remember(text)
    command = str(Path(sysconfig.get_path("scripts")) / "recollect")
    environment = {**os.environ, "RECOLLECT_DB": str(store)}
    # Modules are compiled once and for all, as they are wherever the package is installed.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.setdefault("PYTHONPYCACHEPREFIX", str(stage.folder / "compiled"))
    runs = ([sys.executable, "-c", "pass"], [command, "--help"], [command, "recall", "what broke?"])
    bare, help_, recall = _least(runs, environment, QUICK if stage.quick else ROUNDS)
    return [
        _told("recollect --help", help_, bare),
        _told("recollect recall, three memories", recall, bare, seconds=0.4),
    ]


def _told(what: str, ours: float, bare: float, *, seconds: float | None = None) -> Measure:
    """The target is meant for a machine whose bare interpreter takes 12 ms."""
    target = None if seconds is None else at_most(round(seconds / 0.012))
    return Measure(f"{what} (processor)", time_text(ours), time_text(bare), ours / bare, target)


def _least(
    runs: Sequence[list[str]], environment: dict[str, str], rounds: int
) -> tuple[float, ...]:
    """The least processor seconds of each command, in turns; the first go compiles and is left
    out."""
    least = [float("inf")] * len(runs)
    for number in range(rounds + 1):
        for place, run in enumerate(runs):
            before = _children()
            subprocess.run(run, env=environment, stdout=subprocess.DEVNULL, check=True)
            if number:
                least[place] = min(least[place], _children() - before)
    return tuple(least)


def _children() -> float:
    """Processor seconds of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
