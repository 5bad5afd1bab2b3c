"""Means, shares and differences with confidence intervals, without a statistics library.

Means are compared by ranks, which a few very long sessions do not distort, and their differences
are reported with Welch's interval; shares are compared by the pooled score test, and reported with
Newcombe's interval.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean, variance
from typing import Final

_NORMAL: Final = NormalDist()
_SURE: Final = 0.95

Interval = tuple[float, float]


def mean_interval(values: Sequence[float]) -> Interval:
    """The interval of a mean."""
    if len(values) < 2:
        return -math.inf, math.inf
    middle, error = fmean(values), math.sqrt(variance(values) / len(values))
    reach = _t(len(values) - 1) * error
    return middle - reach, middle + reach


def share_interval(part: int, whole: int) -> Interval:
    """Wilson's interval of a share."""
    z = _NORMAL.inv_cdf(0.5 + _SURE / 2)
    if not whole:
        return 0.0, 1.0
    share, scale = part / whole, 1 + z * z / whole
    middle = (share + z * z / (2 * whole)) / scale
    reach = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole)) / scale
    return max(0.0, middle - reach), min(1.0, middle + reach)


def mean_difference(one: Sequence[float], other: Sequence[float]) -> tuple[float, Interval]:
    """How much larger the first mean is, with Welch's interval."""
    difference = fmean(one) - fmean(other)
    parts = [variance(each) / len(each) for each in (one, other)]
    error = math.sqrt(sum(parts))
    if not error:
        return difference, (difference, difference)
    degrees = sum(parts) ** 2 / sum(
        part**2 / (len(each) - 1) for part, each in zip(parts, (one, other), strict=True)
    )
    reach = _t(degrees) * error
    return difference, (difference - reach, difference + reach)


def share_difference(one: tuple[int, int], other: tuple[int, int]) -> tuple[float, Interval]:
    """How much larger the first share is, with Newcombe's interval; each is a part and a whole."""
    shares = one[0] / one[1], other[0] / other[1]
    (low, high), (less, more) = share_interval(*one), share_interval(*other)
    difference = shares[0] - shares[1]
    down = math.sqrt((shares[0] - low) ** 2 + (more - shares[1]) ** 2)
    up = math.sqrt((high - shares[0]) ** 2 + (shares[1] - less) ** 2)
    return difference, (difference - down, difference + up)


def rank_chance(one: Sequence[float], other: Sequence[float]) -> float:
    """p-value of a difference: Mann-Whitney test, corrected for ties."""
    every = sorted([*one, *other])
    ranks: dict[float, float] = {}
    ties = 0.0
    start = 0
    while start < len(every):
        end = start
        while end < len(every) and every[end] == every[start]:
            end += 1
        ranks[every[start]] = (start + end + 1) / 2
        ties += float(end - start) ** 3 - (end - start)
        start = end
    n, m = len(one), len(other)
    larger = sum(ranks[value] for value in one) - n * (n + 1) / 2
    spread = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    if spread <= 0:
        return 1.0
    return _two_sided(max(0.0, abs(larger - n * m / 2) - 0.5) / math.sqrt(spread))


def share_chance(one: tuple[int, int], other: tuple[int, int]) -> float:
    """p-value of the difference of two shares, by the pooled score test."""
    pooled = (one[0] + other[0]) / (one[1] + other[1])
    spread = pooled * (1 - pooled) * (1 / one[1] + 1 / other[1])
    if spread <= 0:
        return 1.0
    apart = abs(one[0] / one[1] - other[0] / other[1])
    steady = (1 / one[1] + 1 / other[1]) / 2
    return _two_sided(max(0.0, apart - steady) / math.sqrt(spread))


def adjusted(chances: Sequence[float]) -> list[float]:
    """p-values corrected by Holm's method, for several comparisons at once."""
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    raised = [0.0] * len(chances)
    most = 0.0
    for number, place in enumerate(order):
        most = max(most, min(1.0, chances[place] * (len(chances) - number)))
        raised[place] = most
    return raised


def _two_sided(z: float) -> float:
    return 2 * (1 - _NORMAL.cdf(z))


def _t(degrees: float) -> float:
    """Quantile of Student's distribution, by its expansion around the normal one."""
    z = _NORMAL.inv_cdf(0.5 + _SURE / 2)
    first = (z**3 + z) / (4 * degrees)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
    return z + first + second
