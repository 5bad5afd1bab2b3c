"""Experiments on sessions: which group a session is in, and how the groups compare.

A session's group follows from a hash of its name, so it needs no row and is the same whoever asks.
A control session is observed and told nothing; a passive one is told at its beginning only.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from recollect.vocabulary.agents import Point


class ExperimentGroup(StrEnum):
    """How much of memory a session gets."""

    CONTROL = "control"
    PASSIVE = "passive"
    FULL = "full"


#: Of a hundred sessions so many are in the control group, and up to so many in the passive one.
CONTROL_SHARE: Final = 5
PASSIVE_SHARE: Final = 15
#: A group of fewer sessions says nothing yet.
ENOUGH_SESSIONS: Final = 20
#: What a passive session is still told: what stands at its beginning, and what a planner asks for.
_PASSIVE_POINTS: Final = frozenset({Point.SYSTEM_PROMPT, Point.FIRST_MESSAGE, Point.PLAN, Point.QA})


def group_of(experiment: str, session: str) -> ExperimentGroup:
    """The group of a session in an experiment."""
    digest = hashlib.blake2b(f"{experiment}:{session}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest) % 100
    if place < CONTROL_SHARE:
        return ExperimentGroup.CONTROL
    return ExperimentGroup.PASSIVE if place < PASSIVE_SHARE else ExperimentGroup.FULL


def may_tell(group: ExperimentGroup | None, point: Point) -> bool:
    """Whether a session of a group is told something at a point; no group is no experiment."""
    if group is ExperimentGroup.CONTROL:
        return False
    return group is not ExperimentGroup.PASSIVE or point in _PASSIVE_POINTS


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """A metric in one group, with the interval that holds its true value 95 times of 100."""

    metric: str
    group: ExperimentGroup
    sessions: int
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """A metric of a group against the control group."""

    metric: str
    group: ExperimentGroup
    difference: float | None
    low: float | None
    high: float | None
    chance: float | None
    #: better, worse, "no difference seen" or "not enough sessions yet".
    verdict: str


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """An experiment: since when it runs, and what its groups show."""

    id: str | None
    started_at: datetime | None
    ended_at: datetime | None
    sessions: int
    figures: tuple[GroupFigure, ...] = ()
    comparisons: tuple[GroupComparison, ...] = ()

    @property
    def running(self) -> bool:
        """Whether sessions are assigned now."""
        return self.started_at is not None and self.ended_at is None


@dataclass(frozen=True, slots=True)
class WeightEvidence:
    """How sessions fared that were served a type of memory, or one that a signal led to, and those
    that were not."""

    phase: str
    kind: str
    served: int
    passed_served: int
    others: int
    passed_others: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class WeightEffect:
    """What other weights would have done to questions that were asked: how many there are, how many
    would have had other results in front, and where what was cited would have stood."""

    questions: int
    changed: int
    cited: int
    rank_before: float | None
    rank_after: float | None


@dataclass(frozen=True, slots=True)
class WeightProposal:
    """Weights that are proposed, or in force, with what speaks for them."""

    id: str | None
    made_at: datetime
    sessions: int
    #: By phase and type of memory: the weight now, and the weight proposed.
    changes: dict[str, dict[str, tuple[float, float]]]
    evidence: tuple[WeightEvidence, ...]
    effect: WeightEffect | None = None
    applied_at: datetime | None = None
    applied_by: str | None = None
    undone_at: datetime | None = None

    @property
    def in_force(self) -> bool:
        """Whether recall goes by it."""
        return self.applied_at is not None and self.undone_at is None
