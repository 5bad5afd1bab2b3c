"""Which words of a memory are searched, and which are embedded."""

from recollect.vocabulary.memory import Memory


def searched_words(memory: Memory) -> str:
    """The content, and what it is tied to, so that a file's name finds it."""
    return "\n".join((memory.content, *memory.tags, *memory.files, *memory.modules))


def embedded_text(memory: Memory) -> str:
    """The content alone."""
    return memory.content
