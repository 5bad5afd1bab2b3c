"""Fits the weights by which interleaved conversations are told apart.

``python -m benchmarks.fit_windows FILE...`` reads channels whose conversations are known (XML with
``conversation_id``, ``ts``, ``user``, ``text``) and prints the weights for
``recollect.workspace.disentangle``. The model is a choice: for each message, one of the
conversations that are under way, or none.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.surfaces.cli.bench.workspace import ChannelMessage, read_channel
from recollect.workspace.disentangle import FEATURES, OPENINGS, Disentangler, Utterance

ROUNDS = 400
RATE = 0.05
SHRINK = 1e-4

Array = NDArray[np.float64]


def choices(
    messages: Sequence[ChannelMessage],
) -> tuple[Array, NDArray[np.int64], NDArray[np.bool_]]:
    """Every choice of every message as a row, where each message begins, which rows are right.

    The conversations under way are the true ones, as far as they have come.
    """
    rows: list[Array] = []
    starts: list[int] = []
    right: list[bool] = []
    truth: list[int] = []
    first: dict[str, int] = {}
    for place, one in enumerate(messages):
        truth.append(first.setdefault(one.conversation, place))

    def chosen(place: int, numbers: Sequence[int], beside: Array, opening: Array) -> int | None:
        table = np.zeros((len(numbers) + 1, len(FEATURES) + len(OPENINGS)))
        table[:-1, : len(FEATURES)] = beside
        table[-1, len(FEATURES) :] = opening
        same = [number == truth[place] for number in numbers]
        starts.append(len(right))
        rows.append(table)
        right.extend([*same, not any(same)])
        return None if truth[place] == place else truth[place]

    said = [Utterance(str(i), one.author, one.at, one.text) for i, one in enumerate(messages)]
    Disentangler(said).labels(chosen)
    return np.concatenate(rows), np.array(starts), np.array(right)


def fit(table: Array, starts: NDArray[np.int64], right: NDArray[np.bool_]) -> Array:
    """The weights that make the right choices likeliest, by Adam on all of them."""
    weights = np.zeros(table.shape[1])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    sizes = np.diff(np.append(starts, len(table)))
    for step in range(1, ROUNDS + 1):
        scores = table @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        raised = np.exp(scores)
        chance = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
        hit = raised * right
        wanted = hit / np.repeat(np.maximum(np.add.reduceat(hit, starts), 1e-300), sizes)
        slope = (chance - wanted) @ table / len(starts) + SHRINK * weights
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        rate = RATE * min(1.0, 2.0 * (1.0 - step / ROUNDS) + 0.02)
        weights -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def main(paths: Sequence[str]) -> None:
    """Fit on the files and print."""
    parts = [choices(read_channel(Path(path))) for path in paths]
    offset, starts = 0, []
    for table, begin, _ in parts:
        starts.append(begin + offset)
        offset += len(table)
    weights = fit(
        np.concatenate([one[0] for one in parts]),
        np.concatenate(starts),
        np.concatenate([one[2] for one in parts]),
    )
    for name, weight in zip((*FEATURES, *OPENINGS), weights.tolist(), strict=True):
        print(f'    "{name}": {weight:.3f},')


if __name__ == "__main__":
    main(sys.argv[1:])
