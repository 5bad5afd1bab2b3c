"""Wishes of one person: what somebody asked for in a session counts for their own agents first.

Such a memory is the project's as soon as a second person says the same, or when somebody else, or a
steward, confirms or pins it. Until then everybody may read it, under its author's name, and agents
of other people are not told of it unasked.
"""

from typing import Final

from recollect.vocabulary.memory import Memory

#: Tag of a memory that one person's words laid down and nobody else has made the project's.
ONE_PERSONS_WISH: Final = "wish:one-person"


def is_one_persons_wish(memory: Memory) -> bool:
    """Whether a memory is the wish of one person and not the project's yet."""
    return ONE_PERSONS_WISH in memory.tags


def is_others_wish(memory: Memory, user: str) -> bool:
    """Whether a memory is the wish of one other person, so that this one's agents are not told."""
    return is_one_persons_wish(memory) and memory.provenance.created_by != user


def without_wish_tag(tags: tuple[str, ...]) -> tuple[str, ...]:
    """The tags of a memory that has become the project's."""
    return tuple(tag for tag in tags if tag != ONE_PERSONS_WISH)
