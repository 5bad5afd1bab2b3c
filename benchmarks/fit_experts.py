"""Fits the weights by which people are ranked who may answer a question.

``python -m benchmarks.fit_experts FILE...`` replays channels (see ``recollect bench workspace``),
asks every question of them before it is answered, and fits a choice among all who spoke before. It
prints the weights for ``recollect.workspace.people``, and the share of true answerers among the
first five with cases left out.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from recollect.surfaces.cli.bench.workspace import questions_of, read_channels, replayed
from recollect.workspace.people import FIGURES

ROUNDS = 400
RATE = 0.05
SHRINK = 3e-3
AT = 5

Case = tuple[Any, Any, int]


def cases(paths: Sequence[Path]) -> list[Case]:
    """For each question: figures of everybody but the asker, who answered, how many did."""
    messages = read_channels(paths)
    questions = {one.place: one for one in questions_of(messages)}
    found: list[Case] = []

    def opener(path: Path, clock: Any) -> recollect.Recollect:
        return recollect.open(path, space="bench", worker=False, clock=clock)

    with tempfile.TemporaryDirectory() as folder:
        for memory, stop, _ in replayed(messages, opener, sorted(questions), Path(folder)):
            if stop == len(messages):
                continue
            asked = messages[stop]
            experts = memory.workspace._services.experts
            users, table = experts.figures(memory.viewer, memory.space, asked.text, asked.author)
            kept = [row for row, user in enumerate(users) if user != asked.author]
            truth = np.array([users[row] in questions[stop].answerers for row in kept])
            found.append((table[kept], truth, len(questions[stop].answerers)))
    return found


def fit(train: Sequence[Case]) -> Any:
    """The weights that make the true answerers likeliest."""
    spread = np.concatenate([table for table, _, _ in train]).std(axis=0) + 1e-9
    scaled = [(table / spread, truth) for table, truth, _ in train if truth.any()]
    weights = np.zeros(len(FIGURES))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, ROUNDS + 1):
        slope = SHRINK * weights
        for table, truth in scaled:
            scores = table @ weights
            raised = np.exp(scores - scores.max())
            slope = slope + (raised / raised.sum() - truth / truth.sum()) @ table / len(scaled)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        weights = weights - RATE * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.999**step)) + 1e-8
        )
        weights = np.maximum(weights, 0.0)  # nothing of this speaks against anyone
    return weights / spread


def share(test: Sequence[Case], weights: Any) -> list[float]:
    """The share of the true answerers among the first five, question by question."""
    return [
        float(truth[np.argsort(-(table @ weights), kind="stable")[:AT]].sum()) / count
        for table, truth, count in test
    ]


def main(paths: Sequence[str]) -> None:
    """Fit, with a fifth left out in turn, and on all."""
    found = cases([Path(path) for path in paths])
    out: list[float] = []
    for part in range(5):
        train = [one for place, one in enumerate(found) if place % 5 != part]
        out += share([one for place, one in enumerate(found) if place % 5 == part], fit(train))
    weights = fit(found)
    kept = float(np.mean(share(found, weights)))
    print(f"# {len(found)} questions: {np.mean(out):.3f} left out, {kept:.3f} in")
    for name, weight in zip(FIGURES, weights.tolist(), strict=True):
        print(f'    "{name}": {weight:.3f},')


if __name__ == "__main__":
    main(sys.argv[1:])
