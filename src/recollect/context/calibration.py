"""Step limit of a task, calibrated by planned against actual steps of earlier plans."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from recollect.vocabulary.memory import Memory

LARGEST_FACTOR: Final = 2.0
ABSOLUTE: Final = 1_000


def ratio_of(calibrations: Sequence[Memory]) -> float | None:
    """Ratio of actual to planned steps; each calibration is weighted by how often it was seen."""
    weighed = [
        (float(one.extras["ratio"]), int(one.extras["sample_count"]))
        for one in calibrations
        if "ratio" in one.extras and "sample_count" in one.extras
    ]
    seen = sum(count for _, count in weighed)
    return sum(ratio * count for ratio, count in weighed) / seen if seen else None


def step_limit(base: int, ratio: float | None) -> int:
    """The base limit scaled by the ratio: at least the base, at most twice the base."""
    factor = min(max(ratio or 1.0, 1.0), LARGEST_FACTOR)
    return max(1, min(ceil(base * factor), ABSOLUTE))
