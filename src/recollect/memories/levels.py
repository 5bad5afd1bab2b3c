"""The shorter forms of a memory, worked out in the write itself or by a job after it.

Counting tokens needs a vocabulary that takes a while to load, so a first write leaves the forms to
a job; once that has loaded it, or a server has before it answers, a short content gets its forms at
once and promises nothing.

Without a model: the summary is the leading sentences, the compressed form drops the words that
carry least, the index line is the first few telling words. What the caller brought is never
replaced; token counts are filled in for all four.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from recollect.inference.tokens import count_tokens
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads, writes
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory import Levels, Memory
from recollect.vocabulary.stopwords import STOP_WORDS

SUMMARY_CHARACTERS: Final = 280
COMPRESSED_CHARACTERS: Final = 120
INDEX_CHARACTERS: Final = 40
AT_ONCE_CHARACTERS: Final = 1_000

_NONE: Final = Levels()
_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n+")


class Shortener:
    """Gives short contents their forms in the write, as soon as counting is at hand."""

    def __init__(self) -> None:
        self._at_hand = False

    def warm(self) -> None:
        """Have counting at hand from now on."""
        count_tokens("ready")
        self._at_hand = True

    def forms(self, content: str, brought: Levels) -> Levels:
        """All forms of a content, or those that were brought when a job had better make the rest.

        Where somebody brought one, a job fills in the others: what stands here at once is ours.
        """
        if brought != _NONE or not self._at_hand or len(content) > AT_ONCE_CHARACTERS:
            return brought
        return filled_levels(content, brought)


class LevelsHandler:
    """Fills in levels for the memories that jobs name."""

    def __init__(self, database: Database, shortener: Shortener) -> None:
        self._database = database
        self._shortener = shortener

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Work the forms out; write them if the memories are still the same."""
        wanted: dict[str, list[str]] = {}
        for job in jobs:
            wanted.setdefault(job.space_id, []).append(job.payload["memory"])
        filled: list[Memory] = []
        with self._database.reading(house=True) as transaction:
            for space_id, ids in wanted.items():
                for memory in reads.memories_for_jobs(transaction, space_id, ids):
                    levels = filled_levels(memory.content, memory.levels)
                    if levels != memory.levels:
                        filled.append(replace(memory, levels=levels))
        self._shortener.warm()

        def write(transaction: Transaction) -> None:
            for memory in filled:
                writes.put_levels(transaction, memory)

        return write


def filled_levels(content: str, levels: Levels) -> Levels:
    """All four levels with their counts; what is there stays."""
    summary = levels.summary or summarised(content)
    compressed = levels.compressed or compressed_form(summary)
    index = levels.index or index_line(compressed)
    counts = {text: count_tokens(text) for text in {content, summary, compressed, index}}
    return Levels(
        summary=summary,
        compressed=compressed,
        index=index,
        full_tokens=counts[content],
        summary_tokens=counts[summary],
        compressed_tokens=counts[compressed],
        index_tokens=counts[index],
    )


def summarised(content: str) -> str:
    """The leading sentences that fit; the start of the first one when it alone does not."""
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(content.strip()):
        if sum(map(len, kept)) + len(kept) + len(sentence) > SUMMARY_CHARACTERS:
            break
        kept.append(sentence)
    return " ".join(kept) or _cut(" ".join(content.split()), SUMMARY_CHARACTERS)


def compressed_form(text: str) -> str:
    """The words that tell, in their order."""
    words = [word for word in text.split() if word.lower().strip(".,;:!?'\"") not in STOP_WORDS]
    return _cut(" ".join(words) or text, COMPRESSED_CHARACTERS)


def index_line(text: str) -> str:
    """A name to know it by."""
    return _cut(text, INDEX_CHARACTERS)


def _cut(text: str, limit: int) -> str:
    """The text up to the last word that fits."""
    if len(text) <= limit:
        return text
    shortened = (
        text[: limit - 1].rsplit(" ", 1)[0] if " " in text[: limit - 1] else text[: limit - 1]
    )
    return shortened.rstrip(" .,;:") + "…"
