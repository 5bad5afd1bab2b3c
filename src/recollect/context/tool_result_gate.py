"""Which memories may stand beside a tool's result: those that are verified, or were used twice.

A result is what an agent trusts most, so a guess of a single session does not appear beside it. A
person's word verifies a memory: taught, confirmed, pinned, said by a user or written into the
project's rules; and so do two sessions that showed the same, and use in two others.
"""

from typing import Final

from recollect.observer.taxonomy import TRAITS, Signal
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import Source

#: Sources of what no person and no agent has stated.
_GUESSED: Final = frozenset({Source.OBSERVER_INFERRED, Source.MCP_AUTO, Source.COMMIT_AUTO})
_TWICE: Final = 2
_OF_PEOPLE: Final = frozenset(
    f"signal:{signal.value}"
    for signal in (Signal.REFUSAL, Signal.CORRECTION, Signal.CHOICE, Signal.WRITTEN_RULE)
)
_OF_SESSIONS: Final = frozenset(
    f"signal:{signal.value}" for signal, traits in TRAITS.items() if traits.sessions >= _TWICE
)


def may_stand_at_result(memory: Memory) -> bool:
    """Whether a memory may be added to a tool's result."""
    if memory.user_verified or memory.pinned or memory.provenance.source not in _GUESSED:
        return True
    tags = frozenset(memory.tags)
    if not memory.needs_review and tags & (_OF_PEOPLE | _OF_SESSIONS):
        return True
    return max(memory.counts.access, len(memory.provenance.sessions)) >= _TWICE
