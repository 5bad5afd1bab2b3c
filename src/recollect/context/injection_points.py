"""The points at which an agent's session is given something: what they share.

Each has its budget; what is late is silently left out, and nothing in here raises into the agent's
loop. Every memory that is given is written down with the point and its cost, and given once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from recollect.context.deadlines import DeadlineRunner
from recollect.context.memory_lookup import MemoryLookup
from recollect.context.outcomes import Outcomes
from recollect.context.recorder import Recorder
from recollect.context.session_log import SessionLog
from recollect.context.step_injection import Recent
from recollect.vocabulary.agents import Point, Served, TrustLevel
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.methodologies import Methodology
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.spaces import Space


@dataclass(frozen=True, slots=True)
class SessionServices:
    """What a session speaks to."""

    teller: MemoryLookup
    ledger: SessionLog
    outcomes: Outcomes
    punctual: DeadlineRunner
    clock: Clock
    count: Callable[[str], int]
    landing: Callable[[tuple[Viewer, Space], str], str | None]
    fix: Callable[[tuple[Viewer, Space], str], str | None]
    foretell: Callable[[tuple[Viewer, Space], Sequence[str], str, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class SessionWork:
    """What the session is for."""

    task: str = ""
    root: Path | None = None
    modules: tuple[str, ...] = ()
    stage: str = "coding"
    unit: Mapping[str, str] = field(default_factory=dict)


class Points:
    """One session, as far as every point knows it."""

    def __init__(
        self,
        rooms: SessionServices,
        who: tuple[Viewer, Space],
        *,
        work: SessionWork,
        method: Methodology,
        recorder: Recorder,
        level: TrustLevel,
    ) -> None:
        self.recorder = recorder
        self._services = rooms
        self._who = who
        self._work = work
        self._method = method
        self._level = level
        self._recent = Recent()
        self._served: list[Served] = []
        self._injected = 0
        self._state = RLock()
        self.silent = False

    @property
    def id(self) -> str:
        """The session's name."""
        return self.recorder.session

    @property
    def phase(self) -> Phase:
        """What the session is at, whatever its methodology calls it."""
        return self._method.phase_of(self._work.stage)

    @property
    def told(self) -> frozenset[str]:
        """The ids of what this session was given."""
        return frozenset(self._recent.told)

    @property
    def skipped(self) -> Mapping[Point, int]:
        """How often a point was late and left out."""
        return self._services.punctual.skipped

    def knows(self, memory: Memory) -> None:
        """The agent knows this already."""
        with self._state:
            self._recent.told.add(memory.id)

    def forget_told(self) -> None:
        """The agent's context was cleared: what it was told may be told again."""
        with self._state:
            self._recent.told.clear()

    def _serve(self, point: Point, work: Callable[[], tuple[str, list[Memory]]]) -> str | None:
        """Do the work in time, and write down what was given."""
        if self.silent:
            return None
        served = self._services.punctual.within(point, work)
        if not served or not served[0]:
            return None
        text, memories = served
        now = self._services.clock()
        with self._state:
            tokens = self._services.count(text)
            each = tokens // max(1, len(memories))
            self._served += [Served(one.id, point, now, each) for one in memories]
            self._recent.told.update(one.id for one in memories)
            self._injected += tokens
        return text
