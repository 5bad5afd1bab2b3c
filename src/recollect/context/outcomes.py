"""Writes the results of a session: events, memories, work state and handovers between stages.

A busy or full store raises nothing here: the caller learns that the data was not written, keeps it
and tries again.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from recollect.context.memory_lookup import MemoryLookup
from recollect.context.observations import CONFIDENCE, is_ui_tool, observed
from recollect.context.qa_findings import QaFinding
from recollect.context.session_log import SessionLog
from recollect.context.session_origins import SessionOrigins
from recollect.context.unit_outcomes import UnitOutcomes
from recollect.context.verdict_log import VerdictLog
from recollect.context.work_endings import end_of_finished_work
from recollect.context.work_place import WorkPlace, nearest_state
from recollect.context.work_state import Progress, is_tainted
from recollect.memories.drafts import Draft, draft_of
from recollect.memories.operations import MemoryKeeper
from recollect.memories.write_policy import AS_IT_IS
from recollect.observer.learner import Learner
from recollect.observer.observer import Report
from recollect.pages.events import Events
from recollect.storage.database import Transaction
from recollect.vocabulary.agents import AgentRun, Served, TrustLevel
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import EventNotFound, RecollectError
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.memory import Memory, WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.methodologies import Methodology
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream, StreamAccess

Who = tuple[Viewer, Space]

_RELAY: Final = "relay"
_RELAYED: Final = 10
#: Work states and handed over notes that are looked through for those of the same work.
_STATES: Final = 100
NOWHERE: Final = WorkPlace()
_CHUNK: Final = 500
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Writes the results of sessions."""

    keeper: MemoryKeeper
    events: Events
    session_log: SessionLog
    lookup: MemoryLookup
    learner: Learner
    states: dict[str, str] = field(default_factory=dict)
    origins: SessionOrigins = field(default_factory=SessionOrigins)

    @property
    def verdicts(self) -> VerdictLog:
        """Writes and reads the verdicts on sessions."""
        return VerdictLog(self.events)

    @property
    def units(self) -> UnitOutcomes:
        """Writes how units of work ended."""
        return UnitOutcomes(self.keeper, self.lookup, self.origins)

    def write(
        self,
        who: Who,
        run: AgentRun,
        stream: Stream,
        events: Sequence[NewEvent],
        served: Sequence[Served],
    ) -> bool:
        """Write events and the session's log entry to the store; returns whether that succeeded."""
        viewer, space = who
        try:
            for start in range(0, len(events), _CHUNK):
                self.events.record(
                    viewer,
                    space,
                    stream,
                    events[start : start + _CHUNK],
                    programs=(run.agent,),
                )
            self.session_log.keep(viewer, space, run, served)
            self.origins.wrote(run.id, stream, events)
        except RecollectError as error:
            _log_kept_back("A session's events wait to be written", error)
            return False
        return True

    def silent(self, who: Who, session: str, stream: Stream) -> bool:
        """Whether nothing of the session may be kept: memory is off or the session incognito."""
        try:
            return self.learner.silence(*who, session, stream.name) is not None
        except RecollectError:
            return False  # the store does not answer; it refuses later writes itself

    def remember(
        self,
        who: Who,
        session: str,
        content: str,
        fields: Mapping[str, Any],
        *,
        unit: WorkUnit | None = None,
    ) -> Memory:
        """Store a memory that the agent wrote."""
        viewer, space = who
        named = {
            "source": Source.AGENT_EXPLICIT,
            "session": session,
            "work_unit": unit,
            **self.origins.of(session),
            **fields,
        }
        return self.keeper.path.create(viewer, space, draft_of(content, named))

    def has_kept(self, who: Who, prompt: str) -> bool:
        """Whether what the user asked to remember in this prompt is stored: it may be read again
        after a crash."""
        return self.keeper.is_taught_in(*who, prompt)

    def keep_prompt(
        self,
        who: Who,
        run: AgentRun,
        stream: Stream,
        prompt: tuple[str, NewEvent | None],
        draft: Draft,
    ) -> Memory:
        """Store what the user asked to remember together with its prompt, which it cites: the
        event's id, and the event where it is not stored yet. Both are written, or neither."""
        viewer, space = who
        event, new = prompt
        also = None
        if new is not None:
            _, record = self.events.recording(viewer, space, stream, [new], programs=(run.agent,))

            def also(transaction: Transaction) -> None:
                record(transaction)

        path = self.keeper.path
        try:
            kept = path.create(viewer, space, replace(draft, events=(event,)), also=also)
        except EventNotFound:  # somebody else opened the page first: the words come before its name
            return path.create(viewer, space, draft)
        if new is not None:
            self.origins.wrote(run.id, stream, [new])
        return kept

    def qa_failure(
        self,
        who: Who,
        session: str | None,
        found: QaFinding,
        unit: WorkUnit | None = None,
        *,
        source: Source = Source.QA_AUTO,
    ) -> Memory | None:
        """Store a failure that a reviewer found, as an error pattern."""
        return self._kept(
            who,
            found.content,
            type=MemoryType.ERROR_PATTERN,
            confidence=0.8,
            importance=found.importance,
            source=source,
            session=session,
            work_unit=unit,
            files=found.files,
            modules=found.modules,
            tags=found.tags,
            extras=found.extras,
        )

    def saw(self, who: Who, session: str, tool: str, result: str, learned: list[Memory]) -> None:
        """Store an observation from a UI tool's result, if the result contains one."""
        if not is_ui_tool(tool):
            return
        found = observed(result)
        if found is None or any(found.sentence == one.content for one in learned):
            return
        kept = self._kept(
            who,
            found.sentence,
            type=MemoryType.E2E_OBSERVATION,
            confidence=CONFIDENCE,
            source=Source.MCP_AUTO,
            session=session,
            tags=(found.kind,),
            needs_review=True,
        )
        if kept is not None:
            learned.append(kept)

    def keep_state(
        self,
        who: Who,
        session: str,
        stream: Stream,
        progress: Progress,
        place: WorkPlace = NOWHERE,
    ) -> None:
        """Overwrite the session's work state, visible to the readers of its page."""
        if not progress.worth_keeping:
            return
        viewer, space = who
        content, extras = progress.content(), progress.extras()
        if place.branch:
            extras["branch"] = place.branch
        known = self.states.get(session)
        if known is None and (earlier := self._state_of(who, session)) is not None:
            known = earlier.id
        if known is None:
            kept = self._kept(
                who,
                content,
                type=MemoryType.WORK_STATE,
                confidence=0.9,
                source=Source.OBSERVER_INFERRED,
                session=session,
                work_unit=place.unit,
                files=list(progress.edited)[-50:],
                extras=extras,
                needs_review=progress.outside,
                stream=stream.id if stream.access is StreamAccess.PRIVATE else None,
            )
            if kept is not None:
                self.states[session] = kept.id
            return
        self.states[session] = known
        try:
            self.keeper.change(
                viewer,
                space,
                known,
                {
                    "content": content,
                    "extras": extras,
                    "files": list(progress.edited)[-50:],
                    "needs_review": progress.outside,
                },
            )
        except RecollectError as error:
            _log_kept_back("A work state waits to be written", error)

    def earlier(self, who: Who, session: str) -> AgentRun | None:
        """The session as it was logged before; None where nothing is known of it."""
        try:
            return self.session_log.session(*who, session)
        except RecollectError:
            return None

    def complete_state(
        self,
        who: Who,
        session: str,
        stream: Stream,
        progress: Progress,
        place: WorkPlace = NOWHERE,
    ) -> None:
        """Add the task of a finished session, learned late, to its work state."""
        known = self._state_of(who, session)
        if known is None:
            self.keep_state(who, session, stream, progress, place)
            return
        viewer, space = who
        completed = progress.with_task(known.content)
        try:
            if completed != known.content:
                self.keeper.change(viewer, space, known.id, {"content": completed})
        except RecollectError as error:
            _log_kept_back("A work state waits to be written", error)

    def learn(self, who: Who, stream: Stream, report: Report, **how: bool) -> list[Memory]:
        """Create memories from the observer's report."""
        viewer, space = who
        try:
            lesson = self.learner.learn_from(viewer, space, report, page=stream.name, **how)
        except RecollectError as error:
            _log_kept_back("What a session taught waits to be written", error)
            return []
        return list(lesson.memories)

    def end_finished_work(self, who: Who, root: Path | None) -> None:
        """End the wishes that held for work that is over."""
        try:
            end_of_finished_work(self.lookup, self.keeper, who, root)
        except RecollectError as error:
            _log_kept_back("Wishes for finished work wait for their end", error)

    def state_for(
        self, who: Who, session: str, level: TrustLevel, place: WorkPlace
    ) -> Memory | None:
        """The work state that a session at this place goes on from. A cautious project leaves out
        those written after outside text that nobody reviewed."""
        found = self.lookup.newest(who, [MemoryType.WORK_STATE], _STATES)
        if level is TrustLevel.CAUTIOUS:
            found = [one for one in found if not is_tainted(one)]
        return nearest_state(place, found, but=session)

    def relay(
        self,
        who: Who,
        method: Methodology,
        stage: str,
        learned: Sequence[Memory],
        place: WorkPlace = NOWHERE,
    ) -> None:
        """Mark the memories that this stage hands over to later stages of the same work."""
        for hand in method.relays:
            if _role(hand.giver) != _role(stage):
                continue
            tags = place.relay_tags(f"{_RELAY}:{method.id}:{_role(hand.receiver)}")
            for memory in learned:
                if memory.type is MemoryType.WORK_STATE:
                    continue
                if not hand.types or memory.type in hand.types:
                    self._tag(who, memory, tags)

    def relayed(
        self,
        who: Who,
        method: Methodology,
        stage: str,
        level: TrustLevel,
        place: WorkPlace = NOWHERE,
    ) -> list[Memory]:
        """Memories handed over to this stage by earlier ones of the same work. A cautious project
        leaves out those learned from outside text that nobody reviewed."""
        base = f"{_RELAY}:{method.id}:{_role(stage)}"
        every = [kind for kind in MemoryType if kind is not MemoryType.WORK_STATE]
        tags = place.wanted_relays(base)
        found = self.lookup.leading(who, TrustLevel.AUTONOMOUS, every, limit=_STATES, tags=tags)
        found = [one for one in found if place.receives(one, base)][:_RELAYED]
        if level is not TrustLevel.CAUTIOUS:
            return found
        return [one for one in found if one.user_verified or not one.provenance.outside]

    def _tag(self, who: Who, memory: Memory, tags: Sequence[str]) -> None:
        viewer, space = who
        now = dict.fromkeys((*memory.tags, *tags))
        try:
            self.keeper.change(viewer, space, memory.id, {"tags": tuple(now)})
        except RecollectError as error:
            _log_kept_back("A note could not be handed on", error)

    def _state_of(self, who: Who, session: str) -> Memory | None:
        found = self.lookup.newest(who, [MemoryType.WORK_STATE], 50)
        return next((one for one in found if one.provenance.session_id == session), None)

    def _kept(self, who: Who, content: str, **fields: Any) -> Memory | None:
        viewer, space = who
        fields = {**self.origins.of(str(fields.get("session"))), **fields}
        try:
            return self.keeper.path.create(viewer, space, draft_of(content, fields), AS_IT_IS)
        except RecollectError as error:
            _log_kept_back("Something a session taught could not be kept", error)
            return None


_ROLES: Final = {
    "planning": "planner",
    "spec": "planner",
    "coding": "coder",
    "qa_review": "qa_reviewer",
    "qa_fix": "qa_fixer",
    "architecture": "architect",
}


def _log_kept_back(what: str, error: RecollectError) -> None:
    """One line on what was not written, and why: the store, or a gate that refused its words. Where
    in our code that was matters to nobody but us."""
    _log.warning("%s: %s", what, error.message)
    _log.debug("Where it was kept back:", exc_info=error)


def _role(stage: str) -> str:
    """Role that performs a stage: relays name roles, sessions name stages."""
    plain = stage.strip().lower().replace("-", "_").replace(" ", "_")
    return _ROLES.get(plain, plain)
