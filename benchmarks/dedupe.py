"""``python -m benchmarks.dedupe``: how well repeats are told from claims that only look alike.

The pairs are in ``benchmarks/sets/``: the rules were written with ``paraphrases.tsv`` in view, and
made more general with ``_later`` and ``_last``; ``_fresh`` was written after and measured once.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.inference.static_embedder import StaticEmbedder
from recollect.memories.text_comparison import (
    NEAR_BITS,
    alike,
    are_distinct,
    distance,
    read,
    simhash,
)

SETS = Path(__file__).parent / "sets"
Judge = Callable[[str, str], bool]


class Pair(NamedTuple):
    """Two texts, and whether they make one claim."""

    duplicate: bool
    first: str
    second: str


class Result(NamedTuple):
    """How a judge did."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def pairs(name: str) -> list[Pair]:
    """The pairs of a set."""
    lines = (SETS / name).read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return [Pair(label == "duplicate", first, second) for label, first, second in rows]


def judged(judge: Judge, given: Sequence[Pair]) -> Result:
    """Ask a judge about every pair."""
    said = [(pair.duplicate, judge(pair.first, pair.second)) for pair in given]
    return Result(
        sum(truth and word for truth, word in said),
        sum(word and not truth for truth, word in said),
        sum(truth and not word for truth, word in said),
    )


def judges() -> dict[str, Judge]:
    """SimHash alone, a plain cosine for comparison, and both looks as the write path has them."""
    words = StaticEmbedder()

    def by_hash(first: str, second: str) -> bool:
        return distance(simhash(first), simhash(second)) <= NEAR_BITS

    def by_cosine(first: str, second: str) -> bool:
        one, other = words.embed([first, second])
        return float(one @ other) >= 0.9

    def both(first: str, second: str) -> bool:
        if by_hash(first, second) and not are_distinct(read(first), read(second)):
            return True
        return alike(first, second, words.word_vectors)

    return {"SimHash alone": by_hash, "cosine >= 0.9": by_cosine, "with the semantic look": both}


def main() -> None:
    """Print the table, and with --show every pair that was judged wrongly."""
    parser = argparse.ArgumentParser("python -m benchmarks.dedupe", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what was judged wrongly")
    options = parser.parse_args()
    for name in (
        "paraphrases.tsv",
        "paraphrases_later.tsv",
        "paraphrases_last.tsv",
        "paraphrases_fresh.tsv",
    ):
        given = pairs(name)
        same = sum(pair.duplicate for pair in given)
        print(f"\n{name}: {same} duplicate, {len(given) - same} distinct pairs")
        print(f"{'':<24}{'precision':>10}{'recall':>8}{'CPU a pair':>14}")
        for label, judge in judges().items():
            start = time.process_time()
            result = judged(judge, given)
            cpu = (time.process_time() - start) / len(given) * 1e6
            print(f"{label:<24}{result.precision:>10.3f}{result.recall:>8.3f}{cpu:>11.0f} us")
            if options.show and "look" in label:
                for pair in given:
                    if judge(pair.first, pair.second) != pair.duplicate:
                        kind = "missed" if pair.duplicate else "wrongly merged"
                        print(f"  {kind}: {pair.first} | {pair.second}")


if __name__ == "__main__":
    main()
