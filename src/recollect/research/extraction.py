"""Takes the words that answer out of events, verbatim, and says what their dates mean.

A quote is a piece of the event's text as it stands there. What is resolved (a relative date) is
written beside the quote, never into it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from recollect.chat.relative_dates import with_dates, written
from recollect.inference.embedder import Lexicon
from recollect.research.answer_values import RESOLVED, holds_value, value_in
from recollect.research.evidence import WordMatcher
from recollect.research.questions import ReadQuestion
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import Citation

#: A quote has at most so many characters.
LONGEST_QUOTE: Final = 300
_READ: Final = 6_000  # characters of an event
_MAX_SENTENCES: Final = 60
_END: Final = re.compile(r"[.!?\u3002\uff01\uff1f][\"')\]\u201d\u2019]?(?=\s|$)|\n")
_BONUS: Final = 0.15
_ASKS: Final = 0.2
_CODE: Final = 0.3
_FENCE: Final = "```"
_AS_NEAR: Final = 0.6  # beside the nearest quote
#: What opens a message and answers nothing.
_OPENING: Final = re.compile(
    r"(?:hey|hi|hello|thanks|thank you|wow|yeah|yep|yes|oh|sure|well|so|ok|okay|cool|great|awesome"
    r"|congrats|absolutely|definitely|totally)\b[^.!?,]{0,40}[,.!]\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """The words of one event that bear on a question, and how nearly."""

    event: Event
    quote: str
    nearness: float


def quoted(question: ReadQuestion, event: Event, lexicon: Lexicon | None) -> Quoted:
    """The sentence of an event that is nearest to a question, one in prose before a line of code;
    all of it where it is short and on one line."""
    text = event.text[:_READ]
    matcher = WordMatcher(question.words, lexicon)
    spans = sentences(text) or [(0, len(text))]
    scored = [
        (_nearness(matcher, question, text[start:end]), -place, start, end)
        for place, (start, end) in enumerate(spans)
    ]
    if _FENCE in text:
        scored = [
            (near - _CODE * _is_code(text, start, end), place, start, end)
            for near, place, start, end in scored
        ]
    best = max(scored)
    whole = text.strip()
    if len(whole) <= LONGEST_QUOTE and "\n" not in whole:
        return Quoted(event, whole, best[0])
    return Quoted(event, _cut(text[best[2] : best[3]]), best[0])


def _is_code(text: str, start: int, end: int) -> bool:
    """Whether a piece of a text stands in a block of code, or holds one of its borders."""
    return text.count(_FENCE, 0, start) % 2 == 1 or _FENCE in text[start:end]


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end."""
    spans, start = [], 0
    for found in _END.finditer(text):
        spans.append((start, found.end()))
        start = found.end()
        if len(spans) >= _MAX_SENTENCES:
            break
    spans.append((start, len(text)))
    return [(begin, end) for begin, end in spans if text[begin:end].strip()]


def short_answer(question: ReadQuestion, ranked: Sequence[Quoted]) -> tuple[str, int, bool]:
    """The bare answer to a question, which of the quotes it was taken from, and whether it is a
    value of the kind that is asked for; otherwise it is the nearest sentence."""
    best = max((one.nearness for one in ranked), default=0.0)
    for place, one in enumerate(ranked):
        if one.nearness < _AS_NEAR * best:
            continue
        day = one.event.occurred_at.date()
        for text in (_nearest_sentence(question, one), one.quote):
            found = value_in(question, text, day)
            if found:
                return found, place, True
    return (_nearest_sentence(question, ranked[0]), 0, False) if ranked else ("", 0, False)


def line_of(citation: Citation) -> str:
    """A citation as a sentence: who said it, where and when, the quote, and what its dates mean."""
    meant = dates_meant(citation.quote, citation.at.date())
    beside = f" ({meant})" if meant else ""
    return (
        f"{citation.author} in {citation.stream}, {written(citation.at.date(), 'en')}: "
        f"\u201c{citation.quote}\u201d{beside} [{citation.number}]"
    )


def dates_meant(text: str, day: date) -> str:
    """What the relative dates of a text mean, said on a day: ``yesterday: 7 May 2023``."""
    told = with_dates(text, day)
    if told == text:
        return ""
    found = []
    for meaning in RESOLVED.finditer(told):
        if f"({meaning[1]})" not in text:
            words = told[: meaning.start()].split()
            found.append(f"{' '.join(words[-2:])}: {meaning[1]}")
    return "; ".join(found[:3])


def _nearest_sentence(question: ReadQuestion, one: Quoted) -> str:
    """The nearest sentence, without how the message opens."""
    text = one.quote
    matcher = WordMatcher(question.words, None)
    spans = sentences(text) or [(0, len(text))]
    start, end = max(spans, key=lambda span: _nearness(matcher, question, text[span[0] : span[1]]))
    return _OPENING.sub("", text[start:end].strip(), count=1).strip()


def _nearness(matcher: WordMatcher, question: ReadQuestion, sentence: str) -> float:
    held = matcher.matches(sentence)
    nearness = float(held.mean()) if len(held) else 0.0
    if sentence.rstrip().endswith("?"):
        nearness -= _ASKS
    return nearness + (_BONUS if holds_value(question, sentence) else 0.0)


def _cut(text: str) -> str:
    """A piece of a text that is no longer than a quote may be, ending at a word."""
    plain = text.strip()
    if len(plain) <= LONGEST_QUOTE:
        return plain
    end = plain.rfind(" ", 0, LONGEST_QUOTE)
    return plain[: end if end > 0 else LONGEST_QUOTE]
