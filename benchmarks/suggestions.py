"""How long a suggestion takes among many memos, beside one recall of the same words.

``python -m benchmarks.suggestions [MEMOS]`` makes a store with so many memos, each pointing at a
message, and prints both medians. Every question is asked once, so none is answered from memory.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import recollect
from recollect.vocabulary.events import NewEvent

WORDS = (
    "deploy billing service production staging release pipeline database migration index cache"
    " login token password invoice customer report export import backup restore monitor alert"
    " dashboard metric latency queue worker cluster certificate domain router firewall printer"
    " laptop travel expense holiday contract supplier warehouse shipping refund discount budget"
).split()
ASKED = 200


def question(chance: random.Random) -> str:
    """A question of a few words."""
    return f"how do we {' '.join(chance.sample(WORDS, 4))}?"


def timed(ask: Callable[[str], object], questions: list[str]) -> float:
    """The median milliseconds of asking."""
    taken = []
    for one in questions:
        began = time.perf_counter()
        ask(one)
        taken.append((time.perf_counter() - began) * 1_000)
    return statistics.median(taken)


def main(count: int) -> None:
    """Make the store, and measure."""
    chance = random.Random(7)
    with (
        tempfile.TemporaryDirectory() as folder,
        recollect.open(Path(folder) / "memos.db", worker=False) as memory,
    ):
        asked = [f"{question(chance)} case {number}" for number in range(count)]
        for start in range(0, count, 500):
            events = memory.record_many(
                [NewEvent(text) for text in asked[start : start + 500]], stream="general"
            )
            for event in events:
                memory.remember(
                    f"A conversation about {event.text[10:40]}",
                    type="memo",
                    repeats="keep",
                    events=[event.id],
                    extras={"summary_by": "source", "window": [event.id]},
                )
        questions = [question(chance) for _ in range(2 * ASKED)]
        memory.recall(questions[0])
        memory.workspace.suggest(questions[0])
        recall = timed(lambda text: memory.recall(text, explicit=False), questions[:ASKED])
        suggest = timed(memory.workspace.suggest, questions[ASKED:])
    print(f"{count:,} memos: recall {recall:.1f} ms, suggestion {suggest:.1f} ms (p50)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
