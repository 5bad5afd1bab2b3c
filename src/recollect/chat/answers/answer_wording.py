"""Words an answer: the text of an entry or of a sentence of a message, with its day and source."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from recollect.chat.answers.answer_kinds import FULL_DATE, holds
from recollect.chat.answers.answer_people import KnownEntry
from recollect.chat.answers.question_reader import AskedQuestion
from recollect.chat.language.command_replies import answer
from recollect.chat.language.relative_dates import with_beginning, written
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.trust.prompt_injection import signs
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import ChatAnswer, Entry

OTHERS: Final = 5
#: Questions about when something happened.
HAPPENED: Final = re.compile(
    r"\b(?:did|was|were|has|have|had|ai|as|a|était|avons|ont|sommes|c'était"
    r"|(?<!c')est(?!-ce| (?:mon|ma|mes|notre|nos|le|la|les|prévue?|quand)\b| l'))\b",
    re.IGNORECASE,
)
#: Questions about when something began that still lasts.
_BEGAN: Final = re.compile(
    r"\b(?:since|start(?:ed)?|began|begin|get|got|have|had|been|depuis|commencé|à partir)\b", re.I
)
_ALIKE: Final = 0.8


def sentence_told(
    transaction: Transaction, access: Access, read: AskedQuestion, sentence: KnownEntry
) -> ChatAnswer | None:
    """Answer with a sentence of a message; None where it no longer holds or gives orders."""
    event_id = sentence.id.partition("#")[0]
    made = reads.pointing_at(transaction, access, event_id)
    no_longer = any(one.superseded_by is not None for one in made)
    if (no_longer and not read.past) or any(sign.strong for sign in signs(sentence.text)):
        return None
    text = with_day(sentence.text, sentence.at, read)
    return ChatAnswer(text, True, read.language, sentence.at, None, (event_id,))


def joined(entry: Entry, others: tuple[Entry, ...], scores: dict[str, float]) -> str:
    """Text of all entries that answer equally well: "what are my daughters called?"."""
    alike = scores[entry.id] - _ALIKE
    texts = [entry, *(one for one in others if scores[one.id] >= alike)]
    return "; ".join(one.memory.content.rstrip(".") for one in texts)


def listed(entries: list[Entry], read: AskedQuestion) -> ChatAnswer:
    """Combine several entries into one answer."""
    first, *others = entries
    text = "; ".join(one.memory.content.rstrip(".") for one in entries)
    return replace(memory_told(first.memory, read), text=text, others=tuple(others)[:OTHERS])


def memory_told(memory: Memory, read: AskedQuestion) -> ChatAnswer:
    """Answer with the text of a memory."""
    return ChatAnswer(
        with_day(memory.content, memory.valid_from, read),
        True,
        read.language,
        memory.valid_from,
        memory.id,
        memory.provenance.events,
    )


def with_day(text: str, at: datetime, read: AskedQuestion) -> str:
    """Text with the day on which it was said added, if the question asks when and the text has no
    date.
    """
    if read.wants != "when":
        return text
    if _BEGAN.search(read.text) and not FULL_DATE.search(text):
        text = with_beginning(text, at.date())
    if not HAPPENED.search(read.text) or holds("when", text, read.text):
        return text
    day = written(at.date(), read.language)
    return answer("told_on", read.language, text=text, day=day)


def since(entry: Entry) -> datetime:
    return entry.memory.valid_from
