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
from recollect.research.evidence import WordMatcher
from recollect.research.questions import AnswerType, ReadQuestion
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import Citation

#: A quote has at most so many characters.
LONGEST_QUOTE: Final = 300
_READ: Final = 6_000  # characters of an event
_MOST_SENTENCES: Final = 60
_END: Final = re.compile(r"[.!?\u3002\uff01\uff1f][\"')\]\u201d\u2019]?(?=\s|$)|\n")
_RESOLVED: Final = re.compile(r" \(([^()]{3,40})\)")
_MONTHS: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_DATE: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}(?:,? \d{{4}})?\b"
    rf"|\b{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|\b{_MONTHS} \d{{4}}\b"
    rf"|\b(?:in|since|until) {_MONTHS}\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b(?:19|20)\d{{2}}\b",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"[$\u20ac\u00a3]?\b\d[\d,.]{0,12}\b(?:%| ?[a-zA-Z]{2,20})?"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred"
    r"|dozen|couple of|few|several|once|twice) ?(?:[a-zA-Z]{2,20})?\b",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w-]{1,40}(?: [A-Z][\w-]{1,40}){0,3}")
_BONUS: Final = 0.15
_ASKS: Final = 0.2
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
    """The sentence of an event that is nearest to a question; all of it where it is short and
    on one line."""
    text = event.text[:_READ]
    matcher = WordMatcher(question.words, lexicon)
    spans = sentences(text) or [(0, len(text))]
    scored = [
        (_nearness(matcher, text[start:end], question.wants), -place, start, end)
        for place, (start, end) in enumerate(spans)
    ]
    best = max(scored)
    whole = text.strip()
    if len(whole) <= LONGEST_QUOTE and "\n" not in whole:
        return Quoted(event, whole, best[0])
    return Quoted(event, _cut(text[best[2] : best[3]]), best[0])


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text begin and end."""
    spans, start = [], 0
    for found in _END.finditer(text):
        spans.append((start, found.end()))
        start = found.end()
        if len(spans) >= _MOST_SENTENCES:
            break
    spans.append((start, len(text)))
    return [(begin, end) for begin, end in spans if text[begin:end].strip()]


def short_answer(question: ReadQuestion, ranked: Sequence[Quoted]) -> tuple[str, int]:
    """The bare answer to a question, and which of the quotes it was taken from; empty if none."""
    for place, one in enumerate(ranked):
        found = _bare(question, one)
        if found:
            return found, place
    return "", 0


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
    for meaning in _RESOLVED.finditer(told):
        if f"({meaning[1]})" not in text:
            words = told[: meaning.start()].split()
            found.append(f"{' '.join(words[-2:])}: {meaning[1]}")
    return "; ".join(found[:3])


def time_told(text: str, day: date) -> str:
    """The time that a text tells of: a date in it, or what its relative date means."""
    explicit = _DATE.search(text)
    told = with_dates(text, day)
    if told != text:
        meaning = next((m for m in _RESOLVED.finditer(told) if f"({m[1]})" not in text), None)
        if meaning is not None:
            return meaning[1]
    return explicit[0] if explicit else ""


def _bare(question: ReadQuestion, one: Quoted) -> str:
    day = one.event.occurred_at.date()
    if question.wants == "time":
        return time_told(one.quote, day) or time_told(one.event.text[:_READ], day)
    if question.wants == "number":
        found = _AMOUNT.search(one.quote)
        return found[0].strip() if found else ""
    if question.wants in ("person", "place"):
        names = [name for name in _NAMES.findall(one.quote) if name not in question.text]
        return names[0] if names else ""
    return _plain_sentence(question, one)


def _plain_sentence(question: ReadQuestion, one: Quoted) -> str:
    """The nearest sentence, without how the message opens."""
    text = one.quote
    matcher = WordMatcher(question.words, None)
    spans = sentences(text) or [(0, len(text))]
    start, end = max(
        spans, key=lambda span: _nearness(matcher, text[span[0] : span[1]], question.wants)
    )
    return _OPENING.sub("", text[start:end].strip(), count=1).strip()


def _nearness(matcher: WordMatcher, sentence: str, wants: AnswerType) -> float:
    held = matcher.matches(sentence)
    nearness = float(held.mean()) if len(held) else 0.0
    if sentence.rstrip().endswith("?"):
        nearness -= _ASKS
    if (wants == "number" and _AMOUNT.search(sentence)) or (
        wants == "time" and time_told(sentence, date(2000, 1, 5))
    ):
        nearness += _BONUS
    return nearness


def _cut(text: str) -> str:
    """A piece of a text that is no longer than a quote may be, ending at a word."""
    plain = text.strip()
    if len(plain) <= LONGEST_QUOTE:
        return plain
    end = plain.rfind(" ", 0, LONGEST_QUOTE)
    return plain[: end if end > 0 else LONGEST_QUOTE]
