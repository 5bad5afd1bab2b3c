"""Fits the weights of ``observer/signals/telling_score.py`` to turns that a reader judged.

python -m benchmarks.telling_fit TRANSCRIPTS [--labels FILE] [--write]

The labels name sessions and records only; their words stay in the transcripts. What is printed is
measured with whole sessions left out: the share of pairs of a good and a bad turn in the right
order, and how many of the best turns are good.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.claim_fit import Matrix, Row, fitted, matrix, rank_quality
from recollect.engine.for_surfaces import sessions_of
from recollect.engine.transcripts import acts_of
from recollect.observer.observer import Observer
from recollect.observer.signals import telling_score
from recollect.observer.signals.telling import is_others_words
from recollect.observer.signals.turn_candidates import annotated

FOLDS = 15
RIDGE = 5.0
LEAST = 5
LABELS = Path(__file__).parent / "sets" / "judged_turns.tsv"
BEST = (20, 30, 40, 50, 60, 80)


def labels_of(path: Path) -> dict[tuple[str, str], float]:
    """Labels by session and record."""
    lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return {(line[0], line[1]): float(line[2]) for line in lines if not line[0].startswith("#")}


def rows_of(transcripts: Path, labels: dict[tuple[str, str], float]) -> list[Row]:
    """Judged turns with their features; pasted texts of others are never told and left out."""
    named = {session for session, _ in labels}
    rows: list[Row] = []
    for played in sessions_of(acts_of(transcripts)):
        if played.name not in named:
            continue
        observer = Observer(played.name)
        for act in played.acts:
            observer.observe(act)
        for turn in annotated(observer.turns()):
            label = labels.get((played.name, str(turn["event"])))
            if label is not None and not is_others_words(str(turn["words"])):
                found = telling_score.features_of(turn)
                rows.append(Row(found, label, played.name, "judged"))
    return rows


def left_out(rows: Sequence[Row], table: Matrix, labels: Matrix) -> Matrix:
    """Score of each turn by weights that were fitted without its session."""
    order = {name: place % FOLDS for place, name in enumerate(sorted({r.session for r in rows}))}
    folds = np.array([order[one.session] for one in rows])
    scores = np.zeros(len(rows))
    for fold in range(FOLDS):
        out = folds == fold
        scores[out] = table[out] @ fitted(table[~out], labels[~out], RIDGE, np.ones(sum(~out)))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcripts", type=Path)
    parser.add_argument("--labels", type=Path, default=LABELS)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    rows = rows_of(asked.transcripts, labels_of(asked.labels))
    counts = Counter(name for one in rows for name in one.features)
    names = sorted(name for name, count in counts.items() if count >= LEAST)
    table, labels = matrix(rows, names), np.array([one.label for one in rows])
    scores = left_out(rows, table, labels)
    print(f"{len(rows)} turns, {rank_quality(scores, labels):.3f} of the pairs in order")
    ranked = labels[np.argsort(-scores)]
    for best in BEST:
        good, some = np.mean(ranked[:best] >= 1.0), np.mean(ranked[:best] > 0)
        least = np.sort(scores)[-best]
        print(f"best {best} (from {least:.2f}): {good:.2f} good, {some:.2f} at least narrowly")
    if asked.write:
        found = fitted(table, labels, RIDGE, np.ones(len(rows)))
        told = zip([*names, "bias"], map(float, found), strict=True)
        head = "# Fitted by benchmarks/telling_fit.py: feature, weight."
        text = "\n".join([head, *(f"{name}\t{weight:.3f}" for name, weight in told)])
        Path(telling_score.__file__).with_suffix(".tsv").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
