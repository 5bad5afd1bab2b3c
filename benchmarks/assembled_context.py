"""What an assembled context is worth on a part of a set, and what assembling costs.

    python -m benchmarks.assembled_context sessions TRANSCRIPTS [--part seen|unseen]
    python -m benchmarks.assembled_context questions LOCOMO.json [--every 5] [--part seen|unseen]
    python -m benchmarks.assembled_context levels LOCOMO.json [--part seen|unseen]
    python -m benchmarks.assembled_context latency [--memories N] [--contradictions N] [--store S]
    python -m benchmarks.assembled_context summaries FILE [--together 5] [--part seen|unseen]

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
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, nullcontext, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import recollect
from benchmarks.project_notes import ProjectNote, project_notes
from recollect.index.search_index import SearchIndex
from recollect.storage.move.move import move_store
from recollect.surfaces.cli.bench import assembled_contexts
from recollect.surfaces.cli.bench.measure import sampled
from recollect.surfaces.cli.bench.sets import Conversation, read_any, read_locomo
from recollect.vocabulary.errors import Quarantined, SecretRefused
from tests.postgres_server import PostgresServer


def unseen(name: str) -> bool:
    """Whether something belongs to the third that nobody looks at while working."""
    return hashlib.blake2b(name.encode(), digest_size=2).digest()[0] % 3 == 0


def opened(place: Path) -> recollect.Recollect:
    """A store of the measure's own."""
    return recollect.open(place, user="ada", worker=False)


def quiet(done: int, total: int | None, name: str) -> None:
    """No progress is shown."""


_LONGEST = 100_000  # characters of one memory
_WARMING, _MEASURED = 60, 40  # contexts: a process that has worked for a while, and those measured
MEASURES = ["sessions", "questions", "levels", "latency", "summaries"]


def latency(count: int, contradicting: int, store: str) -> dict[str, Any]:
    """Processor time and wall time of assembling among so many memories, beside a recall."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        notes = project_notes(count)
        with recollect.open(folder / "living.db", user="ada", worker=False) as memory:
            _fill(memory, notes, contradicting)
        address = str(folder / "living.db")
        if store == "postgres":
            server = PostgresServer()
            stack.callback(server.stop)
            move_store(address, server.address())
            address = server.address()
        memory = stack.enter_context(recollect.open(address, user="ada", worker=False))
        chance = random.Random(5)
        took = {"wall": list[float](), "cpu": list[float](), "recall": list[float]()}
        for _ in range(_WARMING + _MEASURED):
            one = chance.choice(notes)
            topic = " ".join(chance.choice(notes).text.split()[:6])
            wall, cpu = time.perf_counter(), time.process_time()
            found = memory.assemble(
                assembled_contexts.BUDGET, {"current_file": one.file, "task": f"mend {topic}"}
            )
            took["wall"].append(time.perf_counter() - wall)
            took["cpu"].append(time.process_time() - cpu)
            cpu = time.process_time()
            memory.recall(topic, kinds="memory", explicit=False)
            took["recall"].append(time.process_time() - cpu)
    kept = {name: statistics.median(values[_WARMING:]) for name, values in took.items()}
    return {
        "memories": count,
        "store": store,
        "open_contradictions": found.open_contradictions,
        "assemble_p50_ms": round(kept["wall"] * 1e3, 1),
        "assemble_cpu_p50_ms": round(kept["cpu"] * 1e3, 1),
        "recall_cpu_p50_ms": round(kept["recall"] * 1e3, 1),
        "recalls_that_one_assemble_costs": round(kept["cpu"] / kept["recall"], 1),
    }


def _fill(memory: recollect.Recollect, notes: Sequence[ProjectNote], contradicting: int) -> None:
    """Keep the notes; so many pairs of further ones contradict each other."""
    chance = random.Random(3)
    for one in notes:
        with suppress(Quarantined, SecretRefused):
            memory.remember(
                one.text,
                type=one.kind,
                files=[one.file],
                modules=[one.module],
                importance=chance.random(),
                repeats="keep",
            )
    for number in range(contradicting):
        for port in (8_000, 9_000):
            memory.remember(f"Server number {number} listens on port {port + number}.")
    memory.work(3_600)


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
    parser.add_argument("--contradictions", type=int, default=0, help="open pairs beside them")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    asked = parser.parse_args(None if given is None else list(given))

    def wanted(name: str) -> bool:
        part: str = asked.part
        return part == "all" or unseen(name) == (part == "unseen")

    if asked.measure == "latency":
        result = latency(asked.memories, asked.contradictions, asked.store)
    elif asked.measure == "summaries":
        result = summaries(asked.data, asked.together, asked.every, wanted)
    elif asked.measure == "sessions":
        result = assembled_contexts.sessions(asked.data, opened, quiet, wanted)
    elif asked.measure == "levels":
        result = assembled_contexts.levels(read_locomo(asked.data), wanted)
    else:
        talks = sampled(read_locomo(asked.data), asked.every)
        result = assembled_contexts.questions(talks, opened, quiet, wanted)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
