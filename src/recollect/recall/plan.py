"""Reads a question: its words, its type, whom it asks about and what kind of answer it wants.

A plan holds for all collections. What depends on what is there (whose names the authors bear, how
rare a word is) is found out when a collection is surveyed.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from recollect.index.analyser import query_terms
from recollect.recall.profiles import Profile
from recollect.vocabulary.errors import InvalidText
from recollect.vocabulary.numbers import whole
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Filters
from recollect.vocabulary.stopwords import STOP_WORDS
from recollect.vocabulary.text import repaired_text

LIMIT: Final = 1_000
_TERMS: Final = 64
_QUERY_CHARACTERS: Final = 10_000

QueryType = Literal["identifier", "semantic", "structural"]
AnswerKind = Literal["time", "number", "name"]

_IDENTIFIER: Final = re.compile(r"[a-z][A-Z]|\w_\w|\w/\w|\w\.\w{1,4}\b|::")
_STRUCTURAL: Final = re.compile(
    r"\b(?:depends? on|calls?|callers?|imports?|impact of|used by|uses of|references? to)\b", re.I
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|i|my|mine|me|myself|we|our)\b")
_SECOND_PERSON: Final = re.compile(r"\byou(?:r|rs)?\b", re.I)
_ANSWERS: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    (
        "time",
        re.compile(
            r"^\W*(?:when|since when|how long|what (?:date|time|day|month|year))\b| when ", re.I
        ),
    ),
    ("number", re.compile(r"\bhow (?:many|much|often|old)\b", re.I)),
    ("name", re.compile(r"^\W*(?:who|where|which)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A question made ready."""

    text: str
    terms: tuple[str, ...]
    query_type: QueryType
    answer: AnswerKind | None
    of_self: bool
    filters: Filters
    limit: int
    profile: Profile
    phase: Phase | None = None


def plan(
    query: str, *, filters: Filters, limit: int, profile: Profile, phase: Phase | None
) -> Plan:
    """Read a question; an empty one, or a limit out of bounds, is an error."""
    text = repaired_text(query, "query")[:_QUERY_CHARACTERS]
    if not query.strip():
        raise InvalidText("The query is empty.")
    whole(limit, 1, LIMIT, "recall returns")
    return Plan(
        text,
        tuple(query_terms(text)[:_TERMS]),
        query_type(text),
        next((kind for kind, asked in _ANSWERS if asked.search(text)), None),
        bool(_FIRST_PERSON.search(text)) and not _SECOND_PERSON.search(text),
        filters,
        limit,
        profile,
        phase,
    )


def query_type(text: str) -> QueryType:
    """Whether a question names code, asks for how code hangs together, or is plain language."""
    if _IDENTIFIER.search(text):
        return "identifier"
    return "structural" if _STRUCTURAL.search(text) else "semantic"


def content_words(words: list[str]) -> list[str]:
    """The words that say something; all of them where none does."""
    telling = [word for word in words if len(word) > 1 and word.lower() not in STOP_WORDS]
    return telling or words
