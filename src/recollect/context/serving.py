"""What an agent's session is given at each point of its loop, each within its budget.

What is late is silently left out, and nothing in here raises into the agent's loop. Every memory
that is given is written down with the point and its cost, and given once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any, Final

from recollect.context import calibration, planning
from recollect.context.facts import LONGEST, MARK, facts, joined
from recollect.context.ledger import Ledger
from recollect.context.outcomes import Outcomes
from recollect.context.prefetch import read_ahead, wanted_files
from recollect.context.punctual import Punctual
from recollect.context.recording import EDITS, READS, Recorder, main_argument
from recollect.context.steps import FIRST_STEP, Recent, decide
from recollect.context.telling import GROUND, WARNINGS, Teller
from recollect.context.work_state import resumed
from recollect.vocabulary.agents import Point, Served, TrustLevel
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.methodologies import Methodology
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.spaces import Space

GROUND_LIMIT: Final = 14
TASK_LIMIT: Final = 8
#: Events wait for company until there are so many, or a turn ends.
BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class SessionRooms:
    """What a session speaks to."""

    teller: Teller
    ledger: Ledger
    outcomes: Outcomes
    punctual: Punctual
    clock: Clock
    count: Callable[[str], int]
    foretell: Callable[[tuple[Viewer, Space], Sequence[str], str, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Work:
    """What the session is for."""

    task: str = ""
    root: Path | None = None
    modules: tuple[str, ...] = ()
    stage: str = "coding"
    unit: Mapping[str, str] = field(default_factory=dict)


class Serving:
    """The points of one session."""

    def __init__(
        self,
        rooms: SessionRooms,
        who: tuple[Viewer, Space],
        *,
        work: Work,
        method: Methodology,
        recorder: Recorder,
        level: TrustLevel,
    ) -> None:
        self.recorder = recorder
        self._rooms = rooms
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
        return self._rooms.punctual.skipped

    def system_prompt(self) -> str:
        """What is known of the project and bears on the task; empty when nothing is."""
        return self._serve(Point.SYSTEM_PROMPT, self._ground) or ""

    def first_message(self, message: str = "", *, files: bool = True) -> str:
        """The message with where earlier work stood and the files that are always needed."""
        added = self._serve(Point.FIRST_MESSAGE, lambda: self._opening(message, files)) or ""
        return joined([message, added], limit=10**9) if message else added

    def augment_tool_result(
        self, tool: str, arguments: Mapping[str, Any], result: str, *, failed: bool = False
    ) -> str:
        """The result with what memory knows of its file, or of the failure."""
        added = self.tool_context(tool, arguments, result, failed=failed)
        return f"{result}\n\n{added}" if added else result

    def tool_context(
        self, tool: str, arguments: Mapping[str, Any], result: str = "", *, failed: bool = False
    ) -> str:
        """Only what memory would add to a tool's result."""

        def work() -> tuple[str, list[Memory]]:
            found = self._known_failures(arguments, result) if failed else []
            paths = self.recorder.paths(tool, arguments)
            if paths and (tool in READS or tool in EDITS):
                found += self._rooms.teller.of_files(self._who, self._level, paths, limit=4)
            fresh = list({one.id: one for one in self._recent.fresh(found)}.values())
            return facts(f"{MARK} notes on this:", fresh[:4])

        return self._serve(Point.TOOL_RESULT, work) or ""

    def command_context(self, arguments: Mapping[str, Any]) -> str:
        """What is known of a command that is about to run."""
        command = main_argument(arguments)

        def work() -> tuple[str, list[Memory]]:
            types = (*WARNINGS, MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT)
            found = self._rooms.teller.asked(
                self._who, self._level, command, types=types, phase=self.phase, limit=8
            )
            named = [one for one in found if planning.names_command(one, command)]
            return facts(f"{MARK} notes on this command:", self._recent.fresh(named)[:3])

        return self._serve(Point.TOOL_RESULT, work) or ""

    def opening(self, message: str) -> str:
        """For the first prompt: where earlier work stood, and notes that bear on it."""
        return self.first_message(message, files=False).removeprefix(message).strip()

    def bearing_on(self, message: str) -> str:
        """For a later prompt: notes that bear on it and were not told yet."""

        def work() -> tuple[str, list[Memory]]:
            found = self._rooms.teller.asked(
                self._who, self._level, message, phase=self.phase, limit=6
            )
            fresh = [
                one
                for one in self._recent.fresh(found)
                if one.type is not MemoryType.WORK_STATE and planning.shares_words(one, message)
            ]
            return facts(f"{MARK} notes that may bear on this:", fresh[:3])

        return self._serve(Point.SYSTEM_PROMPT, work) or ""

    def warm(self) -> None:
        """Load what questions need, so that the first one is as quick as the others."""
        self._rooms.teller.asked(self._who, self._level, "warm up")
        self._rooms.foretell(self._who, [], "warm up", "")
        self._rooms.count("warm up")

    def knows(self, memory: Memory) -> None:
        """The agent knows this already."""
        with self._state:
            self._recent.told.add(memory.id)

    def forget_told(self) -> None:
        """The agent's context was cleared: what it was told may be told again."""
        with self._state:
            self._recent.told.clear()

    def prepare_step(self, step: int | None = None) -> str | None:
        """Something to know before the next step; None for most steps."""
        if (self.recorder.step if step is None else step) < FIRST_STEP:
            return None
        teller = self._rooms.teller

        def work() -> tuple[str, list[Memory]]:
            found = decide(
                self._recent,
                lambda files: teller.of_files(self._who, self._level, files),
                lambda pattern: teller.naming(self._who, self._level, pattern),
            )
            return (found.text, list(found.memories)) if found else ("", [])

        return self._serve(Point.STEP, work) or None

    def plan_context(self, task: str | None = None, modules: Iterable[str] = ()) -> str:
        """For a planner: how plans fared here, what not to try, what goes together."""
        wanted = tuple(modules) or self._work.modules
        words = task or self._work.task
        return (
            self._serve(
                Point.PLAN,
                lambda: planning.for_planner(
                    self._rooms.teller, self._who, self._level, words, wanted
                ),
            )
            or ""
        )

    def qa_context(self, task: str | None = None) -> str:
        """For whoever validates: what was seen, what broke before, what was asked for."""
        words = task or self._work.task
        return (
            self._serve(
                Point.QA,
                lambda: planning.for_validation(self._rooms.teller, self._who, self._level, words),
            )
            or ""
        )

    def step_limit(self, base: int) -> int:
        """How many steps to allow: the base, or up to twice as many where plans fell short."""
        found = self._rooms.punctual.within(
            Point.PLAN,
            lambda: self._rooms.teller.leading(
                self._who,
                TrustLevel.AUTONOMOUS,
                [MemoryType.TASK_CALIBRATION],
                limit=5,
                modules=self._work.modules,
            ),
        )
        return calibration.step_limit(base, calibration.ratio_of(found or []))

    def _ground(self) -> tuple[str, list[Memory]]:
        teller = self._rooms.teller
        found = teller.leading(self._who, self._level, GROUND, limit=GROUND_LIMIT)
        if self._work.modules:
            found += teller.leading(
                self._who,
                self._level,
                (*GROUND, *WARNINGS),
                limit=TASK_LIMIT,
                modules=self._work.modules,
            )
        if self._work.task:
            found += teller.asked(
                self._who, self._level, self._work.task, phase=self.phase, limit=TASK_LIMIT
            )
        unique = list(
            {one.id: one for one in found if one.type is not MemoryType.WORK_STATE}.values()
        )
        heading = (
            f"{MARK} keeps notes on this project from earlier sessions and from its people. Each "
            "has its id in brackets; the code itself decides where it says otherwise."
        )
        return facts(heading, unique)

    def _opening(self, message: str, files: bool) -> tuple[str, list[Memory]]:
        teller = self._rooms.teller
        states = [
            one
            for one in teller.newest(self._who, [MemoryType.WORK_STATE], 5)
            if one.provenance.session_id != self.id
        ][:1]
        parts = [resumed(one, self._rooms.clock()) for one in states]
        notes = self._rooms.outcomes.relayed(self._who, self._method, self._work.stage)
        relay, told = facts(f"{MARK}: handed on by an earlier stage:", notes)
        asked = []
        if message:
            asked = [
                one
                for one in self._recent.fresh(
                    teller.asked(self._who, self._level, message, phase=self.phase, limit=6)
                )
                if one.type is not MemoryType.WORK_STATE and planning.shares_words(one, message)
            ]
        bears, about = facts(f"{MARK} notes that may bear on this:", asked[:4])
        parts += [relay, bears, self._ahead(message, files)]
        return joined(parts, limit=10**6 if files else LONGEST), [*states, *told, *about]

    def _ahead(self, message: str, files: bool) -> str:
        """Files that such work has always needed: their text, or their names."""
        patterns = self._rooms.teller.leading(
            self._who,
            self._level,
            [MemoryType.PREFETCH_PATTERN],
            limit=3,
            modules=self._work.modules,
        )
        touched = [path for call in self._recent.calls for path in call.paths]
        words = message or self._work.task
        branch = self.recorder.branch
        foretold = (
            self._rooms.foretell(self._who, touched, words, branch) if touched or words else []
        )
        wanted = wanted_files(patterns if self._work.modules else [], foretold)
        if not wanted:
            return ""
        if not files or self._work.root is None:
            names = ", ".join(f"`{path}`" for path in wanted[:10])
            return f"{MARK}: earlier sessions on such work also needed {names}."
        read = read_ahead(self._work.root, wanted, self._rooms.count)
        if not read:
            return ""
        texts = [f"### {path}\n```\n{text}\n```" for path, text in read]
        return (
            f"{MARK} read these files ahead; earlier work on this needed them.\n\n"
            + "\n\n".join(texts)
        )

    def _known_failures(self, arguments: Mapping[str, Any], error: str) -> list[Memory]:
        command = main_argument(arguments)
        question = f"{command} {error[:600]}"
        found = self._rooms.teller.asked(
            self._who, self._level, question, types=WARNINGS, phase=Phase.REFINE, limit=6
        )
        return [one for one in found if planning.bears_on(one, command, error)]

    def _serve(self, point: Point, work: Callable[[], tuple[str, list[Memory]]]) -> str | None:
        """Do the work in time, and write down what was given."""
        if self.silent:
            return None
        served = self._rooms.punctual.within(point, work)
        if not served or not served[0]:
            return None
        text, memories = served
        now = self._rooms.clock()
        with self._state:
            tokens = self._rooms.count(text)
            each = tokens // max(1, len(memories))
            self._served += [Served(one.id, point, now, each) for one in memories]
            self._recent.told.update(one.id for one in memories)
            self._injected += tokens
        return text
