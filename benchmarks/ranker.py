"""Fits the weights of recall's signals, and tells how they do on conversations they never saw.

``python -m benchmarks.ranker FILE ...`` takes sets in the form of ``recollect bench chat`` or of
LoCoMo. Signals come from the product itself: every question is one explained recall. Each file is
one style; a conversation's weights are fitted on all others of all files, so nothing is judged by
weights that saw it. How broad a question is, is fitted the same way: by its form, to whether
several turns answer it. The printed means are what ``recall/profiles.py`` and ``recall/breadth.py``
hold, rounded; a signal that never speaks in these sets comes out as nothing and keeps its weight.
The figures of the shipped weights, which were chosen on all, stand beside.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import recollect
from recollect.recall.breadth import USUAL_BREADTH, BreadthMarks, breadth_marks, breadth_of
from recollect.recall.profiles import BROADER, MEASURED
from recollect.surfaces.cli.bench import measure, sets

STEPS: Final = 200
RATE: Final = 0.05
#: How strongly weights, and what breadth changes in them, are held near nothing.
HELD: Final = 0.002
HELD_BREADTH: Final = 0.003
STEEPNESS: Final = 2.0
NAMES: Final = tuple(MEASURED)
SHIPPED: Final = np.array([MEASURED[name] for name in NAMES])
#: The signals that may be negative; all others can only speak for a turn.
FREE: Final = [
    NAMES.index(name) for name in ("length", "novelty", "asks", "reacts", "past", "first_person")
]
BY_BREADTH: Final = [NAMES.index(name) for name in BROADER]

Matrix = NDArray[np.float64]


class Question(NamedTuple):
    """What was found for one question: a column of signals each, and which are gold."""

    conversation: tuple[str, str]
    signals: Matrix
    gold: NDArray[np.bool_]
    wanted: int
    marks: BreadthMarks
    breadth: float


class Fitted(NamedTuple):
    """Weights of the signals, what the breadth of a question adds, and the marks of breadth."""

    weights: Matrix
    change: Matrix
    marks: Matrix


def questions(path: Path, folder: Path) -> Iterator[Question]:
    """Every question of a file with the signals of what recall found."""
    with recollect.open(folder / f"{path.stem}.db", embedder="static", worker=False) as memory:
        for number, one in enumerate(sets.read_any(path)):
            view = memory.within(space=f"conversation {number}")
            ids, _ = measure.import_turns(view, one, folder / f"{path.stem}-{number}.jsonl")
            for asked in one.questions:
                if not asked.counted:
                    continue
                found = view.recall(asked.text, limit=measure.DEPTH, kinds="event", explain=True)
                signals = np.zeros((len(NAMES), len(found)))
                for column, hit in enumerate(found):
                    for part in hit.why.parts if hit.why else ():
                        signals[NAMES.index(part.signal), column] = part.value
                gold = np.array([ids[hit.id] in asked.gold for hit in found], np.bool_)
                yield Question(
                    (path.name, one.id),
                    signals,
                    gold,
                    len(asked.gold),
                    breadth_marks(asked.text),
                    breadth_of(asked.text),
                )


def fit(some: Sequence[Question]) -> Fitted:
    """Weights under which gold stands above what is not, by steps of Adam."""
    marks = fit_marks(some)
    usable = [one for one in some if one.gold.any() and not one.gold.all()]
    broad = [_breadth(one, marks) - USUAL_BREADTH for one in usable]
    count = len(NAMES)
    held = np.repeat([HELD, HELD_BREADTH], count)
    moves = np.ones(2 * count, np.bool_)
    moves[count:] = False
    moves[[count + place for place in BY_BREADTH]] = True
    weights = np.repeat([1.0, 0.0], count)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = np.zeros_like(weights)
        for one, more in zip(usable, broad, strict=True):
            pull = _slope(one, weights[:count] + more * weights[count:])
            slope += np.concatenate([pull, more * pull])
        slope = slope / max(len(usable), 1) - held * weights
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        scaled = np.sqrt(second / (1 - 0.99**step)) + 1e-8
        weights = np.where(moves, weights + RATE * first / (1 - 0.9**step) / scaled, weights)
        free = weights[FREE]
        weights[:count] = np.maximum(weights[:count], 0)
        weights[FREE] = free
    return Fitted(weights[:count], weights[count:], marks)


def fit_marks(some: Sequence[Question]) -> Matrix:
    """What a question begins with, and what each mark adds, by Newton's steps."""
    given = np.array([(1.0, *one.marks) for one in some])
    several = np.array([float(one.wanted > 1) for one in some])
    held = np.diag([0.0, *[0.003] * len(BreadthMarks._fields)])
    marks = np.zeros(given.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-given @ marks))
        slope = given.T @ (chance - several) / len(several) + held @ marks
        curve = (given.T * (chance * (1 - chance))) @ given / len(several) + held
        marks = marks - np.linalg.solve(curve + 1e-6 * np.eye(len(marks)), slope)
    return np.asarray(marks, np.float64)


