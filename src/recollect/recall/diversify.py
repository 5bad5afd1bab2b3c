"""Maximal marginal relevance: what was said already counts less, by the profile's lambda."""

from collections.abc import Sequence

import numpy as np

from recollect.recall.candidates import RecallCandidate


def ranked(candidates: Sequence[RecallCandidate]) -> list[RecallCandidate]:
    """Best first; ties go to the earlier slot."""
    return sorted(candidates, key=lambda one: (-one.score, one.collection, one.slot))


def diversify(
    candidates: Sequence[RecallCandidate], keep: float, limit: int
) -> list[RecallCandidate]:
    """Order by score, less what the ones before it have said. With ``keep`` at one: as ranked."""
    best = ranked(candidates)
    if keep >= 1 or len(best) < 2:
        return best
    pool, chosen = best[: 3 * limit], list[RecallCandidate]()
    said = np.zeros(len(pool), np.float32)
    scores = np.array([one.score for one in pool], np.float32)
    open_ = np.ones(len(pool), np.bool_)
    while len(chosen) < len(pool):
        gains = np.where(open_, keep * scores - (1 - keep) * said, -np.inf)
        place = int(gains.argmax())
        open_[place] = False
        chosen.append(pool[place])
        said = np.maximum(said, _likeness(pool, pool[place]))
    return [*chosen, *best[3 * limit :]]


def _likeness(
    pool: Sequence[RecallCandidate], one: RecallCandidate
) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """How near each of the pool lies to one; nothing is known where there is no vector."""
    if one.unit is None:
        return np.zeros(len(pool), np.float32)
    return np.array(
        [0.0 if other.unit is None else float(other.unit @ one.unit) for other in pool], np.float32
    )
