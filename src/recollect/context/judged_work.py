"""Verdicts on work from outside its sessions: by a person at a command, over HTTP, or a reviewer.

A verdict is about one session, or about the sessions of a unit of work or of a branch: those that
are running or wait for a verdict, and the newest. It is written to their pages. Who observes a
running session reads it there; of one that is over, what was held is learned here, from its page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.context.outcomes import Outcomes, Who
from recollect.context.session_log import SessionLog
from recollect.context.unit_outcomes import UnitEnd
from recollect.context.work_place import WorkPlace, branch_of_state
from recollect.observer.candidates import SessionType
from recollect.observer.observer import Observer
from recollect.observer.page_replay import SessionEnd, acts_of_page, end_of, pronounce, verdict_of
from recollect.pages.streams import Streams
from recollect.vocabulary.agents import AgentRun
from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.bounded_wishes import BOUNDED, branch_unit, holds_at
from recollect.vocabulary.errors import InvalidInput, NotFound, RecollectError, StreamNotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.methodologies import methodologies
from recollect.vocabulary.pagination import PAGE_LIMIT
from recollect.vocabulary.results import Filters
from recollect.vocabulary.streams import Stream
from recollect.vocabulary.work_verdicts import WorkVerdict

#: Number of sessions and of work states that are looked through.
_SESSIONS = 200
_ENDED = 50


@dataclass(frozen=True, slots=True)
class WorkTarget:
    """Which work is meant: a session, a unit of work, a branch; all that are named must fit."""

    session: str | None = None
    unit: WorkUnit | None = None
    branch: str = ""

    @property
    def label(self) -> str:
        """The work in words."""
        named = [
            f"session {self.session}" if self.session else "",
            self.unit.label if self.unit else "",
            f"branch {self.branch}" if self.branch else "",
        ]
        return ", ".join(one for one in named if one) or "the last session"


@dataclass(frozen=True, slots=True)
class WorkSession:
    """A session with its work, and whether it still runs or waits for a verdict."""

    run: AgentRun
    unit: WorkUnit | None = None
    branch: str = ""
    #: Why it may not teach yet, as far as its page tells; None if it may.
    held: str | None = None
    #: What was learned of it now, because of a verdict.
    learned: Sequence[Memory] = ()

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self.run.ended_at is None


@dataclass(frozen=True, slots=True)
class JudgedWork:
    """What a verdict changed."""

    work: str
    sessions: Sequence[WorkSession] = ()
    #: Findings that were kept as error patterns.
    findings: Sequence[Memory] = ()
    #: How the unit of work ended, where one is named.
    outcome: Memory | None = None
    #: Wishes for this work alone, which ended with it.
    ended: Sequence[Memory] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class WorkJudgements:
    """Finds the sessions that a verdict is about, writes it, and learns what it sets free."""

    outcomes: Outcomes
    session_log: SessionLog
    streams: Streams

    def sessions(self, who: Who, target: WorkTarget) -> list[WorkSession]:
        """The sessions of some work, newest first."""
        if target.session is not None:
            runs = [self.session_log.session(*who, target.session)]
        else:
            runs = self.session_log.sessions(*who, _SESSIONS)
        states = self.outcomes.lookup.newest(who, [MemoryType.WORK_STATE], _SESSIONS)
        by_session = {one.provenance.session_id: one for one in reversed(states)}
        found = [_session_of(run, by_session.get(run.id)) for run in runs]
        return [one for one in found if _fits(one, target)]

    def waiting(self, who: Who, target: WorkTarget) -> list[WorkSession]:
        """The sessions of some work that are running, that a verdict is missing of, and the
        newest."""
        kept: list[WorkSession] = []
        for one in self.sessions(who, target)[:_ENDED]:
            held = self._held(who, one)
            if one.running or held is not None or not kept:
                kept.append(_with(one, held=held))
        return kept

    def pronounce(
        self, who: Who, target: WorkTarget, verdict: WorkVerdict, note: str = ""
    ) -> list[WorkSession]:
        """Say a verdict of some work. Each session comes back with what was learned of it."""
        meant = self.waiting(who, target)
        if target == WorkTarget():
            meant = meant[:1]
        if not meant and verdict is not WorkVerdict.QA_FAILED:  # a finding is kept all the same
            raise NotFound(
                f"No session of {target.label} is known here. Nothing was changed.",
                hint="'recollect unit' lists the sessions and their work.",
            )
        return [self._pronounced(who, one, verdict, note) for one in meant]

    def done(self, who: Who, target: WorkTarget, outcome: UnitEnd, note: str = "") -> JudgedWork:
        """Say how a unit of work or the work of a branch ended. A success ends the wishes that held
        for it alone."""
        if target.unit is None and not target.branch:
            raise InvalidInput(
                "Which work is done? Nothing was changed.",
                hint="Name its unit (spec=007) or its branch.",
            )
        kept = None
        if target.unit is not None:
            kept = self.outcomes.units.judge(who, target.unit, outcome, note)
        over = self._ended(who, target) if outcome is UnitEnd.SUCCESS else ()
        return JudgedWork(target.label, outcome=kept, ended=tuple(over))

    def judged_unit(self, who: Who, target: WorkTarget, *, passed: bool) -> Memory | None:
        """Change the known outcome of a unit by a reviewer's verdict. Where no session said how the
        unit ended, the verdict alone does not say it either."""
        unit = target.unit
        known = None if unit is None else self.outcomes.units.known(who, unit)
        if unit is None or known is None:
            return None
        before = known.extras.get("outcome")
        if not passed:
            return self.outcomes.units.judge(who, unit, UnitEnd.FAILURE)
        if before == UnitEnd.FAILURE.value:
            return self.outcomes.units.judge(who, unit, UnitEnd.SUCCESS)
        return known

    def _pronounced(
        self, who: Who, one: WorkSession, verdict: WorkVerdict, note: str
    ) -> WorkSession:
        stream = self._stream(who, one.run)
        self.outcomes.verdicts.add(who, stream, verdict, note)
        held = self._held(who, one)
        if one.running or one.held is None or held is not None:
            return _with(one, held=held)
        return _with(one, learned=self._learned(who, one, stream), held=None)

    def _learned(self, who: Who, one: WorkSession, stream: Stream) -> list[Memory]:
        """Learn from the page of a session that is over and no longer held."""
        events = self._events(who, stream)
        observer, end = self._observer(one, events)
        for act in acts_of_page(events, one.run.id, one.branch):
            observer.observe(act)
        report, succeeded = observer.report(), end.outcome != UnitEnd.FAILURE.value
        learned = self.outcomes.learn(
            who, stream, report, succeeded=succeeded, over=True, patient=False
        )
        method = methodologies().get(end.methodology)
        if method is not None:
            place = WorkPlace(one.unit, one.branch)
            self.outcomes.relay(who, method, end.stage, learned, place)
        return learned

    def _held(self, who: Who, one: WorkSession) -> str | None:
        """Why a session that is over may not teach; None where its page cannot be read."""
        try:
            events = self._events(who, self._stream(who, one.run))
        except RecollectError:
            return None
        return self._observer(one, events)[0].held

    @staticmethod
    def _observer(one: WorkSession, events: Sequence[Event]) -> tuple[Observer, SessionEnd]:
        """An observer of a session's type that knows the verdicts on it, and the session's end."""
        end = end_of(events)
        observer = Observer(one.run.id, session_type=SessionType(end.session_type))
        observer.unit = one.unit
        for verdict in filter(None, map(verdict_of, events)):
            pronounce(verdict, observer)
        return observer, end

    def _events(self, who: Who, stream: Stream) -> list[Event]:
        events: list[Event] = []
        cursor: str | None = None
        while True:
            page = self.outcomes.events.read(*who, stream, cursor=cursor, limit=PAGE_LIMIT)
            events += page.items
            cursor = page.next_cursor
            if cursor is None:
                return events

    def _stream(self, who: Who, run: AgentRun) -> Stream:
        name = f"{run.agent} {run.id}"[:NAME_LIMIT]
        try:
            return self.streams.get(*who, name)
        except StreamNotFound:
            raise NotFound(
                f"Nothing of session {run.id} is kept that you may read. Nothing was changed."
            ) from None

    def _ended(self, who: Who, target: WorkTarget) -> list[Memory]:
        """End the wishes that held for this work alone; those of others are left to them."""
        lookup, keeper = self.outcomes.lookup, self.outcomes.keeper
        bound = lookup.listed(who, Filters(tags=frozenset({BOUNDED})), _SESSIONS)
        over = [one for one in bound if _is_of(one, target)]
        now, ended = lookup.clock(), list[Memory]()
        for one in over:
            try:
                ended.append(keeper.change(*who, one.id, {"valid_to": max(now, one.valid_from)}))
            except RecollectError:
                continue  # somebody else's
        return ended


def unit_named(parts: Mapping[str, str], methodology: str = "native") -> WorkUnit | None:
    """The unit of work that parts name, like ``{"spec": "007"}``; None where nothing is named."""
    if not parts:
        return None
    method = methodologies().get(methodology)
    if method is None:
        raise InvalidInput(
            f"There is no methodology {methodology!r}.",
            hint=f"Methodologies are: {', '.join(methodologies())}.",
        )
    unit = method.work_unit(parts)
    if unit is None or not unit.hierarchy:
        raise InvalidInput(
            f"{', '.join(parts)} names no unit of work of the methodology {methodology}."
        )
    return unit


def _is_of(memory: Memory, target: WorkTarget) -> bool:
    unit = memory.work_unit
    if unit is None:
        return False
    if target.branch and unit == branch_unit(target.branch):
        return True
    return target.unit is not None and holds_at(memory, target.unit, "")


def _session_of(run: AgentRun, state: Memory | None) -> WorkSession:
    if state is None:
        return WorkSession(run)
    return WorkSession(run, state.work_unit, branch_of_state(state))


def _fits(one: WorkSession, target: WorkTarget) -> bool:
    if target.branch and one.branch != target.branch:
        return False
    if target.unit is None:
        return True
    parts = target.unit.hierarchy
    return (
        one.unit is not None
        and one.unit.methodology == target.unit.methodology
        and one.unit.hierarchy[: len(parts)] == parts
    )


def _with(
    one: WorkSession, *, held: str | None, learned: Sequence[Memory] | None = None
) -> WorkSession:
    return WorkSession(
        one.run, one.unit, one.branch, held, one.learned if learned is None else tuple(learned)
    )
