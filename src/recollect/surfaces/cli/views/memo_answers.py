"""Memos of questions as people read them: the question with the current words of its source."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from recollect.vocabulary.asking import makes_claim, only_asks
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory_types import MemoryType

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.memory import Memory


def with_answers(memory: "Recollect", found: "Iterable[Memory]") -> "tuple[Memory, ...]":
    """Memories to show; a memo that keeps only a question gets the words of its source beside."""
    return tuple(_with_answer(memory, one) for one in found)


def _with_answer(memory: "Recollect", one: "Memory") -> "Memory":
    if one.type is not MemoryType.MEMO or makes_claim(one):
        return one
    try:
        memo = memory.workspace.memo(one.id)
    except RecollectError:
        return one
    said = [quote.text for quote in memo.quotes if quote.text and not only_asks(quote.text)]
    return replace(one, content=f"{memo.summary} \u2014 {said[0]}") if said else one
