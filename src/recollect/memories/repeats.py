"""Repeats: which memories may be compared with a new one, and what a repeat adds to a memory."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.memories.importance import repeated
from recollect.storage.access.visibility_filter import sources_of
from recollect.storage.database import Transaction
from recollect.storage.pages.streams import open_sessions
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import INFERRED, MemoryType
from recollect.vocabulary.question_texts import makes_claim

_CLAIMS: Final = frozenset(
    {MemoryType.PREFERENCE, MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.FACT}
)


def comparable(known: Memory, new: Memory, tags: Collection[str] = ()) -> bool:
    """Whether a memory is current, has the same audience as another, and has the tags; and either
    both state something or neither does."""
    same_people = _same_people(known.audience, new.audience)
    same_standing = makes_claim(known) == makes_claim(new)
    return is_active(known) and same_people and same_standing and set(tags) <= set(known.tags)


def states_something(memory: Memory) -> bool:
    """Whether a memory makes a statement that another may contradict; an event is none.

    People's words do, and so do wishes and decisions that programs stored. A program's note about a
    session (a rule that a check enforces, files that change together, the number of calls for a
    module) stays true of that session whatever came after. A question states nothing.
    """
    stated_by_people = memory.provenance.source not in INFERRED or memory.user_verified
    return makes_claim(memory) and (stated_by_people or memory.type in _CLAIMS)


def may_contradict(known: Memory, new: Memory) -> bool:
    """Whether exactly one of two current memories is personal: they may contradict each other and
    both be shown, and neither ever replaces the other automatically."""
    personal = Visibility.PERSONAL
    one_is_own = (known.audience.visibility is personal) != (new.audience.visibility is personal)
    return is_active(known) and one_is_own and makes_claim(known) and makes_claim(new)


def counts_repeat(
    known: Memory, new: Memory, tags: Collection[str] = (), *, dated: bool = False
) -> bool:
    """Whether a memory may count another text as its repeat, if both say the same.

    They must have the same audience and be of one kind, and the new one must not hold anything that
    the known one could not: other files, other extras, another time of validity. Text from outside
    never counts as a repeat of a person's words, nor the other way round. With ``dated`` the time
    of validity only says when the text was said.
    """
    return (
        comparable(known, new, tags)
        and _same_kind(known, new)
        and set(known.provenance.outside) == set(new.provenance.outside)
        and _fit(known.files, new.files)
        and _fit(known.modules, new.modules)
        and new.extras in ({}, known.extras)
        and new.work_unit in (None, known.work_unit)
        and (dated or new.valid_from == new.created_at)
        and new.valid_to == known.valid_to
    )


def with_repeat(known: Memory, new: Memory, now: datetime) -> Memory:
    """The memory after a repeat: more important, and with the additions of the repeat."""
    events = _joined(known.provenance.events, new.provenance.events)
    sessions = _joined(known.provenance.sessions, new.provenance.sessions)
    named = known if new.type is MemoryType.FACT else new
    return replace(
        known,
        type=named.type,
        half_life_days=named.half_life_days,
        importance=repeated(known.importance, known.times_told),
        confidence=max(known.confidence, new.confidence),
        tags=_joined(known.tags, new.tags),
        files=_joined(known.files, new.files),
        modules=_joined(known.modules, new.modules),
        pinned=known.pinned or new.pinned,
        manually_saved=known.manually_saved or new.manually_saved,
        needs_review=known.needs_review and new.needs_review,
        provenance=replace(known.provenance, events=events, sessions=sessions),
        times_told=known.times_told + 1,
        updated_at=now,
        revision=known.revision + 1,
    )


def is_active(memory: Memory) -> bool:
    """Whether a memory is neither archived nor superseded."""
    return not memory.archived and memory.superseded_by is None


def _same_people(known: Audience, new: Audience) -> bool:
    """Whether two audiences are the same; the owner counts only for personal ones."""
    personal = known.visibility is Visibility.PERSONAL
    return known == (new if personal else replace(new, owner=known.owner))


def _same_kind(known: Memory, new: Memory) -> bool:
    """Whether two are of the same kind; a plain fact may turn out to be of another."""
    plain = known.type is MemoryType.FACT and not known.extras
    return known.type is new.type or new.type is MemoryType.FACT or plain


def _fit(known: Sequence[str], new: Sequence[str]) -> bool:
    """Whether two memories can be about the same files: one names none, or they share one."""
    return not known or not new or not set(known).isdisjoint(new)


def _joined(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def same_sources(
    transaction: Transaction, known: Memory, new: Memory, *, any_open_page: bool = False
) -> bool:
    """Whether two memories come from the same streams, so that the same people may read them.

    Personal memories of one person may always be merged. With ``any_open_page`` the pages of
    sessions that all members may read make no difference.
    """
    if known.audience.visibility is Visibility.PERSONAL:
        return True
    space_id, stream = known.space_id, known.audience.stream
    one = sources_of(transaction, space_id, known.provenance.events)
    other = sources_of(transaction, space_id, new.provenance.events)
    differing = (set(one) ^ set(other)) - {stream}
    if not differing or not any_open_page:
        return not differing
    return open_sessions(transaction, space_id, differing) == differing
