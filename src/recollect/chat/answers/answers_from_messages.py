"""A person's own messages as a source of answers when no entry holds the answer.

Much that is asked for later was mentioned in passing and made no entry. The text is still in the
message, which is an event of the person. Questions, hypotheticals, quotations and pasted text are
left out.

Forgotten content must never be repeated: every message before the last "forget ..." is left out,
and so is a message that an archived entry came from. A sentence that made an entry is left out too:
the entry answers, or it was erased.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Final

from recollect.chat.answers.answer_people import LEANS_ON_SUBJECT, KnownEntry
from recollect.chat.language.relative_dates import with_dates
from recollect.chat.language.sentences import clauses_of, is_pasted, sentences_of, without_foreign
from recollect.chat.language.speech_acts import SpeechAct, opening_removed, speech_act
from recollect.chat.statements.lasting_score import lasting_score
from recollect.chat.statements.statement_extraction import statements_of
from recollect.memories.text_comparison import normalised
from recollect.storage.chat.audit import last_done
from recollect.storage.database import Transaction
from recollect.storage.memories.reads import cited_by_archived
from recollect.storage.pages.streams import last_messages
from recollect.vocabulary.audiences import Access

#: Beginning of the name of a person's message stream.
STREAM: Final = "chat of"
_MAX_MESSAGES: Final = 200
_SENTENCES: Final = 30
_FEWEST_WORDS: Final = 3
_BEFORE: Final = 400
_LONGEST: Final = 2_000
_LASTING: Final = 0.3
_CLEAR: Final = 1.5
_TELLS_NOTHING: Final = frozenset(
    {SpeechAct.QUESTION, SpeechAct.HYPOTHETICAL, SpeechAct.QUOTATION, SpeechAct.PASTED}
)
_OF_SPEAKER: Final = re.compile(
    r"\b(?:i|i'm|i've|my|mine|our|we|we're|je|j'\w{1,15}|mon|ma|mes|notre|nos)\b", re.IGNORECASE
)
_IMAGINED: Final = re.compile(
    r"\b(?:if|unless|suppose|imagine|pretend) (?:i|we|he|she|they|my|our)\b"
    r"|\bwould (?:i|we|my|our|it|that)\b"
    r"|\b(?:si (?:je|on|nous)|si j'|imagine|imaginons)\b",
    re.IGNORECASE,
)
_REMOVED: Final = re.compile(r"\[secret removed")


def told_sentences(
    transaction: Transaction,
    access: Access,
    until: datetime | None,
    made: Mapping[str, Sequence[str]],
) -> list[KnownEntry]:
    """Sentences of the viewer's last messages, newest message first. An id is that of the message,
    a "#" and a number. ``made`` has the texts of known entries by the message that they are from.
    """
    messages = _messages(transaction, access, until)
    put_away = cited_by_archived(transaction, access, [one[0] for one in messages])
    found: list[KnownEntry] = []
    for index, (event_id, text, at) in enumerate(messages):
        if event_id in put_away:
            continue
        before = messages[index + 1][1] if index + 1 < len(messages) else ""
        for number, said in enumerate(_untold(text, at.date(), tuple(made.get(event_id, ())))):
            found.append(
                KnownEntry(
                    f"{event_id}#{number}",
                    with_dates(said, at.date()),
                    at,
                    before=before[:_BEFORE] if LEANS_ON_SUBJECT.match(said) else "",
                    message=text[:_LONGEST],
                    worth=_worth(said),
                    is_sentence=True,
                )
            )
    return found


def last_told(transaction: Transaction, access: Access, until: datetime | None) -> list[str]:
    """Ids of the viewer's last messages without an archived entry, newest first."""
    ids = [event_id for event_id, _, _ in _messages(transaction, access, until)]
    put_away = cited_by_archived(transaction, access, ids)
    return [event_id for event_id in ids if event_id not in put_away]


def _messages(
    transaction: Transaction, access: Access, until: datetime | None
) -> list[tuple[str, str, datetime]]:
    return last_messages(
        transaction,
        access,
        f"{STREAM} {access.viewer.user}",
        until=until,
        recorded_after=last_done(transaction, access, "forget"),
        limit=_MAX_MESSAGES,
    )


@lru_cache(2_048)
def _untold(text: str, day: date, entries: tuple[str, ...]) -> tuple[str, ...]:
    """The sentences of a message that state something and made no entry. ``entries`` are known to
    come from it; what else it made is read anew, where that does not account for all of it.
    """
    told = {said: normalised(with_dates(said, day)) for said in _own_sentences(text)}
    left = _beside(told, map(normalised, entries))
    return tuple(_beside(left, _made(text, day))) if left else ()


def _beside(told: Mapping[str, str], made: Iterable[str]) -> dict[str, str]:
    """The sentences, with their normal form, that neither contain the text of an entry nor are
    contained in one.
    """
    known = list(made)
    return {
        said: plain
        for said, plain in told.items()
        if not any(one in plain or plain in one for one in known)
    }


def _made(text: str, day: date) -> list[str]:
    lasting = (SpeechAct.STATEMENT, SpeechAct.PREFERENCE)
    return [normalised(one.text) for one in statements_of(text, day) if one.act in lasting]


def _own_sentences(text: str) -> Iterator[str]:
    if is_pasted(text):
        return
    for sentence in sentences_of(without_foreign(text))[:_SENTENCES]:
        if _IMAGINED.search(sentence):
            continue
        parts = clauses_of(sentence) if speech_act(sentence) in _TELLS_NOTHING else [sentence]
        for said in parts:
            if len(said.split()) >= _FEWEST_WORDS and not _REMOVED.search(said) and _tells(said):
                yield said


def _worth(said: str) -> float:
    """Score adjustment: positive for lasting statements, negative for mere talk."""
    score = lasting_score(opening_removed(said) or said, speech_act(said).value)
    return _LASTING * max(-_CLEAR, min(_CLEAR, score))


def _tells(said: str) -> bool:
    """Whether a text states something; a request only counts if it says "my"."""
    act = speech_act(said)
    if act in _TELLS_NOTHING or said.rstrip().endswith("?"):
        return False
    return act is not SpeechAct.REQUEST or _OF_SPEAKER.search(said) is not None
