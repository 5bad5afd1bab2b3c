"""Step limit of a task, calibrated by planned against actual steps of earlier plans."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from recollect.observer.calibrations import Calibration
from recollect.vocabulary.memory import Memory

LARGEST_FACTOR: Final = 2.0
ABSOLUTE: Final = 1_000


def ratio_of(calibrations: Sequence[Memory], figures: Sequence[Calibration] = ()) -> float | None:
    """Ratio of actual to planned steps, weighted by the number of sessions.

    ``figures`` are counted from the sessions themselves; a memory about the same module is older.
    """
    counted = {one.module for one in figures}
    weighed = [
        (float(one.extras["ratio"]), int(one.extras["sample_count"]))
        for one in calibrations
        if "ratio" in one.extras
        and "sample_count" in one.extras
        and one.extras.get("module") not in counted
    ]
    weighed += [(one.ratio, one.sessions) for one in figures]
    seen = sum(count for _, count in weighed)
    return sum(ratio * count for ratio, count in weighed) / seen if seen else None


def step_limit(base: int, ratio: float | None) -> int:
    """The base limit scaled by the ratio: at least the base, at most twice the base."""
    factor = min(max(ratio or 1.0, 1.0), LARGEST_FACTOR)
    return max(1, min(ceil(round(base * factor, 6)), ABSOLUTE))
