"""Fits the weights that predict a session's files, in time order, and writes them as data.

``python -m benchmarks.file_weights DIR [--write]`` reads transcripts and commits, asks about every
session when it begins, and fits a listwise softmax with a penalty on large weights. It prints the
recall on sessions later than those it was fitted on; only then, with ``--write``, the weights.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from recollect.observer.prediction import SETS
from recollect.observer.replay import commits_of, questions, sessions_of, table_of
from recollect.pages.formats.transcripts import acts_of

AT = 10
FOLDS = 5
PENALTY = 2.0
TARGET = Path(__file__).parent.parent / "src" / "recollect" / "observer" / "file_weights.json"

Example = tuple[Any, Any, int]


def examples(data: Path) -> dict[str, list[Example]]:
    """Figures and truth of each session, for each of the sets of weights."""
    found: dict[str, list[Example]] = {name: [] for name in SETS}
    sessions = sessions_of(acts_of(data))
    for question in questions(sessions, commits_of(data)):
        for name, columns in SETS.items():
            seeded, prompted = name != "prompt", name != "files"
            wanted = question.rest | (frozenset() if seeded else frozenset(question.seeds))
            table = table_of(question, seeded=seeded, prompted=prompted)
            rows = [[row.get(column, 0.0) for column in columns] for row in table.values()]
            truth = [float(path in wanted) for path in table]
            if rows:
                found[name].append((np.array(rows), np.array(truth), len(wanted)))
    return found


def fit(data: list[Example], penalty: float = PENALTY, steps: int = 300) -> Any:
    """Weights that make the files a session touched likely among all that are known."""
    kept = [(rows, truth) for rows, truth, _ in data if truth.sum()]
    weights = first = np.zeros(kept[0][0].shape[1])
    second = np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = penalty * weights / len(kept)
        for rows, truth in kept:
            scores = rows @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            pull = rows.T @ (truth / truth.sum() - share)
            slope = slope - np.sqrt(truth.sum()) * pull / len(kept)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        size = np.sqrt(second / (1 - 0.999**step)) + 1e-8
        weights = weights - 0.1 * (first / (1 - 0.9**step)) / size
    return weights


def recall(data: list[Example], weights: Any) -> tuple[float, int]:
    """Hits among the first ten, and how many there were to find."""
    hits = sum(
        float(truth[np.argsort(-(rows @ weights), kind="stable")[:AT]].sum())
        for rows, truth, _ in data
    )
    return hits, sum(count for _, _, count in data)


def main() -> None:
    """Fit, say how good it is on what came later, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    result: dict[str, dict[str, float]] = {}
    for name, data in examples(options.data).items():
        size = len(data) // FOLDS
        found = wanted = 0.0
        for fold in range(1, FOLDS):
            later = data[fold * size : (fold + 1) * size if fold < FOLDS - 1 else len(data)]
            hits, count = recall(later, fit(data[: fold * size]))
            found, wanted = found + hits, wanted + count
        weights = fit(data)
        hits, count = recall(data, weights)
        print(f"{name}: later sessions {found / wanted:.4f}, all {hits / count:.4f}")
        result[name] = {
            key: round(float(one), 3) for key, one in zip(SETS[name], weights, strict=True)
        }
        print(f"  {result[name]}")
    if options.write:
        TARGET.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
