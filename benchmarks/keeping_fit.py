"""Fits the weights of ``observer/signals/keeping_score.py`` to what readers kept.

python -m benchmarks.keeping_fit TRANSCRIPTS [--labels FILE] [--lessons FILE] [--write]

The labels name sessions and records only; their words stay in the transcripts. A memory that tells
the words of a lesson that it cites counts as kept, more weakly. What is printed is measured with
whole sessions left out: the share of pairs of a kept memory and another one in the right order, and
the mean label of what is left when the worst are dropped.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.claim_fit import Matrix, content_words, fitted
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer.candidates import Candidate
from recollect.observer.lesson_figures import AnnotatedLesson, lessons_of
from recollect.observer.observer import Observer
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals import keeping_score
from recollect.observer.signals.review_queue import rank_of
from recollect.observer.signals.turn_candidates import PROMISING, annotated, composed

FOLDS = 20
RIDGE = 10.0
LABELS = Path(__file__).parent / "sets" / "judged_waiting.tsv"
DROPPED = (0.0, 0.1, 0.2, 0.3, 0.4)
#: Weight of a label that follows from a lesson.
OF_LESSON = 2.0
GOOD, BAD = 0.7, 0.31


class Example(NamedTuple):
    """Features of a memory with a label, its weight, and the session that must not be split."""

    features: dict[str, float]
    label: float
    weight: float
    session: str
    judged: bool


def labels_of(path: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Labels with their weights, by session and record."""
    lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return {
        (line[0], line[1]): (float(line[2]), float(line[3]))
        for line in lines
        if not line[0].startswith("#")
    }


def examples_of(
    transcripts: Path,
    labels: dict[tuple[str, str], tuple[float, float]],
    lessons: Sequence[AnnotatedLesson],
) -> Iterator[Example]:
    """Memories that wait for review, with what is known of them."""
    named = {session for session, _ in labels} | {lesson.session for lesson in lessons}
    for played in sessions_of(acts_of(transcripts)):
        if played.name not in named:
            continue
        observer = Observer(played.name)
        for act in played.acts:
            observer.observe(act)
        turns = annotated(observer.turns())
        places = {(int(turn["step"]), str(turn["words"])): turn for turn in turns}
        mine = [lesson for lesson in lessons if lesson.session == played.name]
        for one in composed(turns, Scratchpad(played.name)):
            turn = places.get((one.step, str(one.quote)))
            if turn is None or not one.unsure or one.confidence < PROMISING:
                continue
            features = keeping_score.features_of(one.content, turn, rank_of(one.confidence))
            if one.events and (played.name, one.events[0]) in labels:
                label, weight = labels[played.name, one.events[0]]
                yield Example(features, label, weight, played.name, judged=True)
            if mine:
                label = lesson_label(one, mine)
                yield Example(features, label, OF_LESSON, played.name, judged=False)


def lesson_label(one: Candidate, lessons: Sequence[AnnotatedLesson]) -> float:
    """How well a memory tells one of the lessons of its session."""
    shares = [
        len(content_words(lesson.text) & content_words(one.content))
        / max(1, len(content_words(lesson.text)))
        for lesson in lessons
        if lesson.is_shown_by(one.events)
    ]
    anchored = any(lesson.is_shown_by(one.events[:1]) for lesson in lessons)
    best = max(shares, default=0.0)
    if best >= 1 / 2:
        return 1.0
    if best >= 1 / 3:
        return 0.8 if anchored else 0.5
    return 0.35 if anchored else 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--lessons", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    lessons = lessons_of(asked.lessons) if asked.lessons else []
    found = list(examples_of(asked.transcripts, labels_of(asked.labels), lessons))
    names = sorted(found[0].features)
    table = np.array([[one.features[name] for name in names] for one in found])
    means, widths = table.mean(axis=0), table.std(axis=0) + 1e-9
    table = np.c_[(table - means) / widths, np.ones(len(found))]
    labels = np.array([one.label for one in found])
    weights = np.array([one.weight for one in found])
    _report(found, left_out(found, table, labels, weights), labels)
    if asked.write:
        fit = fitted(table, labels, RIDGE, weights)
        slopes = fit[:-1] / widths
        told = [*zip(names, slopes, strict=True), ("bias", fit[-1] - float(slopes @ means))]
        head = "# Fitted by benchmarks/keeping_fit.py: feature, weight."
        text = "\n".join([head, *(f"{name}\t{weight:.4f}" for name, weight in told)])
        Path(keeping_score.__file__).with_suffix(".tsv").write_text(f"{text}\n", "utf-8")


def left_out(found: Sequence[Example], table: Matrix, labels: Matrix, weights: Matrix) -> Matrix:
    """Score of each memory by weights that were fitted without its session."""
    order = {name: place % FOLDS for place, name in enumerate(sorted({o.session for o in found}))}
    folds = np.array([order[one.session] for one in found])
    scores = np.zeros(len(found))
    for fold in range(FOLDS):
        out = folds == fold
        scores[out] = table[out] @ fitted(table[~out], labels[~out], RIDGE, weights[~out])
    return scores


def _report(found: Sequence[Example], scores: Matrix, labels: Matrix) -> None:
    for judged in (True, False):
        mine = np.array([one.judged is judged for one in found])
        good, bad = scores[mine & (labels >= GOOD)], scores[mine & (labels <= BAD)]
        if not good.size or not bad.size:
            continue
        right = float(np.mean(good[:, None] > bad[None]))
        print(
            f"{'judged' if judged else 'lessons'}: {mine.sum()}, {right:.3f} of the pairs in order"
        )
    mine = np.array([one.judged for one in found])
    for share in DROPPED:
        least = np.quantile(scores[mine], share)
        kept = labels[mine & (scores >= least)]
        print(f"without the worst {share:.0%} (from {least:.2f}): mean label {kept.mean():.3f}")


if __name__ == "__main__":
    main()
