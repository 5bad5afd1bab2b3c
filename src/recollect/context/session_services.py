"""The services that a session uses, and the work that it is given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recollect.context.deadlines import DeadlineRunner
from recollect.context.memory_lookup import MemoryLookup
from recollect.context.outcomes import Outcomes
from recollect.context.session_log import SessionLog
from recollect.observer.calibrations import Calibration
from recollect.observer.coaccess import CoAccess
from recollect.recall.usage_log import UsageLog
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.spaces import Space


@dataclass(frozen=True, slots=True)
class SessionServices:
    """Services that a session uses."""

    lookup: MemoryLookup
    session_log: SessionLog
    outcomes: Outcomes
    deadlines: DeadlineRunner
    clock: Clock
    count: Callable[[str], int]
    landing: Callable[[tuple[Viewer, Space], str], str | None]
    fix: Callable[[tuple[Viewer, Space], str], str | None]
    foretell: Callable[[tuple[Viewer, Space], Sequence[str], str, str], Sequence[str]]
    #: Those of the foretold files that are near enough to the work to be told of.
    needed: Callable[[tuple[Viewer, Space], Sequence[str], str, str], Sequence[str]]
    usage: UsageLog
    counts: PendingCounts
    #: Pairs of files that sessions use together, strongest first.
    together: Callable[[tuple[Viewer, Space], Sequence[str]], Sequence[CoAccess]] = lambda *_: ()
    #: How the plans of modules fared.
    calibrations: Callable[[tuple[Viewer, Space], Sequence[str]], Sequence[Calibration]] = (
        lambda *_: ()
    )
    #: Memories shown once to a viewer who is new to a space.
    welcome: Callable[[tuple[Viewer, Space]], Sequence[Memory]] = lambda _: ()


#: Stage of a session that names none.
CODING: Final = "coding"


@dataclass(frozen=True, slots=True)
class SessionWork:
    """The work of a session: its task, root folder, modules, stage and unit."""

    task: str = ""
    root: Path | None = None
    modules: tuple[str, ...] = ()
    stage: str = CODING
    unit: Mapping[str, str] = field(default_factory=dict)
