"""Log of agent sessions: memories given, people's decisions on memories, and the trust level.

Every read and write goes through the access check of the space. A session's entry is overwritten as
the session proceeds, so that the log shows its progress even if the session breaks off.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.storage.agents import sessions as agents
from recollect.storage.database import Database, Transaction
from recollect.storage.metrics import experiments
from recollect.trust.authorisation import authorise, require_role
from recollect.vocabulary.agents import AgentRun, Decision, Served, TrustLevel, TrustState
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.experiments import ExperimentGroup, group_of
from recollect.vocabulary.spaces import Role, Space

#: Minimum number of sessions, and a share: the standard level needs at least this share of
#: confirmed memories, the confident level less than this share of corrected ones.
STANDARD_FROM = (3, 0.5)
CONFIDENT_FROM = (16, 0.05)
#: Number of memories rejected in one session from which a lower level is offered.
WRONG_IN_A_SESSION = 3


class SessionLog:
    """Reads and writes the session log."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def keep(self, viewer: Viewer, space: Space, run: AgentRun, served: Sequence[Served]) -> None:
        """Write the session's state, and the memories it was given since the last write."""

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "keep an agent's session")
            agents.put_session(transaction, space.id, run)
            if served:
                agents.add_served(transaction, space.id, run.id, served)

        self._database.write(work)

    def session(self, viewer: Viewer, space: Space, session_id: str | None = None) -> AgentRun:
        """A session by its id; the newest by default."""
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
        """Memories that a session was given."""
        with self._database.reading() as transaction:
            return agents.served_to(transaction, authorise(transaction, viewer, space), session_id)

    def reviewed(
        self, viewer: Viewer, space: Space, memory_ids: Sequence[str]
    ) -> dict[str, Decision]:
        """Decisions on memories, by memory id."""
        with self._database.reading() as transaction:
            return agents.reviews_of(transaction, authorise(transaction, viewer, space), memory_ids)

    def judge(self, viewer: Viewer, space: Space, memory_id: str, decision: Decision) -> None:
        """Store a person's decision on a memory."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "review memories")
            agents.put_review(
                transaction, space.id, memory_id, decision=decision, actor=viewer.user, at=now
            )

        self._database.write(work)

    def close_review(self, viewer: Viewer, space: Space, session_id: str) -> None:
        """Mark a session as reviewed."""
        now = self._clock()

        def work(transaction: Transaction) -> None:
            _member(transaction, viewer, space, "review memories")
            agents.mark_reviewed(transaction, space.id, session_id, now)

        self._database.write(work)

    def group(self, viewer: Viewer, space: Space, session_id: str) -> ExperimentGroup | None:
        """Experiment group of a session that begins now; None if no experiment runs."""
        with self._database.reading() as transaction:
            authorise(transaction, viewer, space)
            running = experiments.running(transaction, space.id)
        return None if running is None else group_of(running.experiment_id, session_id)

    def standing(self, viewer: Viewer, space: Space) -> TrustState:
        """Trust level of the project: the chosen one, or the one earned by its figures."""
        with self._database.reading() as transaction:
            return self.standing_within(transaction, authorise(transaction, viewer, space))

    @staticmethod
    def standing_within(transaction: Transaction, access: Access) -> TrustState:
        """Trust level of the project, in the caller's transaction."""
        found = agents.trust_figures(transaction, access)
        figures = TrustState(
            level=TrustLevel.CAUTIOUS,
            sessions=found.sessions,
            reviewed=sum(found.reviews.values()),
            confirmed=found.reviews[Decision.CONFIRMED],
            corrected=found.reviews[Decision.EDITED],
            rejected=found.reviews[Decision.REJECTED],
        )
        if found.level is not None:
            return replace(figures, level=TrustLevel(found.level), chosen_by=found.chosen_by)
        return replace(figures, level=earned(figures))

    def choose(self, viewer: Viewer, space: Space, level: TrustLevel | None) -> TrustState:
        """Set the trust level; None lets it follow the figures again. Stewards may do this."""
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
    """Trust level that figures earn; the highest level is never earned, only chosen."""
    sessions, share = CONFIDENT_FROM
    if figures.reviewed and figures.sessions >= sessions and figures.corrected_share < share:
        return TrustLevel.CONFIDENT
    sessions, share = STANDARD_FROM
    if figures.reviewed and figures.sessions >= sessions and figures.confirmed_share >= share:
        return TrustLevel.STANDARD
    return TrustLevel.CAUTIOUS


def _member(transaction: Transaction, viewer: Viewer, space: Space, doing: str) -> Access:
    return require_role(authorise(transaction, viewer, space), Role.MEMBER, doing)
