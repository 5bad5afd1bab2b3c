"""Top-k selection: the highest few of many scores, without sorting all."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_DEPTH: Final = 64


def highest(scores: NDArray[np.float32], limit: int, *, above: float) -> NDArray[np.int64]:
    """Positions of the highest scores above a threshold, best first; ties go to the earlier
    position.

    The scores are arranged in 64 rows; the maximum of each column says which columns can contain a
    winner, and only those are examined.
    """
    if limit <= 0:
        return np.empty(0, np.int64)
    width = len(scores) // _DEPTH
    if width < limit * 4:
        return _sorted(scores, np.arange(len(scores)), limit, above)
    layered = width * _DEPTH
    columns = _leading(scores[:layered].reshape(_DEPTH, width).max(axis=0), limit, above)
    inside = (np.arange(0, layered, width)[:, None] + columns).ravel()
    positions = np.concatenate([inside, np.arange(layered, len(scores))])
    return _sorted(scores, positions, limit, above)


def _sorted(
    scores: NDArray[np.float32], positions: NDArray[np.int64], limit: int, above: float
) -> NDArray[np.int64]:
    """The best of these positions, which are ascending."""
    found = scores[positions]
    kept = _leading(found, limit, above)
    best: NDArray[np.int64] = positions[kept[np.argsort(-found[kept], kind="stable")[:limit]]]
    return best


def _leading(scores: NDArray[np.float32], limit: int, above: float) -> NDArray[np.int64]:
    """Positions above the threshold that score no less than the k-th highest, ascending."""
    over = np.flatnonzero(scores > above)
    if len(over) <= limit:
        return over
    found = scores[over]
    place = len(found) - limit
    leading: NDArray[np.int64] = over[found >= np.partition(found, place)[place]]
    return leading
