"""Fits the weights of recall's signals, and tells how they do on conversations they never saw.

``python -m benchmarks.ranker FILE ...`` takes sets in the form of ``recollect bench chat`` or of
LoCoMo. Signals come from the product itself: every question is one explained recall. Each file is
one style; a conversation's weights are fitted on all others of all files, so nothing is judged by
weights that saw it. The printed mean is what ``recall/profiles.py`` holds, rounded.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import recollect
from recollect.recall.profiles import MEASURED
from recollect.surfaces.cli.bench import measure, sets

STEPS: Final = 120
RATE: Final = 0.05
SHRINK: Final = 0.01
NAMES: Final = tuple(MEASURED)
#: The signals that may be negative; all others can only speak for a turn.
FREE: Final = [NAMES.index(name) for name in ("length", "novelty", "asks", "reacts", "past")]

Matrix = NDArray[np.float64]


class Question(NamedTuple):
    """What was found for one question: a column of signals each, and which are gold."""

    conversation: tuple[str, str]
    signals: Matrix
    gold: NDArray[np.bool_]
    wanted: int


def questions(path: Path, folder: Path) -> Iterator[Question]:
    """Every question of a file with the signals of what recall found."""
    locomo = isinstance(json.loads(path.read_text("utf-8")), list)
    with recollect.open(folder / f"{path.stem}.db", embedder="static", worker=False) as memory:
        for number, one in enumerate((sets.read_locomo if locomo else sets.read_chat)(path)):
            view = memory.within(space=f"conversation {number}")
            ids, _ = measure.import_turns(view, one, folder / f"{path.stem}-{number}.jsonl")
            for asked in one.questions:
                found = view.recall(asked.text, limit=measure.DEPTH, kinds="event", explain=True)
                if not asked.counted or not found.found:
                    continue
                signals = np.zeros((len(NAMES), len(found)))
                for column, hit in enumerate(found):
                    for part in hit.why.parts if hit.why else ():
                        signals[NAMES.index(part.signal), column] = part.value
                gold = np.array([ids[hit.id] in asked.gold for hit in found])
                yield Question((path.name, one.id), signals, gold, len(asked.gold))


def fit(some: Sequence[Question]) -> Matrix:
    """Weights under which gold stands above what is not, by steps of Adam."""
    weights = np.ones(len(NAMES))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    usable = [one for one in some if one.gold.any() and not one.gold.all()]
    for step in range(1, STEPS + 1):
        slope = sum((_slope(one, weights) for one in usable), np.zeros_like(weights))
        slope = slope / max(len(usable), 1) - SHRINK * weights
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        scaled = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        weights = weights + RATE * first / (1 - 0.9**step) / scaled
        free = weights[FREE]
        weights = np.maximum(weights, 0)
        weights[FREE] = free
    return weights


def _slope(one: Question, weights: Matrix) -> Matrix:
    """How the log of each gold turn's chance against all that is not gold changes."""
    scores = weights @ one.signals
    chances = np.exp(scores - scores.max())
    others = np.where(one.gold, 0.0, chances)
    total = np.zeros(len(NAMES))
    for place in np.flatnonzero(one.gold):
        whole = chances[place] + others.sum()
        pull = -others / whole
        pull[place] = 1 - chances[place] / whole
        total += one.signals @ pull
    return np.asarray(total / one.gold.sum(), np.float64)


def recall_at(one: Question, weights: Matrix, depth: int) -> float:
    """The share of the gold among the first so many."""
    order = np.argsort(-(weights @ one.signals), kind="stable")[:depth]
    return float(one.gold[order].sum()) / one.wanted


def main(paths: Sequence[str]) -> None:
    """Fit and tell."""
    with TemporaryDirectory(prefix="recollect-ranker-") as name:
        everything = [one for path in paths for one in questions(Path(path), Path(name))]
    groups = sorted({one.conversation for one in everything})
    figures: dict[str, list[list[float]]] = {}
    fitted = []
    for group in groups:
        weights = fit([one for one in everything if _name(one.conversation) != _name(group)])
        fitted.append(weights)
        for one in everything:
            if one.conversation == group:
                row = [recall_at(one, weights, depth) for depth in (5, 10, 20)]
                figures.setdefault(group[0], []).append(row)
    for file, rows in figures.items():
        shares = np.mean(rows, axis=0) * 100
        print(f"{file}: R@5 {shares[0]:.1f}  R@10 {shares[1]:.1f}  R@20 {shares[2]:.1f}")
    for signal, weight in zip(NAMES, np.mean(fitted, axis=0), strict=True):
        print(f"  {signal:18} {weight:5.2f}")


def _name(conversation: tuple[str, str]) -> str:
    """A conversation told in another style is the same one: its id begins alike."""
    return conversation[1].rstrip("abcdefghijklmnopqrstuvwxyz")


if __name__ == "__main__":
    main(sys.argv[1:])
