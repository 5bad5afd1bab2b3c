"""Extracts verbatim quotes that answer a question from events, and resolves their dates.

A quote is an unchanged piece of the event's text. A resolved relative date is written beside the
quote, never into it.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from recollect.chat.language.relative_dates import with_dates, written
from recollect.inference.embedder import Lexicon
from recollect.research.answer_values import RESOLVED, TIME, holds_value, is_denied, value_in
from recollect.research.asking_messages import tells_nothing
from recollect.research.questions import ReadQuestion, content_words_of, named_in, term_of
from recollect.research.word_matcher import WordMatcher
from recollect.vocabulary.events import Event
from recollect.vocabulary.question_texts import only_asks
from recollect.vocabulary.research import Citation

#: Maximum number of characters of a quote.
LONGEST_QUOTE: Final = 300
_READ: Final = 6_000  # characters of an event
_MAX_SENTENCES: Final = 60
_END: Final = re.compile(r"[.!?\u3002\uff01\uff1f][\"')\]\u201d\u2019]?(?=\s|$)|\n")
_BONUS: Final = 0.15
_ASKS: Final = 0.2
_CODE: Final = 0.3
_FENCE: Final = "```"
_NEARLY_ALL: Final = 0.75
_HOLDS_ALL: Final = 0.6
#: Questions about the time of something that happened, and words of a time that is not resolved.
_HAPPENED: Final = re.compile(r"^\W{0,9}when (?:did|was|were)\b", re.IGNORECASE)
_ANOTHER_TIME: Final = re.compile(
    rf"\b(?:ago|last|next|earlier|later|before|after|since|until|soon|will|going to|if|when|not"
    rf"|never|recently|once)\b|n't\b|{TIME}",
    re.IGNORECASE,
)
_MAX_ADDRESSEES: Final = 8  # words
_AS_NEAR: Final = 0.6  # share of the nearest quote's score
#: Openings of a message that answer nothing.
_OPENING: Final = re.compile(
    r"(?:hey|hi|hello|thanks|thank you|wow|yeah|yep|yes|oh|sure|well|so|ok|okay|cool|great|awesome"
    r"|congrats|absolutely|definitely|totally)\b[^.!?,]{0,40}[,.!]\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """The words of one event that bear on a question, and their nearness."""

    event: Event
    quote: str
    nearness: float


def quoted(question: ReadQuestion, event: Event, lexicon: Lexicon | None) -> Quoted:
    """The sentence of an event that is nearest to a question, prose before code; the whole text
    where it is short and on one line.
    """
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
    """Whether a piece of a text is in a code block, or holds one of its fences."""
    return text.count(_FENCE, 0, start) % 2 == 1 or _FENCE in text[start:end]


def sentences(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence of a text."""
    spans, start = [], 0
    for found in _END.finditer(text):
        spans.append((start, found.end()))
        start = found.end()
        if len(spans) >= _MAX_SENTENCES:
            break
    spans.append((start, len(text)))
    return [(begin, end) for begin, end in spans if text[begin:end].strip()]


def short_answer(question: ReadQuestion, ranked: Sequence[Quoted]) -> tuple[str, int, bool]:
    """The short answer to a question, the number of the quote it comes from, and whether it is a
    value of the wanted kind; otherwise it is the nearest sentence.

    Where some of the quotes hold the numbers of the question ("version 7.0"), a value of the others
    is about another thing.
    """
    best = max((one.nearness for one in ranked), default=0.0)
    numbers = {name for name in named_in(question.text) if any(map(str.isdigit, name))}
    about = [numbers <= named_in(one.event.text[:_READ]) for one in ranked]
    for place, one in enumerate(ranked):
        if one.nearness < _AS_NEAR * best or (any(about) and not about[place]):
            continue
        day = None if one.event.time_unknown else one.event.occurred_at.date()
        for text in (_nearest_sentence(question, one), one.quote):
            found = value_in(question, text, day)
            if found:
                return found, place, True
    told = _when_told(question, ranked[0]) if ranked else ""
    if told:
        return told, 0, True
    return (_nearest_sentence(question, ranked[0]), 0, False) if ranked else ("", 0, False)


