"""How long a command takes to begin, beside a Python that does nothing at all."""

import subprocess
import sys
from collections.abc import Callable

import recollect
from benchmarks.measures import Measure, at_most, medians, time_text
from benchmarks.stage import Stage

#: What ``import recollect`` must not load.
HEAVY = ("sqlalchemy", "numpy", "pandas", "fastapi", "tokenizers", "pydantic")


def measure(stage: Stage) -> list[Measure]:
    """Importing, asking for help, and asking a small store."""
    path = stage.folder / "small.db"
    with recollect.open(path, embedder="static", worker=False) as memory:
        for text in stage.texts[:100]:
            memory.remember(text)
    commands = {
        "import recollect": ["-c", "import recollect"],
        "recollect --help": ["-m", "recollect", "--help"],
        "recollect recall, 100 memories": ["-m", "recollect", "--db", str(path), "recall", "cache"],
    }
    rounds = 3 if stage.quick else 10
    bare, *ours = medians(
        rounds, _running("-c", "pass"), *(_running(*c) for c in commands.values())
    )
    return [
        *(
            Measure(
                f"{name}, to a bare Python", time_text(seconds), time_text(bare), seconds / bare
            )
            for name, seconds in zip(commands, ours, strict=True)
        ),
        _loaded(),
    ]


def _running(*arguments: str) -> Callable[[int], object]:
    command = [sys.executable, *arguments]
    return lambda _round: subprocess.run(command, check=True, capture_output=True)


def _loaded() -> Measure:
    """Heavy libraries that ``import recollect`` brings in; there should be none."""
    asked = f"import recollect, sys; print(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    return Measure(
        "import recollect, heavy libraries loaded",
        ", ".join(loaded) or "none",
        f"{len(HEAVY)} looked for",
        len(loaded),
        at_most(0),
    )
