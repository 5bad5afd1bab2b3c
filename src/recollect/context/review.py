"""Review of a session by a person: memories it was given, memories it learned, and their evidence.

Each learned memory comes with its source events. A person confirms, corrects or rejects it; the
decision is stored, and the project's trust level is based on such decisions.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.context.session_log import WRONG_IN_A_SESSION, SessionLog
from recollect.memories.operations import MemoryKeeper
from recollect.storage.database import Database
from recollect.storage.memories import reads
from recollect.storage.pages import events
from recollect.trust.authorisation import authorise
from recollect.vocabulary.agents import AgentRun, Decision, Served, TrustState
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import MEMORY
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.own_wishes import ONE_PERSONS_WISH
from recollect.vocabulary.pagination import Page, check_page, page_of
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

_EVIDENCE: Final = 4
_CHARACTERS_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that the session was given."""

    memory: Memory
    served: Served


@dataclass(frozen=True, slots=True)
class Learned:
    """A memory that the session created, its source events, and the person's decision."""

    memory: Memory
    evidence: tuple[Event, ...]
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Savings:
    """Token balance: the cost of reminders against the original cost of finding the same out.

    ``source_tokens`` counts the events behind the memories that were given: an upper bound of what
    the session was spared, not a measurement. A memory without events counts as zero.
    """

    spent: int
    source_tokens: int

    @property
    def at_most(self) -> int:
        """Upper bound of the tokens saved; negative when the reminders cost more."""
        return self.source_tokens - self.spent


@dataclass(frozen=True, slots=True)
class Review:
    """Everything a person reviews for one session."""

    session: AgentRun
    remembered: tuple[Remembered, ...]
    learned: tuple[Learned, ...]
    state: Memory | None
    savings: Savings
    standing: TrustState

    @property
    def open(self) -> tuple[Learned, ...]:
        """Learned memories that the project's trust level submits to a person and nobody has
        decided on."""
        asks = self.standing.level.asks
        return tuple(
            one
            for one in self.learned
            if one.decision is None
            and not one.memory.user_verified
            and (asks == "all" or (asks == "marked" and one.memory.needs_review))
        )

    @property
    def suggests_caution(self) -> bool:
        """Whether so many memories were wrong that a lower trust level should be offered."""
        wrong = sum(one.decision is Decision.REJECTED for one in self.learned)
        return wrong >= WRONG_IN_A_SESSION and self.standing.level > 1


class Reviewer:
    """Loads a session for review, and stores a person's decisions."""

    def __init__(self, database: Database, session_log: SessionLog, keeper: MemoryKeeper) -> None:
        self._database = database
        self._session_log = session_log
        self._keeper = keeper

    def review(self, viewer: Viewer, space: Space, session_id: str | None) -> Review:
        """Memories that a session was given and learned; the newest session by default."""
        run = self._run(viewer, space, session_id)
        served = self._session_log.served(viewer, space, run.id)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            learned_ids = reads.ids_of_session(transaction, access, run.id)
            wanted = dict.fromkeys([*learned_ids, *(one.memory_id for one in served)])
            found = reads.get_memories(transaction, access, list(wanted))
            pointed = {event for memory in found.values() for event in memory.provenance.events}
            evidence = events.get_events(transaction, access, sorted(pointed))
        said = self._session_log.reviewed(viewer, space, list(found))
        remembered = tuple(
            Remembered(found[one.memory_id], one) for one in served if one.memory_id in found
        )
        own = [found[one] for one in learned_ids if one in found]
        own.sort(key=lambda memory: -memory.confidence)  # likeliest worth it first
        return Review(
            session=run,
            remembered=remembered,
            learned=tuple(
                Learned(memory, _evidence(memory, evidence), said.get(memory.id))
                for memory in own
                if memory.type is not MemoryType.WORK_STATE
                and (not memory.archived or memory.id in said)
            ),
            state=next((one for one in own if one.type is MemoryType.WORK_STATE), None),
            savings=Savings(run.injected_tokens, _cost(remembered, evidence)),
            standing=self._session_log.standing(viewer, space),
        )

    def _run(self, viewer: Viewer, space: Space, session_id: str | None) -> AgentRun:
        """The session; one learned from its transcript is known only by its memories."""
        try:
            return self._session_log.session(viewer, space, session_id)
        except NotFound:
            with self._database.reading() as transaction:
                access = authorise(transaction, viewer, space)
                ids = reads.ids_of_session(transaction, access, session_id or "")
                found = reads.get_memories(transaction, access, ids)
            if session_id is None or not found:
                raise
            times = [one.created_at for one in found.values()]
            return AgentRun(session_id, "transcript", min(times), ended_at=max(times))

    def waiting(
        self, viewer: Viewer, space: Space, now: datetime, *, cursor: str | None, limit: int
    ) -> Page[Learned]:
        """Memories that wait for review, newest first, whatever session they came from."""
        return self._page((viewer, space), now, Filters(needs_review=True), cursor, limit)

    def wishes(
        self, viewer: Viewer, space: Space, now: datetime, *, cursor: str | None, limit: int
    ) -> Page[Learned]:
        """Wishes of one person each that agents of others are not told, newest first: whoever may
        make one the project's does so by confirming it."""
        filters = Filters(tags=frozenset({ONE_PERSONS_WISH}), needs_review=False)
        return self._page((viewer, space), now, filters, cursor, limit)

    def _page(
        self,
        who: tuple[Viewer, Space],
        now: datetime,
        filters: Filters,
        cursor: str | None,
        limit: int,
    ) -> Page[Learned]:
        check_page(cursor, limit, MEMORY)
        with self._database.reading() as transaction:
            access = authorise(transaction, *who)
            found = reads.list_memories(
                transaction,
                access,
                filters,
                now=to_microseconds(now),
                before=cursor,
                limit=limit + 1,
            )
            page = page_of(found, limit)
            pointed = {event for memory in page.items for event in memory.provenance.events}
            evidence = events.get_events(transaction, access, sorted(pointed))
        learned = tuple(Learned(memory, _evidence(memory, evidence)) for memory in page.items)
        return Page(learned, page.next_cursor)

    def confirm(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Confirm a memory as right."""
        fields = {"user_verified": True, "needs_review": False}
        kept = self._keeper.change(viewer, space, memory_id, fields)
        self._session_log.judge(viewer, space, memory_id, Decision.CONFIRMED)
        return kept

    def correct(self, viewer: Viewer, space: Space, memory_id: str, content: str) -> Memory:
        """Correct the text of a memory and confirm it."""
        fields = {"content": content, "user_verified": True, "needs_review": False}
        kept = self._keeper.change(viewer, space, memory_id, fields)
        self._session_log.judge(viewer, space, memory_id, Decision.EDITED)
        return kept

    def reject(self, viewer: Viewer, space: Space, memory_id: str) -> Memory:
        """Reject a memory as wrong: hidden from search and lists, and restorable."""
        kept = self._keeper.archive(viewer, space, memory_id)
        self._session_log.judge(viewer, space, memory_id, Decision.REJECTED)
        return kept


def _evidence(memory: Memory, known: dict[str, Event]) -> tuple[Event, ...]:
    pointed = memory.provenance.events
    return tuple(known[event] for event in pointed if event in known)[:_EVIDENCE]


def _cost(remembered: tuple[Remembered, ...], known: dict[str, Event]) -> int:
    """Tokens of the events behind the given memories, each event counted once."""
    behind = {event for one in remembered for event in one.memory.provenance.events}
    return sum(
        len(known[event].text) // _CHARACTERS_PER_TOKEN for event in behind if event in known
    )
