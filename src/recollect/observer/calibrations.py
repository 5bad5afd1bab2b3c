"""Calibration of plans: the steps that plans took in a module, against the steps they allowed.

A step is a tool call. A plan allows the steps that its maker says, or so many for each of its items
as plans usually take. Only calls after the plan was made count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean
from typing import Final

from recollect.observer.candidates import Candidate
from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.memory_types import MemoryType

#: Steps of an item of a plan: the median of 59 real sessions with a plan, of which half took
#: between 8 and 25.
STEPS_PER_ITEM: Final = 12.5
LEAST_SESSIONS: Final = TRAITS[Signal.STEP_OVERRUN].sessions
#: A plan fared as it was made while its ratio is within these.
_USUAL: Final = (0.8, 1.25)

#: Steps that a plan allowed, and steps that it took.
Plan = tuple[float, int]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the plans of a module fared."""

    module: str
    planned: float
    actual: float
    sessions: int

    @property
    def ratio(self) -> float:
        """Steps that were taken for each step that was planned."""
        return self.actual / self.planned

    @property
    def is_usual(self) -> bool:
        """Whether plans are about right, so that there is nothing to tell."""
        return _USUAL[0] < self.ratio < _USUAL[1]

    @property
    def extras(self) -> dict[str, object]:
        """Extras of a memory of type ``task_calibration``."""
        return {
            "module": self.module,
            "average_actual_steps": round(self.actual, 1),
            "average_planned_steps": round(self.planned, 1),
            "ratio": round(self.ratio, 2),
            "sample_count": self.sessions,
        }

    @property
    def content(self) -> str:
        """The calibration in a sentence."""
        return (
            f"Plans for `{self.module}` take {self.ratio:.1f} times the steps that they allow "
            f"({self.actual:.0f} for {self.planned:.0f}, {self.sessions} sessions)."
        )


def is_within(folder: str, module: str) -> bool:
    """Whether a folder belongs to a module, which is named by its path or by the end of it."""
    return folder == module or folder.startswith(f"{module}/") or folder.endswith(f"/{module}")


def calibration_of(
    sessions: Iterable[tuple[Iterable[str], Plan | None]], module: str
) -> Calibration | None:
    """Calibration of a module, from the folders and the plan of each session; None while too few
    sessions planned there."""
    plans = [
        plan
        for folders, plan in sessions
        if plan is not None and any(is_within(folder, module) for folder in folders)
    ]
    if len(plans) < LEAST_SESSIONS:
        return None
    planned, actual = mean(plan[0] for plan in plans), mean(plan[1] for plan in plans)
    return Calibration(module, planned, actual, len(plans)) if planned > 0 else None


def candidate_of(found: Calibration, session: str, step: int = 0) -> Candidate:
    """The calibration as a possible memory."""
    return Candidate(
        signal=Signal.STEP_OVERRUN,
        key=found.module,
        type=MemoryType.TASK_CALIBRATION,
        content=found.content,
        session=session,
        step=step,
        modules=(found.module,),
        confidence=min(0.9, 0.7 + 0.03 * found.sessions),
        sessions=found.sessions,
        extras=found.extras,
    )
