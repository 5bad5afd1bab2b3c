"""Reads a question into a plan: its words, its type, whom it asks about, the answer it wants.

A plan holds for all collections. Properties that depend on the stored data (names of authors, how
rare a word is) are determined when a collection is surveyed.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from recollect.index.analyser import query_terms
from recollect.recall.profiles import Profile
from recollect.vocabulary.arguments import repaired_text, whole
from recollect.vocabulary.errors import InvalidText
from recollect.vocabulary.lazy_patterns import lazy_pattern
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters
from recollect.vocabulary.stopwords import STOP_WORDS

LIMIT: Final = 1_000
_TERMS: Final = 64
_QUERY_CHARACTERS: Final = 10_000

QueryType = Literal["identifier", "semantic", "structural"]
AnswerKind = Literal["time", "number", "name"]

_IDENTIFIER: Final = lazy_pattern(r"[a-z][A-Z]|\w_\w|\w/\w|\w\.\w{1,4}\b|::")
_STRUCTURAL: Final = lazy_pattern(
    r"\b(?:depends? on|calls?|callers?|imports?|impact of|used by|uses of|references? to)\b", re.I
)
_FIRST_PERSON: Final = lazy_pattern(r"\b(?:I|i|my|mine|me|myself|we|our)\b")
#: Polite phrases ("can you ..."), which say nothing about the person addressed.
_POLITELY: Final = lazy_pattern(
    r"\b(?:can|could|would|will|do|did) you\b(?! (?:say|tell|mention|suggest|recommend|propose)\b)"
    r"|\bwould you (?:suggest|recommend|propose)\b|\bthank you\b",
    re.I,
)
_SECOND_PERSON: Final = lazy_pattern(r"\byou(?:r|rs)?\b", re.I)
#: The asker wants advice or something made, to which their standing wishes apply ...
_WANTS_HELP: Final = lazy_pattern(
    r"\bhow (?:should|can|could|do|would|might) (?:i|we|you)\b|\b(?:should|can|could) (?:i|we)\b"
    r"|\bi(?: a|['\u2019])m (?:planning|looking|trying|working|thinking|considering|about|going"
    r"|preparing|setting|getting|interested|hoping|starting)\b"
    r"|\bi(?: would|['\u2019]d)? (?:want|need|like) (?:to|help|some|your|a)\b"
    r"|\bwhat (?:are|is|would be) (?:some|the best|a good|good)\b"
    r"|\bany (?:tips|advice|suggestions|ideas)\b"
    r"|\b(?:help|advise|show|explain|suggest|recommend|write|create|draft)\b"
    r"|\bwhich \w+ (?:are|should|would)\b|\bcomment (?:puis|dois|faire)\b|\baide[rz]?\b",
    re.I,
)
#: ... and does not ask about the past.
_LOOKS_BACK: Final = lazy_pattern(
    r"\b(?:have|has|had|did|was|were) (?:i|we)\b|\bhow many\b|\bhow (?:much|long|often)\b"
    r"|\b(?:i|we) (?:said|told|mentioned|brought|did|asked|discussed|talked)\b"
    r"|\bsummar(?:y|ize|ise)|\b(?:in|the) order\b|\bdid you\b|^\W*when\b",
    re.I,
)
#: Parts of a question about the conversation itself and about the answer, not about the topic.
_FRAME: Final = lazy_pattern(
    r"\b(?:can|could|would|will) you(?: please)?\b"
    r"|\b(?:list|tell me|give me|show me|provide|walk me through|remind me of)"
    r"(?: me)?(?: an?| the| all)?(?: \w{1,20})? (?:order in which|summary|overview|list|timeline)\b"
    r"|\bsummari[sz]e\b|\bwalk me through\b"
    r"|\b(?:i|we)(?: have|['\u2019]ve)? (?:brought up|mentioned|discussed|talked about|covered"
    r"|went over|gone over|spoke about|spoken about)(?: so far)?\b"
    r"|\b(?:different|various|several) (?:aspects|concepts|topics|parts|areas|things)"
    r"(?: of| related to)?\b"
    r"|\b(?:throughout|across|in|during|over) (?:all )?(?:of )?(?:our|my|the|these) "
    r"(?:\w{1,20} )?(?:conversations?|chats?|discussions?|sessions?|messages)\b"
    r"|\border in which\b|\bin (?:chronological |the right )?order\b"
    r"|\bmention only(?: and only)? \w{1,20} items?\b",
    re.I,
)
#: One of these is in every such part: few questions have one, and to look for the parts takes as
#: long as the rest of a plan.
_FRAME_WORDS: Final = (
    *(" you", "order", "summar", "overview", "list", "timeline", "walk", "brought", "mention"),
    *("discuss", "talked", "covered", "went over", "gone over", "spoke", "aspect", "concept"),
    *("topic", "parts", "areas", "things", "conversation", "chat", "session", "message"),
)
_ANSWERS: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    (
        "time",
        lazy_pattern(
            r"^\W*(?:when|since when|how long|what (?:date|time|day|month|year))\b| when ", re.I
        ),
    ),
    ("number", lazy_pattern(r"\bhow (?:many|much|often|old)\b", re.I)),
    ("name", lazy_pattern(r"^\W*(?:who|where|which)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A parsed question."""

    text: str
    terms: tuple[str, ...]
    query_type: QueryType
    answer: AnswerKind | None
    of_self: bool
    of_other: bool
    wants_help: bool
    filters: Filters
    limit: int
    profile: Profile
    phase: Phase | None = None
    #: The question without its words about the conversation itself.
    topic: str = ""


def plan(
    query: str, *, filters: Filters, limit: int, profile: Profile, phase: Phase | None
) -> Plan:
    """Parse a question; an empty one, or a limit out of bounds, is an error."""
    text = repaired_text(query, "query")[:_QUERY_CHARACTERS]
    if not query.strip():
        raise InvalidText("The query is empty.")
    whole(limit, 1, LIMIT, "recall returns")
    topic = topic_of(text)
    return Plan(
        text,
        tuple(query_terms(topic)[:_TERMS]),
        query_type(text),
        next((kind for kind, asked in _ANSWERS if asked.search(text)), None),
        bool(_FIRST_PERSON.search(text)),
        bool(_SECOND_PERSON.search(_POLITELY.sub(" ", text))),
        bool(_WANTS_HELP.search(text)) and not _LOOKS_BACK.search(text),
        filters,
        limit,
        profile,
        phase,
        topic,
    )


def topic_of(text: str) -> str:
    """The topic of a question, without phrases such as "can you list the order in which I brought
    up". A question that says nothing else is left as it is.
    """
    lower = text.lower()
    if not any(word in lower for word in _FRAME_WORDS):
        return text
    topic = _FRAME.sub(" ", text)
    return topic if any(word not in STOP_WORDS for word in query_terms(topic)) else text


def query_type(text: str) -> QueryType:
    """Whether a question names code, asks how code is connected, or is plain language."""
    if _IDENTIFIER.search(text):
        return "identifier"
    return "structural" if _STRUCTURAL.search(text) else "semantic"


def content_words(words: list[str]) -> list[str]:
    """The words that carry meaning; all words where none does."""
    return list(filter(carries_meaning, words)) or words


def carries_meaning(word: str) -> bool:
    """Whether a word is more than one character and no stop word."""
    return len(word) > 1 and word.lower() not in STOP_WORDS
