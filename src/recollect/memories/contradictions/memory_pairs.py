"""Judges whether two memories contradict each other, by the words that somebody stands behind.

A program's note of a session quotes what a person said there, and tells around it on what occasion
and which files were changed. Only the quoted words state something, and they are turns of a
conversation: one turn after another about other things ("let's fix the rest", "let's answer the
comment") changes nothing. So their sentences are compared only where they are about the same.
"""

import re
from typing import Final

from recollect.memories.contradictions.judge import PairJudgement, judge_pair
from recollect.memories.near_duplicates import WordVectors
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import INFERRED

#: What somebody said, in a program's note: quoted after a colon.
_SAID: Final = re.compile(r": \u201c([^\u201d]*)(?:\u201d|\Z)")


def judge_memories(old: Memory, new: Memory, vectors: WordVectors | None) -> PairJudgement:
    """Judge whether an older and a newer memory can both hold."""
    first, second = _quoted(old), _quoted(new)
    return judge_pair(
        first or old.content,
        second or new.content,
        vectors,
        by_sentence=bool(first or second),
    )


def quotes(memory: Memory) -> bool:
    """Whether a memory is a program's note that quotes a person, and nobody has confirmed it."""
    return bool(_quoted(memory))


def _quoted(memory: Memory) -> str:
    """The words that a program's note quotes."""
    if memory.provenance.source not in INFERRED or memory.user_verified:
        return ""
    return " ".join(one.strip() for one in _SAID.findall(memory.content))
