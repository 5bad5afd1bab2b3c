"""This version beside an earlier one, asked the same questions in turns.

    git worktree add ../before VERSION
    python -m benchmarks.version_comparison --before ../before/src --items 10000
    python -m benchmarks.version_comparison --before ../before/src --data locomo.json

Two processes, one with the earlier code and one with this, open a copy each of the same store and
are asked each question one after the other. A pair of answers gives a ratio of processor time,
whose median hardly depends on what else the machine does, and says whether what came back is the
same: ids, scores and passages to the last bit.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import recollect
from benchmarks.texts import questions, sentences
from recollect.inference.static_embedder import StaticEmbedder
from recollect.surfaces.cli.bench.measure import import_turns
from recollect.surfaces.cli.bench.sets import read_any

_WORDS: Final = 20_000
_SESSION: Final = 40
_WARM: Final = 20
_NOW: Final = datetime(2030, 1, 1, tzinfo=UTC)


class Question(NamedTuple):
    """One question, and the space that is asked."""

    space: str
    text: str


def main() -> int:
    """Fill a store, ask both versions, print what differs."""
    parser = argparse.ArgumentParser("python -m benchmarks.version_comparison", description=__doc__)
    parser.add_argument("--before", type=Path, help="the folder src of an earlier version")
    parser.add_argument("--items", type=int, default=0, help="so many events of made-up words")
    parser.add_argument("--memories", type=int, default=0, help="so many memories")
    parser.add_argument("--data", type=Path, action="append", default=[], help="a set of chats")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--store", type=Path, help="keep the store here for the next run")
    parser.add_argument("--answers", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answers:
        answer(options.answers, options.limit)
        return 0
    with tempfile.TemporaryDirectory(prefix="recollect-versions-") as folder:
        store = options.store or Path(folder) / "store.db"
        asked = filled(store, options)
        return compared(store, asked, options, Path(folder))


def filled(store: Path, options: argparse.Namespace) -> list[Question]:
    """Fill the store, unless that was done before; the questions to ask."""
    listed = store.with_suffix(".json")
    if listed.exists():
        return [Question(*one) for one in json.loads(listed.read_text("utf-8"))]
    asked: list[Question] = []
    with recollect.open(store, worker=False) as memory:
        for place, path in enumerate(options.data):
            for number, one in enumerate(read_any(path)):
                space = f"{place} {number}"
                lines = store.with_suffix(".jsonl")
                import_turns(memory.within(space=space), one, lines)
                asked += [Question(space, each.text) for each in one.questions]
        if options.items:
            asked += _made_up(memory, store.with_suffix(".jsonl"), options)
        if options.memories:
            memory.chat.set(soft_cap=1_000_000)
            for text in sentences(options.memories):
                memory.chat.add(text)
            asked += [Question("default", text) for text in questions(options.questions + _WARM)]
        memory.work(600)
    listed.write_text(json.dumps(asked), "utf-8")
    return asked


def _made_up(
    memory: recollect.Recollect, lines: Path, options: argparse.Namespace
) -> list[Question]:
    chance = random.Random(options.items)
    words = [f"{_syllables(number)}" for number in range(_WORDS)]
    sums = list(accumulate(1 / (number + 10) for number in range(_WORDS)))

    def drawn(count: int) -> str:
        return " ".join(chance.choices(words, cum_weights=sums, k=count))

    with lines.open("w", encoding="utf-8") as file:
        for number in range(options.items):
            line = {
                "id": str(number),
                "text": drawn(chance.randrange(5, 30)),
                "author": ("ann", "ben")[number % 2],
                "session": f"session {number // _SESSION}",
            }
            file.write(json.dumps(line) + "\n")
    memory.import_(lines, format="jsonl")
    return [Question("default", drawn(6)) for _ in range(options.questions + _WARM)]


def _syllables(number: int) -> str:
    letters = ""
    number += 5_000
    while number:
        number, consonant = divmod(number, 18)
        number, vowel = divmod(number, 5)
        letters += "bcdfghjklmnprstvwz"[consonant] + "aeiou"[vowel]
    return letters


def compared(
    store: Path, asked: Sequence[Question], options: argparse.Namespace, folder: Path
) -> int:
    """Ask both versions every question in turns, and print the figures; 1 where answers differ."""
    trees = {"before": options.before, "now": Path(recollect.__file__).parent.parent}
    times: dict[str, list[float]] = {name: [] for name in trees}
    first: dict[str, float] = {}
    different = []
    with (
        _asking(trees["before"], store, folder / "before.db", options.limit) as before,
        _asking(trees["now"], store, folder / "now.db", options.limit) as now,
    ):
        for number, question in enumerate(asked):
            told = {}
            pair = {"before": before, "now": now}
            for name in sorted(pair, reverse=bool(number % 2)):  # each goes first half the time
                told[name] = _asked(pair[name], question)
                times[name].append(told[name]["seconds"])
                first.setdefault(name, told[name]["seconds"])
            if told["before"]["found"] != told["now"]["found"]:
                different.append(question.text)
    times = {name: some[_WARM:] for name, some in times.items()}
    ratios = [later / earlier for earlier, later in zip(*times.values(), strict=True)]
    for name, some in times.items():
        print(
            f"{name:6} {1_000 * median(some):7.3f} ms of processor time, median; "
            f"the first question {1_000 * first[name]:.0f} ms"
        )
    print(f"ratio  {median(ratios):7.3f}, median of {len(ratios):,} pairs")
    print(f"{len(different)} of {len(asked):,} answers differ")
    for text in different[:5]:
        print(f"  {text}")
    return 1 if different else 0


@contextmanager
def _asking(tree: Path, store: Path, copy: Path, limit: int) -> "Iterator[subprocess.Popen[str]]":
    """A process with this code and its own copy of the store."""
    shutil.copy(store, copy)
    command = [sys.executable, __file__, "--answers", str(copy), "--limit", str(limit)]
    root = Path(__file__).parent.parent
    paths = os.pathsep.join([str(tree.resolve()), str(root)])
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def _asked(process: "subprocess.Popen[str]", question: Question) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    told: dict[str, Any] = json.loads(process.stdout.readline())
    return told


def answer(store: Path, limit: int) -> None:
    """Answer the questions of the standard input, one a line, until it ends."""
    embedder = StaticEmbedder()
    embedder.embed([_syllables(number) for number in range(_WORDS)])  # as after an import
    with recollect.open(store, worker=False, embedder=embedder, clock=lambda: _NOW) as memory:
        views: dict[str, recollect.Recollect] = {}
        for line in sys.stdin:
            space, text = json.loads(line)
            view = views.setdefault(space, memory.within(space=space))
            started = time.process_time()
            found = view.recall(text, limit=limit, explicit=False)
            seconds = time.process_time() - started
            rows = [
                (
                    *(one.id, one.score, one.keyword_score, one.keyword_rank, one.vector_score),
                    *(one.vector_rank, one.passage, one.text),
                )
                for one in found
            ]
            told = [rows, list(found.missing), list(found.notes), found.weak]
            print(json.dumps({"seconds": seconds, "found": told}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
