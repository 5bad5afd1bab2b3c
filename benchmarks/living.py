"""What an assembled context is worth, and what it costs.

python -m benchmarks.living sessions TRANSCRIPTS [--part seen|unseen]
python -m benchmarks.living questions LOCOMO.json [--every 5] [--part seen|unseen]
python -m benchmarks.living levels LOCOMO.json [--part seen|unseen]
python -m benchmarks.living latency [--memories 10000]

``sessions``: sessions are replayed in the order of time. At the start of each a context is
assembled from its first prompt, its branch and its first file; what it needed later are the
memories, known by then, about files that it touched after that. The share of them that stood in
the context, and of those that were told in words.

``questions``: every turn is a memory. Of the gold turns that a recall without limit finds, the
share that an assembled context of 8,000 tokens tells, and the share of questions whose answer's
words, where the gold turns hold them, the context holds.

``levels``: of the questions whose answer's words stand in one gold turn, how many can be answered
from its summary, and how many from its compressed level.

A third of the sessions or questions, chosen by a digest of their ids, is the unseen part.
"""

import argparse
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import recollect
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.index.analyser import query_terms
from recollect.memories.levels import filled_levels
from recollect.observer.observer import Observer
from recollect.surfaces.cli.bench.sets import BenchQuestion, Conversation, read_locomo
from recollect.vocabulary.assembly import Tier
from recollect.vocabulary.errors import Quarantined
from recollect.vocabulary.memory import Levels, Memory
from recollect.vocabulary.memory_types import MemoryType

BUDGET = 8_000


def unseen(name: str) -> bool:
    """Whether something belongs to the third that nobody looks at while working."""
    return hashlib.blake2b(name.encode(), digest_size=2).digest()[0] % 3 == 0


def wanted(name: str, part: str) -> bool:
    """Whether something belongs to the part that is measured."""
    return part == "all" or unseen(name) == (part == "unseen")


def sessions(path: Path, part: str, most: int) -> dict[str, Any]:
    """How much of what sessions needed stood in the context that they began with."""
    needed = given = told = counted = 0
    with tempfile.TemporaryDirectory() as folder:
        memory = recollect.open(Path(folder) / "living.db", user="ada", worker=False)
        memory.agents.set_trust(4)
        for played in sessions_of(acts_of(path))[:most]:
            known = _all_memories(memory)
            first = played.files[:1]
            later = set(played.files[1:])
            about = {one.id for one in known if later.intersection(one.files)}
            if about and wanted(played.name, part):
                signals = {
                    "task": played.prompt[:2_000],
                    "branch": played.branch[:200],
                    "current_file": first[0] if first else None,
                }
                found = memory.assemble(BUDGET, signals)
                entries = {one.id: one.tier for one in found.entries}
                needed += len(about)
                given += len(about & entries.keys())
                told += sum(entries.get(one, Tier.INDEX) is not Tier.INDEX for one in about)
                counted += 1
            observer = Observer(played.name)
            named = memory._services.learner().named_events(
                memory.viewer, memory.space, played.name, played.acts
            )
            for act in named:
                observer.observe(act)
            memory.learning.learn(observer)
        total = len(_all_memories(memory))
        memory.close()
    return {
        "sessions": counted,
        "memories": total,
        "needed": needed,
        "assembled": round(given / max(1, needed), 4),
        "told_in_words": round(told / max(1, needed), 4),
    }


def _all_memories(memory: recollect.Recollect) -> list[Memory]:
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page = memory.list(limit=1_000, cursor=cursor)
        found += [one for one in page.items if one.type is not MemoryType.WORK_STATE]
        cursor = page.next_cursor
        if cursor is None:
            return found


def questions(path: Path, every: int, part: str, most: int) -> dict[str, Any]:
    """What an assembled context tells of what answers, against a recall without limit."""
    gold_found = gold_told = asked = answerable = answered = 0
    for talk in list(read_locomo(path))[:most]:
        chosen = _chosen(talk, part)[::every]
        with tempfile.TemporaryDirectory() as folder:
            memory = recollect.open(Path(folder) / "living.db", user="ada", worker=False)
            turns = _kept(memory, talk)
            texts = {one.id: one.text for one in talk.turns}
            for question in chosen:
                gold = {turns[one] for one in question.gold if one in turns}
                found = memory.recall(question.text, kinds="memory", limit=1_000, explicit=False)
                recalled = gold & {one.id for one in found}
                context = memory.assemble(BUDGET, {"task": question.text})
                entries = {one.id for one in context.entries if one.tier is not Tier.INDEX}
                gold_found += len(recalled)
                gold_told += len(recalled & entries)
                asked += 1
                words = set(query_terms(question.answer))
                held = set(query_terms(" ".join(texts.get(one, "") for one in question.gold)))
                if words and words <= held:
                    answerable += 1
                    answered += words <= set(query_terms(context.context))
            memory.close()
    return {
        "questions": asked,
        "gold_told": round(gold_told / max(1, gold_found), 4),
        "answerable_by_words": answerable,
        "answered_by_words": round(answered / max(1, answerable), 4),
    }


def _kept(memory: recollect.Recollect, talk: Conversation) -> dict[str, str]:
    """Every turn as a memory; what reads like an order is set aside, as it would be."""
    kept: dict[str, str] = {}
    for one in talk.turns:
        with suppress(Quarantined):
            said = f"{one.speaker}: {one.text}"
            kept[one.id] = memory.remember(said, repeats="keep", type="episode").id
    return kept


def _chosen(talk: Conversation, part: str) -> list[BenchQuestion]:
    return [one for one in talk.questions if one.counted and wanted(one.text, part)]


def levels(path: Path, part: str) -> dict[str, Any]:
    """Of questions that one gold turn answers word for word, how many a shorter level answers."""
    counts = {"full": 0, "summary": 0, "compressed": 0}
    tokens = {"full": 0, "summary": 0, "compressed": 0}
    for talk in read_locomo(path):
        texts = {one.id: one.text for one in talk.turns}
        for question in _chosen(talk, part):
            words = set(query_terms(question.answer))
            for turn in question.gold:
                text = texts.get(turn, "")
                if words and words <= set(query_terms(text)):
                    made = filled_levels(text, Levels(), MemoryType.FACT)
                    for name, form, count in (
                        ("full", text, made.full_tokens),
                        ("summary", made.summary or "", made.summary_tokens),
                        ("compressed", made.compressed or "", made.compressed_tokens),
                    ):
                        counts[name] += words <= set(query_terms(form))
                        tokens[name] += count or 0
                    break
    full = max(1, counts["full"])
    return {
        "questions": counts["full"],
        **{name: round(counts[name] / full, 4) for name in ("summary", "compressed")},
        "tokens": {name: round(tokens[name] / full, 1) for name in tokens},
    }


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
            memory.assemble(BUDGET, signals)
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


def main(given: Iterable[str] | None = None) -> None:
    """One measure, as a document."""
    parser = argparse.ArgumentParser(description="What an assembled context is worth.")
    parser.add_argument("measure", choices=["sessions", "questions", "levels", "latency"])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--part", choices=["seen", "unseen", "all"], default="seen")
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--most", type=int, default=1_000, help="Sessions or conversations.")
    parser.add_argument("--memories", type=int, default=10_000)
    asked = parser.parse_args(None if given is None else list(given))
    if asked.measure == "latency":
        result = latency(asked.memories)
    elif asked.measure == "sessions":
        result = sessions(asked.data, asked.part, asked.most)
    elif asked.measure == "levels":
        result = levels(asked.data, asked.part)
    else:
        result = questions(asked.data, asked.every, asked.part, asked.most)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
