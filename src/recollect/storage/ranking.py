"""The highest few of many scores, without sorting the many."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_BLOCK: Final = 64


def highest(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of the highest scores, best first; ties go to the earlier position.

    The best of each block of 64 says which blocks can hold a winner; only those are looked into.
    """
    count = len(scores)
    if limit <= 0 or not count:
        return np.empty(0, np.int64)
    whole = count - count % _BLOCK
    if limit * _BLOCK * 2 < whole:
        tops = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
        blocks = np.argpartition(tops, len(tops) - limit)[len(tops) - limit :]
        inside = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        positions = np.concatenate([np.sort(inside), np.arange(whole, count)])
    else:
        positions = np.arange(count)
    found = scores[positions]
    if limit < len(positions):
        edge = np.partition(found, len(found) - limit)[len(found) - limit]
        chosen = np.flatnonzero(found > edge)
        ties = np.flatnonzero(found == edge)[: limit - len(chosen)]
        kept = np.sort(np.concatenate([chosen, ties]))
        positions, found = positions[kept], found[kept]
    order = np.argsort(-found, kind="stable")
    return positions[order].astype(np.int64)