def _breadth(one: Question, marks: Matrix) -> float:
    total = float(np.array([1.0, *one.marks]) @ marks)
    return float(1 / (1 + np.exp(-STEEPNESS * total)))


def _slope(one: Question, weights: Matrix) -> Matrix:
    """How the log of each gold turn's chance against all that is not gold changes."""
    scores = weights @ one.signals
    chances = np.exp(scores - scores.max())
    others = np.where(one.gold, 0.0, chances)
    rest = others.sum()
    golden = chances[one.gold]
    wholes = golden + rest
    pull = -others * (1 / wholes).sum()
    pull[one.gold] = 1 - golden / wholes
    return np.asarray(one.signals @ pull / one.gold.sum(), np.float64)


def recall_at(one: Question, weights: Matrix, depth: int) -> float:
    """The share of the gold among the first so many."""
    order = np.argsort(-(weights @ one.signals), kind="stable")[:depth]
    return float(one.gold[order].sum()) / one.wanted


def _by_fit(one: Question, fitted: Fitted) -> Matrix:
    more = _breadth(one, fitted.marks) - USUAL_BREADTH
    return np.asarray(fitted.weights + more * fitted.change, np.float64)


def _as_shipped(one: Question) -> Matrix:
    more = one.breadth - USUAL_BREADTH
    change = np.array([BROADER.get(name, 0.0) for name in NAMES])
    return np.asarray(SHIPPED * (1 + more * change), np.float64)


def main(paths: Sequence[str]) -> None:
    """Fit and tell."""
    with TemporaryDirectory(prefix="recollect-ranker-") as name:
        everything = [one for path in paths for one in questions(Path(path), Path(name))]
    groups = sorted({one.conversation for one in everything})
    left_out: dict[str, list[list[float]]] = {}
    shipped: dict[str, list[list[float]]] = {}
    fitted = []
    for group in groups:
        fits = fit([one for one in everything if _name(one.conversation) != _name(group)])
        fitted.append(fits)
        for one in everything:
            if one.conversation == group:
                for told, weights in (
                    (left_out, _by_fit(one, fits)),
                    (shipped, _as_shipped(one)),
                ):
                    row = [recall_at(one, weights, depth) for depth in (5, 10, 20)]
                    told.setdefault(group[0], []).append(row)
    for file in left_out:
        for label, told in (("left out of the fit", left_out), ("as shipped, if short", shipped)):
            shares = np.mean(told[file], axis=0) * 100
            print(f"{file}, {label}: {' / '.join(f'{share:.1f}' for share in shares)}")
    weights = np.mean([one.weights for one in fitted], axis=0)
    change = np.mean([one.change for one in fitted], axis=0)
    for place, signal in enumerate(NAMES):
        print(f"  {signal:18} {weights[place]:5.2f}  by breadth {change[place]:+5.2f}")
    marks = np.mean([one.marks for one in fitted], axis=0)
    for mark, value in zip(("beginning", *BreadthMarks._fields), marks, strict=True):
        print(f"  {mark:18} {value:+5.2f}")


def _name(conversation: tuple[str, str]) -> str:
    """A conversation told in another style is the same one: its id begins alike."""
    return conversation[1].rstrip("abcdefghijklmnopqrstuvwxyz")


if __name__ == "__main__":
    main(sys.argv[1:])
