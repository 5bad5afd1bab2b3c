"""Benchmark of recall latency among many events of made-up words.

The words are distributed as in a language, a few frequent and most rare, so that questions meet
both long and short posting lists.
"""

import json
import random
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from recollect.engine import Recollect

QUESTIONS: Final = 100
_WARM: Final = 20
_SESSION: Final = 40
_WORDS: Final = 20_000


def measured(
    open_store: Callable[[Path], "Recollect"], count: int, profile: str | None
) -> dict[str, Any]:
    """Fill a store with a given number of events, and time questions on it."""
    chance = random.Random(count)
    words = [_word(number) for number in range(_WORDS)]
    sums = list(accumulate(1 / (number + 10) for number in range(_WORDS)))
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        open_store(Path(folder) / "latency.db") as memory,
    ):
        history = Path(folder) / "history.jsonl"
        with history.open("w", encoding="utf-8") as file:
            for number in range(count):
                said = " ".join(chance.choices(words, cum_weights=sums, k=chance.randrange(5, 30)))
                line = {
                    "id": str(number),
                    "text": said,
                    "author": ("ann", "ben")[number % 2],
                    "session": f"session {number // _SESSION}",
                }
                file.write(json.dumps(line) + "\n")
        start = perf_counter()
        memory.import_(history, format="jsonl")
        written = perf_counter() - start
        questions = [
            " ".join(chance.choices(words, cum_weights=sums, k=6)) for _ in range(QUESTIONS + _WARM)
        ]
        spent = [_ask(memory, question, profile) for question in questions][_WARM:]
    wall, work = [one[0] for one in spent], [one[1] for one in spent]
    return {
        "items": count,
        "write_per_s": round(count / written),
        "query_ms": {"p50": _milliseconds(median(wall)), "p95": _milliseconds(_tail(wall))},
        "work_ms": {"p50": _milliseconds(median(work)), "p95": _milliseconds(_tail(work))},
    }


def _ask(memory: "Recollect", question: str, profile: str | None) -> tuple[float, float]:
    """Wall time and CPU time in seconds: they differ when other processes use the machine."""
    start, worked = perf_counter(), process_time()
    memory.recall(question, limit=10, profile=profile, explicit=False)
    return perf_counter() - start, process_time() - worked


def _tail(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1_000, 2)


def _word(number: int) -> str:
    """A pronounceable word, different for each number."""
    letters = ""
    number += 5_000
    while number:
        number, consonant = divmod(number, 18)
        number, vowel = divmod(number, 5)
        letters += "bcdfghjklmnprstvwz"[consonant] + "aeiou"[vowel]
    return letters
