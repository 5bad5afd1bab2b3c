"""What an assembled context is worth on a part of a set, and what assembling costs.

    python -m benchmarks.living sessions TRANSCRIPTS [--part seen|unseen]
    python -m benchmarks.living questions LOCOMO.json [--every 5] [--part seen|unseen]
    python -m benchmarks.living levels LOCOMO.json [--part seen|unseen]
    python -m benchmarks.living latency [--memories 10000]
    python -m benchmarks.living summaries CONVERSATIONS [--together 5] [--part seen|unseen]

The measures are those of ``recollect bench living``. A third of the sessions or questions, chosen
by a digest of their ids, is the unseen part.
"""

import argparse
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import recollect
from recollect.index.search_index import SearchIndex
from recollect.surfaces.cli.bench import living
from recollect.surfaces.cli.bench.measure import sampled
from recollect.surfaces.cli.bench.sets import Conversation, read_any, read_locomo
from recollect.vocabulary.errors import Quarantined, SecretRefused


def unseen(name: str) -> bool:
    """Whether something belongs to the third that nobody looks at while working."""
    return hashlib.blake2b(name.encode(), digest_size=2).digest()[0] % 3 == 0


def opened(place: Path) -> recollect.Recollect:
    """A store of the measure's own."""
    return recollect.open(place, user="ada", worker=False)


def quiet(done: int, total: int | None, name: str) -> None:
    """No progress is shown."""


_LONGEST = 100_000  # characters of one memory
MEASURES = ["sessions", "questions", "levels", "latency", "summaries"]
_WORDS = (
    "auth login token database deploy queue worker cache parser render session cookie budget "
    "invoice payment retry timeout schema migration lint build stage release branch merge review"
).split()
_KINDS = "decision preference pattern requirement gotcha error_pattern module_insight fact".split()


def latency(count: int) -> dict[str, Any]:
    """How long assembling takes among so many memories."""
    chance = random.Random(17)
    with tempfile.TemporaryDirectory() as folder:
        memory = recollect.open(Path(folder) / "living.db", user="ada", worker=False)
        for number in range(count):
            a, b, c, d, e, f = chance.sample(_WORDS, 6)
            memory.remember(
                f"The {a} of {b} number {number} waits for {c} and {d}, and keeps {e} {f} apart.",
                type=chance.choice(_KINDS),
                files=[f"src/{a}/{b}.py"],
                modules=[f"src/{a}"],
                importance=chance.random(),
                repeats="keep",
            )
        memory.work(3_600)
        took = {"wall": list[float](), "cpu": list[float](), "recall": list[float]()}
        for _ in range(60):
            a, b, c, d = chance.sample(_WORDS, 4)
            signals = {"current_file": f"src/{a}/{b}.py", "task": f"mend the {c} of {d}"}
            wall, cpu = time.perf_counter(), time.process_time()
            memory.assemble(living.BUDGET, signals)
            took["wall"].append(time.perf_counter() - wall)
            took["cpu"].append(time.process_time() - cpu)
            cpu = time.process_time()
            memory.recall(f"the {c} of {d}", kinds="memory", explicit=False)
            took["recall"].append(time.process_time() - cpu)
        memory.close()
    kept = {name: values[20:] for name, values in took.items()}
    return {
        "memories": count,
        "assemble_p50_ms": round(statistics.median(kept["wall"]) * 1e3, 1),
        "assemble_cpu_p50_ms": round(statistics.median(kept["cpu"]) * 1e3, 1),
        "recall_cpu_p50_ms": round(statistics.median(kept["recall"]) * 1e3, 1),
    }


def summaries(path: Path, together: int, every: int, wanted: Callable[[str], bool]) -> Any:
    """What the vectors of summaries win: so many turns at a time are one memory, and each question
    is one recall, with them and without. R@10 in percent."""
    found: dict[str, list[float]] = {"without": [], "with": []}
    cost: dict[str, list[float]] = {"without": [], "with": []}
    for talk in sampled([one for one in read_any(path) if wanted(one.id)], every):
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "kept.db") as memory:
            held = _kept(memory, talk, together)
            memory.recall("warm", kinds="memory", explicit=False)
            for number, question in enumerate(talk.questions):
                gold = {held[one] for one in question.gold if one in held}
                if not gold or not question.counted:
                    continue
                for name in ("with", "without") if number % 2 else ("without", "with"):
                    with _no_summaries() if name == "without" else nullcontext():
                        begun = time.process_time()
                        got = memory.recall(question.text, kinds="memory", explicit=False)
                        cost[name].append(time.process_time() - begun)
                        found[name].append(len(gold & {one.id for one in got}) / len(gold))
    return {
        "questions": len(found["with"]),
        "r10": {name: round(100 * statistics.mean(values), 1) for name, values in found.items()},
        "cpu_p50_ms": {
            name: round(1e3 * statistics.median(values), 2) for name, values in cost.items()
        },
    }


def _kept(memory: recollect.Recollect, talk: Conversation, together: int) -> dict[str, str]:
    """The memory that holds each turn."""
    held = dict[str, str]()
    for start in range(0, len(talk.turns), together):
        turns = talk.turns[start : start + together]
        text = "\n".join(f"{one.speaker}: {one.text}" for one in turns)
        try:
            kept = memory.remember(text[:_LONGEST], type="episode", repeats="keep")
        except (Quarantined, SecretRefused):  # what such a text answers is not asked
            continue
        held |= {one.id: kept.id for one in turns}
    memory.work(3_600)
    return held


def _no_summaries() -> Any:
    return patch.object(SearchIndex, "_summaries", staticmethod(lambda *_: None))


def main(given: Iterable[str] | None = None) -> None:
    """One measure, as a document."""
    parser = argparse.ArgumentParser(description="What an assembled context is worth.")
    parser.add_argument("measure", choices=MEASURES)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--part", choices=["seen", "unseen", "all"], default="seen")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--together", type=int, default=5)
    parser.add_argument("--memories", type=int, default=10_000)
    asked = parser.parse_args(None if given is None else list(given))

    def wanted(name: str) -> bool:
        part: str = asked.part
        return part == "all" or unseen(name) == (part == "unseen")

    if asked.measure == "latency":
        result = latency(asked.memories)
    elif asked.measure == "summaries":
        result = summaries(asked.data, asked.together, asked.every, wanted)
    elif asked.measure == "sessions":
        result = living.sessions(asked.data, opened, quiet, wanted)
    elif asked.measure == "levels":
        result = living.levels(read_locomo(asked.data), wanted)
    else:
        talks = sampled(read_locomo(asked.data), asked.every)
        result = living.questions(talks, opened, quiet, wanted)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
