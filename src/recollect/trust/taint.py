"""Taint tracking: memories learned after outside text are marked, discounted and reviewed.

A memory is marked if it cites an event of outside text, or one that came after such an event on the
same stream, or was made in a session where outside text was read. A mark reduces its confidence by
three tenths and asks for review. A text that gives instructions is not stored as a memory at all:
it is quarantined. What an agent writes in its own session is its own wording, so there only a sign
that is sufficient by itself quarantines it; it is marked all the same.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from recollect.storage.access.quarantine import origins_before, origins_in
from recollect.storage.agents.sessions import stream_names
from recollect.storage.database import Transaction
from recollect.trust.prompt_injection import doubts, suspicion
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source

DISCOUNT: Final = 0.7
SUSPECT: Final = "suspect"
_MAX_ORIGINS: Final = 20


class TaintVerdict(NamedTuple):
    """A memory as it may be stored, or why it is quarantined instead."""

    memory: Memory
    reasons: tuple[str, ...] = ()


def judge(
    transaction: Transaction, access: Access, memory: Memory, texts: Sequence[str | None]
) -> TaintVerdict:
    """Mark a memory by its origins; or quarantine it if it gives instructions."""
    outside = _origins(transaction, access, memory)
    said = "\n".join(text for text in texts if text)
    reasons = suspicion(said, outside=bool(outside))
    own = memory.provenance.source is Source.USER_TAUGHT and not outside
    if not (outside or own):
        outside = _origins_of_agents(transaction, access, memory)
    if reasons and not own:
        return TaintVerdict(marked(memory, outside or (SUSPECT,)), reasons)
    if reasons or (not outside and not own and doubts(said)):
        return TaintVerdict(marked(memory, (SUSPECT,)))
    return TaintVerdict(marked(memory, outside) if outside else memory)


def marked(memory: Memory, origins: Sequence[str]) -> Memory:
    """The memory with its marks: lower confidence, and waiting for review."""
    known = tuple(dict.fromkeys((*memory.provenance.outside, *origins)))[:_MAX_ORIGINS]
    return replace(
        memory,
        confidence=round(memory.confidence * DISCOUNT, 6),
        needs_review=True,
        provenance=replace(memory.provenance, outside=known),
    )


def _origins_of_agents(transaction: Transaction, access: Access, memory: Memory) -> tuple[str, ...]:
    """Origins of outside text in the agents' sessions that a memory was made in."""
    if not memory.provenance.sessions:
        return ()
    names = stream_names(transaction, access.space_id, memory.provenance.sessions)
    return tuple(origins_in(transaction, access, names))[:_MAX_ORIGINS]


def _origins(transaction: Transaction, access: Access, memory: Memory) -> tuple[str, ...]:
    provenance = memory.provenance
    found = [*provenance.outside]
    if provenance.events:
        found += origins_before(transaction, access.space_id, provenance.events)
    if provenance.sessions and provenance.source is not Source.USER_TAUGHT:
        found += origins_in(transaction, access, provenance.sessions)
    return tuple(dict.fromkeys(found))[:_MAX_ORIGINS]
