"""Context assembly within a token budget: signals of the current work, tiers, and the result.

A tier is a part of the budget for one kind of need. ``SHARES`` says how large each tier is for each
activity; it is data, and nothing else depends on the figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from recollect.vocabulary.arguments import checked_name, checked_text, choice, shown
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Dropped


class Tier(StrEnum):
    """A part of the budget, the most pressing first."""

    CRITICAL = "critical"
    RELEVANT = "relevant"
    BACKGROUND = "background"
    INDEX = "index"


class Level(StrEnum):
    """How much of a memory is shown: the whole text, or one of its shorter forms."""

    FULL = "full"
    SUMMARY = "summary"
    COMPRESSED = "compressed"
    INDEX = "index"


class WorkActivity(StrEnum):
    """The current kind of work."""

    CODING = "coding"
    DEBUGGING = "debugging"
    STARTING = "starting"  # a new feature
    REVIEWING = "reviewing"
    REFINING = "refining"


#: The share of the budget that each tier has, in the order of the tiers.
SHARES: Final[Mapping[WorkActivity, tuple[float, float, float, float]]] = {
    WorkActivity.CODING: (0.25, 0.375, 0.25, 0.125),
    WorkActivity.DEBUGGING: (0.375, 0.3125, 0.1875, 0.125),
    WorkActivity.STARTING: (0.25, 0.40, 0.225, 0.125),
    WorkActivity.REVIEWING: (0.3125, 0.3125, 0.25, 0.125),
    WorkActivity.REFINING: (0.3125, 0.3125, 0.25, 0.125),
}

_MAX_NAMES: Final = 100
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class ContextSignals:
    """Signals of the current work. All are optional; more of them find more."""

    task: str = ""
    current_file: str | None = None
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    branch: str = ""
    recent_errors: tuple[str, ...] = ()
    activity: WorkActivity = WorkActivity.CODING
    collaborators: tuple[str, ...] = ()
    #: Whether routines of this time of day count.
    time_of_day: bool = True

    @property
    def all_files(self) -> tuple[str, ...]:
        """The current file and the others, each once."""
        named = (self.current_file, *self.files) if self.current_file else self.files
        return tuple(dict.fromkeys(named))


def signals_of(given: "ContextSignals | Mapping[str, Any] | None") -> ContextSignals:
    """Signals from arguments, validated; an unknown name is refused."""
    if given is None:
        return ContextSignals()
    if isinstance(given, ContextSignals):
        given = {name: getattr(given, name) for name in ContextSignals.__dataclass_fields__}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"Signals are a mapping of names, not {shown(given)}.")
    unknown = sorted(set(map(str, given)) - set(ContextSignals.__dataclass_fields__))
    if unknown:
        raise InvalidInput(
            f"There is no signal {shown(unknown[0])}.",
            hint=f"Signals are {', '.join(ContextSignals.__dataclass_fields__)}.",
        )
    current = given.get("current_file")
    return ContextSignals(
        task=_text(given.get("task"), "task"),
        current_file=None if current is None else checked_name(current, "file"),
        files=_named(given.get("files"), "file"),
        modules=_named(given.get("modules"), "module"),
        branch=_text(given.get("branch"), "branch"),
        recent_errors=tuple(_text(one, "error") for one in _list(given.get("recent_errors"))),
        activity=choice(WorkActivity, given.get("activity") or WorkActivity.CODING, "activity"),
        collaborators=_named(given.get("collaborators"), "collaborator"),
        time_of_day=bool(given.get("time_of_day", True)),
    )


def _list(given: Any) -> tuple[Any, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, list | tuple | set | frozenset) or len(given) > _MAX_NAMES:
        raise InvalidInput(f"Give at most {_MAX_NAMES} names in a list, not {shown(given)}.")
    return tuple(given)


def _named(given: Any, what: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(checked_name(one, what) for one in _list(given)))


def _text(given: Any, what: str) -> str:
    return "" if given is None or given == "" else checked_text(given, what, _LONGEST)


@dataclass(frozen=True, slots=True)
class AssembledEntry:
    """One memory in the context: its tier, its level, its tokens and why it is there."""

    id: str
    tier: Tier
    level: Level
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Assembled:
    """A context within its budget: the text, the tokens of each tier, what was left out."""

    context: str
    token_count: int
    budget: int
    activity: WorkActivity
    tiers: Mapping[str, int] = field(default_factory=dict)
    entries: tuple[AssembledEntry, ...] = ()
    left_out: tuple[Dropped, ...] = ()
    #: Number of open contradictions, whether or not they fitted.
    open_contradictions: int = 0


class PredictionSignal(StrEnum):
    """The signal behind the prediction that a memory will be needed."""

    FILE = "file_opened"
    BRANCH = "branch_checked_out"
    ERROR = "error_seen"
    TIME = "time_of_day"
    COLLABORATOR = "collaborator_joined"


@dataclass(frozen=True, slots=True)
class PredictedMemory:
    """A memory that will probably be needed, and the signals for it."""

    memory: Memory
    signal: PredictionSignal
    score: float


@dataclass(frozen=True, slots=True)
class ContextPrediction:
    """Predicted needs; ``confidence`` is how often such predictions came true."""

    predicted_memories: tuple[PredictedMemory, ...]
    confidence: float
