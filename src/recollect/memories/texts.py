"""Which words of a memory are searched, and which are embedded."""

from typing import Final

from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType

_APART: Final = str.maketrans("/._-", "    ")


def searched_words(memory: Memory) -> str:
    """The content, and what it is tied to, so that a file's name finds it."""
    return "\n".join((memory.content, *memory.tags, *memory.files, *memory.modules))


def embedded_text(memory: Memory) -> str:
    """The content between its type and its files and modules, all as words.

    Measured by ``benchmarks/memory_texts.py``: people at work ask for "gotchas of the parser". That
    something is a fact says nothing about it.
    """
    kind = "" if memory.type is MemoryType.FACT else memory.type.value.translate(_APART)
    tied = " ".join((*memory.files, *memory.modules)).translate(_APART)
    return f"{kind} {memory.content} {tied}".strip() if kind or tied else memory.content
