"""The book of agents' sessions: what each was given, what people said of it, how far trust goes.

Every read and write goes through the space's one door. A session's line is written over as the
session goes on, so that whatever happens to it, the book says how far it came.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.storage.agents import sessions as agents
from recollect.storage.database import Database, Transaction
from recollect.storage.metrics import experiments
from recollect.trust.visibility import authorise, require_role
from recollect.vocabulary.agents import AgentRun, Decision, Served, TrustLevel, TrustState
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.experiments import ExperimentGroup, group_of
from recollect.vocabulary.spaces import Role, Space

#: From how many sessions on, and with which share of confirmed or corrected, trust rises.
STANDARD_FROM = (3, 0.5)
CONFIDENT_FROM = (16, 0.05)
#: So many memories called wrong in one session, and a lower level is offered.
WRONG_IN_A_SESSION = 3


class SessionLog:
    """Reads and writes the book."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def keep(self, viewer: Viewer, space: Space, run: AgentRun, served: Sequence[Served]) -> None:
        """Write how a session stands, and what it was given since."""

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "keep an agent's session")
            agents.put_session(transaction, space.id, run)
            if served:
                agents.add_served(transaction, space.id, run.id, served)

        self._database.write(work)

    def session(self, viewer: Viewer, space: Space, session_id: str | None = None) -> AgentRun:
        """A session by its id, or the newest."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            if session_id is None:
                newest = agents.last_sessions(transaction, access, 1)
                run = newest[0] if newest else None
            else:
                run = agents.get_session(transaction, access, session_id)
        if run is None:
            raise NotFound(
                "No agent's session is known here."
                if session_id is None
                else f"No agent's session {session_id!r} is known here."
            )
        return run

    def sessions(self, viewer: Viewer, space: Space, limit: int = 20) -> list[AgentRun]:
        """The newest sessions."""
        with self._database.reading() as transaction:
            return agents.last_sessions(transaction, authorise(transaction, viewer, space), limit)

    def served(self, viewer: Viewer, space: Space, session_id: str) -> list[Served]:
        """What a session was given."""
        with self._database.reading() as transaction:
            return agents.served_to(transaction, authorise(transaction, viewer, space), session_id)

    def reviewed(
        self, viewer: Viewer, space: Space, memory_ids: Sequence[str]
    ) -> dict[str, Decision]:
        """What was said of memories."""
        with self._database.reading() as transaction:
            return agents.reviews_of(transaction, authorise(transaction, viewer, space), memory_ids)

    def judge(self, viewer: Viewer, space: Space, memory_id: str, decision: Decision) -> None:
        """Write down what a person said of a memory."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "review memories")
            agents.put_review(
                transaction, space.id, memory_id, decision=decision, actor=viewer.user, at=now
            )

        self._database.write(work)

    def close_review(self, viewer: Viewer, space: Space, session_id: str) -> None:
        """Say that a session has been reviewed."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "review memories")
            agents.mark_reviewed(transaction, space.id, session_id, now)

        self._database.write(work)

    def group(self, viewer: Viewer, space: Space, session_id: str) -> ExperimentGroup | None:
        """The group of a session that begins now; None where no experiment runs."""
        with self._database.reading() as transaction:
            authorise(transaction, viewer, space)
            running = experiments.running(transaction, space.id)
        return None if running is None else group_of(running.experiment_id, session_id)

    def standing(self, viewer: Viewer, space: Space) -> TrustState:
        """The project's trust level: what was chosen, or what its figures come to."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            sessions = agents.count_sessions(transaction, access)
            said = agents.count_reviews(transaction, access)
            chosen = agents.chosen_trust(transaction, access)
        figures = TrustState(
            level=TrustLevel.CAUTIOUS,
            sessions=sessions,
            reviewed=sum(said.values()),
            confirmed=said.get(Decision.CONFIRMED, 0),
            corrected=said.get(Decision.EDITED, 0),
            rejected=said.get(Decision.REJECTED, 0),
        )
        if chosen is not None:
            return replace(figures, level=TrustLevel(chosen[0]), chosen_by=chosen[1])
        return replace(figures, level=earned(figures))

    def choose(self, viewer: Viewer, space: Space, level: TrustLevel | None) -> TrustState:
        """Set the level; None lets it follow the figures again. Stewards may."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            require_role(access, Role.STEWARD, "set how far agents are trusted")
            if level is None:
                agents.drop_trust(transaction, space.id)
            else:
                agents.put_trust(transaction, space.id, level.value, viewer.user, now)

        self._database.write(work)
        return self.standing(viewer, space)


def earned(figures: TrustState) -> TrustLevel:
    """The level that figures come to; the highest is never earned, only chosen."""
    sessions, share = CONFIDENT_FROM
    if figures.reviewed and figures.sessions >= sessions and figures.corrected_share < share:
        return TrustLevel.CONFIDENT
    sessions, share = STANDARD_FROM
    if figures.reviewed and figures.sessions >= sessions and figures.confirmed_share >= share:
        return TrustLevel.STANDARD
    return TrustLevel.CAUTIOUS


def _member(transaction: Transaction, viewer: Viewer, space: Space, doing: str) -> Access:
    return require_role(authorise(transaction, viewer, space), Role.MEMBER, doing)