def _when_told(question: ReadQuestion, one: Quoted) -> str:
    """When something was told, where that is all that is known of the time of what happened: the
    nearest message holds the question and no time.
    """
    if one.event.time_unknown:
        return ""
    if not _HAPPENED.search(question.text) or one.nearness < _HOLDS_ALL:
        return ""
    if _ANOTHER_TIME.search(one.quote) or only_asks(one.quote):
        return ""
    return f"told on {written(one.event.occurred_at.date(), 'en')}"


def informative_quotes(
    question: ReadQuestion, ranked: Sequence[Quoted], replies: Container[str]
) -> list[Quoted]:
    """The quotes that tell something about a question; all of them where none does.

    A message that only asks answers nothing. Where one holds nearly all of the question, another
    that holds no word of it, and replies to nobody who asked it, is about something else.
    """
    informative = [
        one for one in ranked if not tells_nothing(question, _without_addressees(one.event.text))
    ]
    best = max((one.nearness for one in informative), default=0.0)
    words = {term_of(word) for word in question.words}
    kept = [
        one
        for one in informative
        if best < _NEARLY_ALL
        or one.event.id in replies
        or one.nearness >= _AS_NEAR * best
        or words & {term_of(word) for word in content_words_of(one.event.text[:_READ])}
    ]
    return kept or list(ranked)


def _without_addressees(text: str) -> str:
    """A message without the people whom it calls after its question: "... billing? @Bob Roy"."""
    asked, mark, called = text.rstrip().rpartition("?")
    names = called.split()
    is_call = bool(names) and names[0].startswith(("@", "<@")) and len(names) <= _MAX_ADDRESSEES
    return asked + mark if is_call else text


def line_of(citation: Citation) -> str:
    """A citation as a sentence: author, place and time, the quote, and the resolved dates."""
    day = None if citation.time_unknown else citation.at.date()
    meant = "" if day is None else dates_meant(citation.quote, day)
    beside = f" ({meant})" if meant else ""
    when = "time unknown" if day is None else written(day, "en")
    return (
        f"{citation.author} in {citation.stream}, {when}: "
        f"\u201c{citation.quote}\u201d{beside} [{citation.number}]"
    )


def dates_meant(text: str, day: date) -> str:
    """The relative dates of a text, resolved from its day: ``yesterday: 7 May 2023``."""
    told = with_dates(text, day)
    if told == text:
        return ""
    found = []
    for meaning in RESOLVED.finditer(told):
        if f"({meaning[1]})" not in text:
            words = told[: meaning.start()].split()
            if is_denied(words):
                continue
            found.append(f"{' '.join(words[-2:])}: {meaning[1]}")
    return "; ".join(found[:3])


def _nearest_sentence(question: ReadQuestion, one: Quoted) -> str:
    """The nearest sentence, without the opening of the message."""
    text = one.quote
    matcher = WordMatcher(question.words, None)
    spans = sentences(text) or [(0, len(text))]
    start, end = max(spans, key=lambda span: _nearness(matcher, question, text[span[0] : span[1]]))
    sentence = text[start:end].strip()
    opening = _OPENING.match(sentence)
    return sentence[opening.end() :].strip() if opening else sentence


def _nearness(matcher: WordMatcher, question: ReadQuestion, sentence: str) -> float:
    held = matcher.matches(sentence)
    nearness = float(held.mean()) if len(held) else 0.0
    if sentence.rstrip().endswith("?"):
        nearness -= _ASKS
    return nearness + (_BONUS if holds_value(question, sentence) else 0.0)


def _cut(text: str) -> str:
    """A piece of a text, cut at a word to the maximum length of a quote."""
    plain = text.strip()
    if len(plain) <= LONGEST_QUOTE:
        return plain
    end = plain.rfind(" ", 0, LONGEST_QUOTE)
    return plain[: end if end > 0 else LONGEST_QUOTE]
