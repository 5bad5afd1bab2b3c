"""Experiments on sessions: the group of a session, and how the groups compare.

A session's group follows from a hash of its name, so it needs no row and is always the same. A
control session is observed and served nothing; a passive one is served at its beginning only.
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


#: Percentage of sessions in the control group, and the upper bound of the passive one.
CONTROL_SHARE: Final = 5
PASSIVE_SHARE: Final = 15
#: A group with fewer sessions gives no result yet.
ENOUGH_SESSIONS: Final = 20
#: Where a passive session is still served: at its beginning, and when a planner asks.
_PASSIVE_POINTS: Final = frozenset({Point.SYSTEM_PROMPT, Point.FIRST_MESSAGE, Point.PLAN, Point.QA})


def group_of(experiment: str, session: str) -> ExperimentGroup:
    """The group of a session in an experiment."""
    digest = hashlib.blake2b(f"{experiment}:{session}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest) % 100
    if place < CONTROL_SHARE:
        return ExperimentGroup.CONTROL
    return ExperimentGroup.PASSIVE if place < PASSIVE_SHARE else ExperimentGroup.FULL


def may_serve(group: ExperimentGroup | None, point: Point) -> bool:
    """Whether a session of a group is served at a point; None is no experiment."""
    if group is ExperimentGroup.CONTROL:
        return False
    return group is not ExperimentGroup.PASSIVE or point in _PASSIVE_POINTS


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """A metric in one group, with its 95 % confidence interval."""

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
    """An experiment: since when it runs, and the results of its groups."""

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
    """Outcomes of sessions that were served a type of memory, or one with a signal, and of those
    that were not.
    """

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
    """The effect of other weights on logged queries: how many there are, how many would have had
    other top results, and the rank of what was cited.
    """

    questions: int
    changed: int
    cited: int
    rank_before: float | None
    rank_after: float | None


@dataclass(frozen=True, slots=True)
class WeightProposal:
    """Weights that are proposed, or in effect, with their evidence."""

    id: str | None
    made_at: datetime
    sessions: int
    #: By phase and type of memory: the current weight, and the proposed weight.
    changes: dict[str, dict[str, tuple[float, float]]]
    evidence: tuple[WeightEvidence, ...]
    effect: WeightEffect | None = None
    applied_at: datetime | None = None
    applied_by: str | None = None
    undone_at: datetime | None = None

    @property
    def in_force(self) -> bool:
        """Whether recall uses it."""
        return self.applied_at is not None and self.undone_at is None
