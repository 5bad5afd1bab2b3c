"""API for agents: sessions with memory, and people's reviews of what sessions learned."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from recollect.context.assembler import Assembler
from recollect.context.judged_work import WorkJudgements
from recollect.context.recorder import Recorder
from recollect.context.review import Learned, Review, Reviewer
from recollect.context.rule_files import RuleFiles, RulesReport
from recollect.context.session import AgentSession
from recollect.context.session_log import SessionLog
from recollect.context.session_services import CODING, SessionServices, SessionWork
from recollect.engine.judged_work import Work
from recollect.engine.verb_wrappers import repeatable
from recollect.memories.drafts import names
from recollect.observer.candidates import PHASES, SessionType
from recollect.observer.observer import Observer
from recollect.pages.streams import Streams
from recollect.trust.secrets import redacted, redacted_values, safe_name
from recollect.vocabulary.agents import AgentRun, TrustLevel, TrustState
from recollect.vocabulary.arguments import choice, shown
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import new_id
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.methodologies import methodologies
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.paths import Roots
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import StreamAccess, StreamKind


@dataclass(frozen=True, slots=True)
class AgentServices:
    """Services behind the API for agents."""

    sessions: SessionServices
    session_log: SessionLog
    reviewer: Reviewer
    rules: RuleFiles
    streams: Streams
    assembler: Assembler
    clock: Clock


class Agents:
    """The API of one viewer in one space."""

    def __init__(self, services: AgentServices, viewer: Viewer, space: Space) -> None:
        self._services = services
        self._who = (viewer, space)

    def session(
        self,
        *,
        id: str | None = None,
        agent: str = "agent",
        task: str = "",
        root: str | PathLike[str] | None = None,
        modules: Iterable[str] = (),
        methodology: str = "native",
        stage: str | None = None,
        session_type: str = "build",
        unit: Mapping[str, str] | None = None,
        checkpoint: Mapping[str, Any] | None = None,
        private: bool = False,
    ) -> AgentSession:
        """A session with memory; an interrupted one continues with ``checkpoint``.

        What a private session did and taught is only for the readers of its stream. What it keeps
        says in which phase of the work it was made, where ``stage`` or ``session_type`` tells; a
        session without a stage is served as one that codes.
        """
        known = methodologies()
        if methodology not in known:
            raise InvalidInput(
                f"There is no methodology {shown(methodology)}.",
                hint=f"Methodologies are: {', '.join(known)}.",
            )
        viewer, space = self._who
        now = self._services.clock()
        name = safe_name(id, "session") if id else new_id("ses", now)
        kind = choice(SessionType, session_type, "type of session")
        stream, _ = self._services.streams.planned(
            viewer,
            space,
            f"{agent} {name}"[:200],
            kind=StreamKind.SESSION,
            access=StreamAccess.PRIVATE if private else StreamAccess.OPEN,
        )
        place = None if root is None else Path(root).expanduser().absolute()
        roots = Roots([str(place)] if place else [])
        method = known[methodology]
        observer = Observer.restore(checkpoint) if checkpoint else Observer(name, session_type=kind)
        session = AgentSession(
            AgentRun(name, safe_name(agent, "agent"), now),
            self._services.sessions,
            self._who,
            work=SessionWork(
                redacted(task),
                place,
                names(modules, "module"),
                stage or CODING,
                redacted_values(unit or {}),
            ),
            method=method,
            recorder=Recorder(name, stream, (viewer.user, agent), roots, observer),
            level=self._services.session_log.standing(viewer, space).level,
            group=self._services.session_log.group(viewer, space, name),
        )
        session.recorder.about = {
            "session_type": observer.session_type.value,
            "methodology": methodology,
            "stage": stage or CODING,
        }
        observer.phase = session.phase.value
        observer.known_phase = session.phase if stage else PHASES.get(observer.session_type)
        self._services.sessions.outcomes.origins.in_phase(name, observer.known_phase)
        observer.unit = session.place.unit
        return session

    def keeps_nothing(self, session: str, agent: str) -> bool:
        """Whether nothing of an agent's session may be stored: memory off, or incognito."""
        name = safe_name(session, "session")
        learner = self._services.sessions.outcomes.learner
        return learner.silence(*self._who, name, f"{agent} {name}"[:200]) is not None

    @property
    def work(self) -> Work:
        """What is said of work from outside its sessions: QA, acceptance, its end."""
        services = self._services
        outcomes = services.sessions.outcomes
        judgements = WorkJudgements(outcomes, services.session_log, services.streams)
        return Work(judgements, outcomes, *self._who)

    @repeatable
    def sessions(self, limit: int = 20) -> Sequence[AgentRun]:
        """The newest sessions of agents."""
        return self._services.session_log.sessions(*self._who, limit)

    @repeatable
    def review(self, session: str | None = None) -> Review:
        """Review of a session (newest by default): what it was served and learned, and why."""
        return self._services.reviewer.review(*self._who, session)

    @repeatable
    def waiting(self, *, cursor: str | None = None, limit: int = 20) -> Page[Learned]:
        """Memories of any session that wait for review, newest first, with their evidence."""
        now = self._services.clock()
        return self._services.reviewer.waiting(*self._who, now, cursor=cursor, limit=limit)

    @repeatable
    def wishes(self, *, cursor: str | None = None, limit: int = 20) -> Page[Learned]:
        """Wishes of one person each, newest first: only their agents are told of them, until a
        second person says the same or somebody else, or a steward, confirms them."""
        now = self._services.clock()
        return self._services.reviewer.wishes(*self._who, now, cursor=cursor, limit=limit)

    def confirm(self, memory_id: str) -> Memory:
        """Confirm that something learned is right. Another person's wish becomes the project's by
        it, and so does a steward's own."""
        return self._services.reviewer.confirm(*self._who, memory_id)

    def correct(self, memory_id: str, content: str) -> Memory:
        """Correct something learned."""
        return self._services.reviewer.correct(*self._who, memory_id, content)

    def reject(self, memory_id: str) -> Memory:
        """Reject something learned as wrong; it is archived."""
        return self._services.reviewer.reject(*self._who, memory_id)

    def close_review(self, session: str) -> None:
        """Mark a session as reviewed."""
        self._services.session_log.close_review(*self._who, session)

    @repeatable
    def trust(self) -> TrustState:
        """The trust level of the project for what was learned in it."""
        return self._services.session_log.standing(*self._who)

    def set_trust(self, level: int | None) -> TrustState:
        """Set the trust level, 1 to 4; None lets it follow the figures again."""
        if level is None:
            return self._services.session_log.choose(*self._who, None)
        if level not in {one.value for one in TrustLevel}:
            raise InvalidInput(f"A trust level is 1, 2, 3 or 4, not {shown(level)}.")
        return self._services.session_log.choose(*self._who, TrustLevel(level))

    def import_rules(self, root: str | PathLike[str], files: Sequence[str] = ()) -> RulesReport:
        """Import rules of CLAUDE.md, AGENTS.md and the like as typed memories; idempotent."""
        return self._services.rules.read(*self._who, Path(root).expanduser().absolute(), files)

    @repeatable
    def export_rules(self, leave_out: str | None = None) -> str:
        """The confirmed knowledge as a CLAUDE.md; without what came from that file itself."""
        return self._services.rules.text(*self._who, leave_out)
