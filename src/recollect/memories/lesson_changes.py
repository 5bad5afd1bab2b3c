"""What a session changes in lessons that are kept already: it shows one again, or replaces one.

A repeat counts on the memory that already says it and adds its session and its events. A lesson
that takes the place of an earlier one supersedes it by a contradiction that is decided at once:
both are listed, the earlier one stays readable as of its time, and the decision can be taken back.
Where neither certainly holds, the contradiction is left open.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from recollect.memories.contradictions.judge import PairJudgement
from recollect.memories.contradictions.memory_pairs import note_contradiction
from recollect.memories.importance import repeated
from recollect.memories.repeats import is_active, same_sources
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions, reads
from recollect.storage.memories.contradictions import ContradictionRow
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.contradictions import ContradictionKind, Resolution
from recollect.vocabulary.ids import CONTRADICTION, new_id
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.memory_types import INFERRED
from recollect.vocabulary.own_wishes import is_one_persons_wish, without_wish_tag
from recollect.vocabulary.spaces import AT_LEAST, Role

#: Number of sessions, and of events, that a memory keeps as evidence of its repeats.
MAX_EVIDENCE: Final = 500
REPLACED: Final = "A later session says otherwise."
_SURENESS: Final = 0.9


@dataclass(frozen=True, slots=True)
class LessonRepeat:
    """A lesson that a session shows again, and the memory that holds it."""

    memory_id: str
    session: str
    events: tuple[str, ...]
    confidence: float
    needs_review: bool
    #: Whether a user said it, whose word makes another's wish the project's.
    said: bool = False


@dataclass(frozen=True, slots=True)
class LessonConflict:
    """A new lesson, by its place among the drafts, that an earlier memory cannot hold beside."""

    draft: int
    memory_id: str
    #: Whether the new one certainly takes the earlier one's place.
    replaces: bool


@dataclass(frozen=True, slots=True)
class LessonCleared:
    """A new lesson, by its place among the drafts, that was known from outside text only."""

    draft: int
    memory_id: str


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """What one session changes in kept lessons."""

    repeats: Sequence[LessonRepeat] = ()
    conflicts: Sequence[LessonConflict] = ()
    cleared: Sequence[LessonCleared] = ()


@dataclass(frozen=True, slots=True)
class LessonChanges:
    """Changes kept lessons, in the transaction that stores what a session taught."""

    writer: MemoryWriter

    def apply(
        self,
        transaction: Transaction,
        access: Access,
        stored: Sequence[Memory | None],
        changes: SessionChanges,
        now: datetime,
    ) -> None:
        """Count the repeats, and let new lessons replace or contradict earlier ones."""
        wanted = {one.memory_id for one in changes.repeats}
        wanted |= {one.memory_id for one in changes.conflicts}
        wanted |= {one.memory_id for one in changes.cleared}
        known = reads.get_memories(transaction, access, sorted(wanted)) if wanted else {}
        for repeat in changes.repeats:
            current = known.get(repeat.memory_id)
            if current is not None and is_active(current):
                known[current.id] = self._counted(transaction, access, current, repeat, now)
        for clear in changes.cleared:
            old, new = known.get(clear.memory_id), stored[clear.draft]
            if old is not None and new is not None and _is_doubtful(old) and is_active(old):
                self.writer.succeed_within(transaction, access, old, new, now)
        for conflict in changes.conflicts:
            old, new = known.get(conflict.memory_id), stored[conflict.draft]
            if old is None or new is None or old.id == new.id or not is_active(old):
                continue
            if conflict.replaces and _may_replace(access, old):
                self._replaced(transaction, access, old, new, now)
            else:
                judged = PairJudgement(True, _SURENESS, ContradictionKind.REPLACED)
                pair = (old.id, new.id)
                note_contradiction(transaction, access.space_id, pair, judged, now)

    def _counted(
        self,
        transaction: Transaction,
        access: Access,
        known: Memory,
        repeat: LessonRepeat,
        now: datetime,
    ) -> Memory:
        """Count a repeat once for each session."""
        origin = known.provenance
        if repeat.session in (origin.session_id, *origin.sessions):
            return known
        new = shown_again(known, repeat, access.viewer.user, now)
        if not same_sources(transaction, known, new):
            return known
        done = self.writer.change_within(
            transaction, access, MemoryUpdate(known, new, Action.UPDATED)
        )
        return known if done is None else done

    def _replaced(
        self, transaction: Transaction, access: Access, old: Memory, new: Memory, now: datetime
    ) -> None:
        row = ContradictionRow(
            new_id(CONTRADICTION, now),
            old.id,
            new.id,
            ContradictionKind.REPLACED,
            _SURENESS,
            "rules",
            now,
        )
        if not contradictions.add_contradiction(transaction, access.space_id, row):
            return  # somebody has decided about this pair before
        contradictions.settle(
            transaction,
            access.space_id,
            row.id,
            resolution=Resolution.B_WINS,
            note=REPLACED,
            by=access.viewer.user,
            at=now,
        )
        if not (is_one_persons_wish(old) and old.provenance.created_by == access.viewer.user):
            new = self._of_the_project(transaction, access, new, now)
        self.writer.succeed_within(transaction, access, old, new, now)

    def _of_the_project(
        self, transaction: Transaction, access: Access, new: Memory, now: datetime
    ) -> Memory:
        """The lesson that replaces what others were told too: they are told of it from now on."""
        if not is_one_persons_wish(new):
            return new
        shared = replace(
            new,
            tags=without_wish_tag(new.tags),
            updated_at=now,
            revision=new.revision + 1,
        )
        change = MemoryUpdate(new, shared, Action.UPDATED)
        return shared if self.writer.write(transaction, access, change) else new


def shown_again(known: Memory, repeat: LessonRepeat, user: str, now: datetime) -> Memory:
    """The memory after one more session has shown it. The words of a second person make one
    person's wish the project's."""
    origin = known.provenance
    sessions = tuple(dict.fromkeys((*origin.sessions, repeat.session)))[:MAX_EVIDENCE]
    events = tuple(dict.fromkeys((*origin.events, *repeat.events)))[:MAX_EVIDENCE]
    agrees = repeat.said and not repeat.needs_review and user != origin.created_by
    return replace(
        known,
        importance=repeated(known.importance, known.times_told),
        confidence=max(known.confidence, repeat.confidence),
        needs_review=known.needs_review and repeat.needs_review,
        tags=without_wish_tag(known.tags) if agrees else known.tags,
        provenance=replace(origin, sessions=sessions, events=events),
        times_told=known.times_told + 1,
        updated_at=now,
        revision=known.revision + 1,
    )


def _is_doubtful(memory: Memory) -> bool:
    """Whether a program's finding after outside text still waits for a person."""
    origin = memory.provenance
    waits = memory.needs_review and not (memory.user_verified or memory.pinned)
    return waits and origin.source in INFERRED and bool(origin.outside)


def _may_replace(access: Access, old: Memory) -> bool:
    """Whether a session's lesson may take the place of a memory: of its author's own wish, or by a
    steward; never of what a person taught, confirmed or pinned."""
    origin = old.provenance
    if origin.source not in INFERRED or old.user_verified or old.pinned:
        return False
    steward = access.role in AT_LEAST[Role.STEWARD]
    return steward or (is_one_persons_wish(old) and access.viewer.user == origin.created_by)
