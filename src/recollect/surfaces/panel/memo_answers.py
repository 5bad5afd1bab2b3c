"""Memories as people read them: a memo that keeps only a question says its answer beside it."""

from collections.abc import Sequence

from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType


def as_read(memory: Recollect, found: Sequence[Memory]) -> tuple[Memory, ...]:
    """The memories to show; the workspace is only opened where there is a memo among them."""
    if all(one.type is not MemoryType.MEMO for one in found):
        return tuple(found)
    return memory.workspace.with_answers(found)
