"""A measure: ours beside a baseline, taken in turns, told as a ratio with its target."""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """What a ratio should be."""

    bound: float
    at_most: bool

    def met(self, ratio: float) -> bool:
        """Whether a ratio is good enough."""
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    def __str__(self) -> str:
        return f"{'at most' if self.at_most else 'at least'} {self.bound:g}"


def at_most(bound: float) -> Target:
    """The ratio may not be more."""
    return Target(bound, at_most=True)


def at_least(bound: float) -> Target:
    """The ratio may not be less."""
    return Target(bound, at_most=False)


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table. Without a target it is only told."""

    what: str
    ours: str
    baseline: str
    ratio: float
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        return None if self.target is None else self.target.met(self.ratio)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "what": self.what,
            "ours": self.ours,
            "baseline": self.baseline,
            "ratio": round(self.ratio, 4),
            "target": None if self.target is None else str(self.target),
            "met": self.met,
        }


def in_turns(rounds: int, *acts: Callable[[int], object]) -> list[list[float]]:
    """Seconds of each act in each round, the acts taking turns; the first go is left out."""
    seconds: list[list[float]] = [[] for _ in acts]
    gc.collect()
    for number in range(rounds + 1):
        for act, kept in zip(acts, seconds, strict=True):
            started = perf_counter()
            act(number)
            kept.append(perf_counter() - started)
    return [kept[1:] for kept in seconds]


def medians(rounds: int, *acts: Callable[[int], object]) -> list[float]:
    """The median seconds of each act."""
    return [median(kept) for kept in in_turns(rounds, *acts)]


def time_text(seconds: float) -> str:
    """Seconds as a person reads them."""
    for size, unit in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.0f} µs"
