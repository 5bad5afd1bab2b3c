"""Parses a research question: its content words, the kind of answer it wants, and its parts.

The design document defines a simple question: fewer than eight words, or none of the words that
join, compare or ask for a story. A complex question is split into several searches.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from recollect.index.analyser import query_terms
from recollect.vocabulary.stopwords import STOP_WORDS

AnswerType = Literal["time", "number", "person", "place", "reason", "yes", "thing"]

_SIMPLE_WORDS: Final = 8
_MAX_PARTS: Final = 4
_KEPT_TERMS: Final = 8_192
_READ: Final = 1_000  # characters
_WORD: Final = re.compile(r"[^\W_][\w'\u2019+-]{0,60}")
_COMPLEX: Final = re.compile(
    r"\b(?:and|or|compare|vs|difference|how did|why did|what were)\b", re.IGNORECASE
)
#: Words that mark a question without naming its topic.
_ASKING: Final = frozenset(
    """
    kind type types sort mention mentioned tell told say said describe described according
    many much long often ago there anyone anybody someone somebody please know find out
    """.split()
)
#: Patterns of the answer types, in the order in which they are tried.
_TYPES: Final[dict[AnswerType, re.Pattern[str]]] = {
    "time": re.compile(
        r"^\W{0,9}(?:(?:since|until|by) )?when\b|\b(?:what|which) (?:date|day|time|month|year)\b",
        re.I,
    ),
    "number": re.compile(r"\bhow (?:many|much|long|often|old|far|big|tall)\b", re.I),
    "person": re.compile(
        r"^\W{0,9}(?:who|whom|whose)\b|\b(?:which|what) (?:person|people)\b", re.I
    ),
    "place": re.compile(
        r"^\W{0,9}where\b|\b(?:which|what) (?:city|town|country|place|state)\b", re.I
    ),
    "reason": re.compile(r"^\W{0,9}why\b|\bhow come\b|\bwhat (?:made|motivated|inspired)\b", re.I),
    "yes": re.compile(
        r"^\W{0,9}(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.I
    ),
}
_COMPARES: Final = re.compile(
    r"\b(?:differences? between|compare|comparing|choose between) ", re.IGNORECASE
)
_JOINS: Final = re.compile(r" (?:and|with|to|or|vs|versus)\b", re.IGNORECASE)
_VERSUS: Final = re.compile(r" (?:vs\b|versus |compared with |compared to )", re.IGNORECASE)
_SECOND: Final = re.compile(
    r",? (?:and|or|but) (?=(?:how|why|what|when|where|who|which|did|does|do|is|are|was|were)\b)",
    re.IGNORECASE,
)
_ASKS_FIRST: Final = re.compile(
    r"(?:how|why|what|when|where|who|which|did|does|do|is|are|was|were)\b", re.IGNORECASE
)
_BOTH: Final = re.compile(r"\b([A-Z][\w-]{1,40}) (?:and|or) ([A-Z][\w-]{1,40})\b")


#: What the asker did, said or has; and what they ask to be told how to do.
_OF_ASKER: Final = re.compile(
    r"\b(?:have|had|did|was|am) i\b|\b(?:my|mine|myself)\b"
    r"|\bi(?:['\u2019]ve| have| had)?(?: (?:ever|already|also|first|just))?"
    r" (?:\w{2,30}ed|said|told|brought|did|made|took|had|got|went|found|chose|wrote)\b"
    r"|\bj['\u2019](?:ai|avais)\b|\b(?:ai|avais)-je\b|\b(?:mon|ma|mes)\b",
    re.IGNORECASE,
)
_HOW_TO: Final = re.compile(
    r"\bhow (?:should|can|could|do|would|might|to)\b|\b(?:should|can|could) (?:i|we)\b"
    r"|\b(?:help|explain|suggest|recommend)\b|\bcomment (?:puis|dois|faire)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A parsed question."""

    text: str
    words: tuple[str, ...]
    wants: AnswerType
    complex: bool
    parts: tuple[str, ...]
    #: The questions that this one joins, each with an answer of its own; empty where it is one.
    joined: tuple[str, ...] = ()
    #: Whether the asker asks about what they themselves did, said or have.
    about_asker: bool = False


def read(text: str) -> ReadQuestion:
    """Parse a question."""
    plain = " ".join(text.split())
    parts = sub_questions(plain)
    return ReadQuestion(
        plain,
        tuple(content_words_of(plain)),
        answer_type(plain),
        is_complex(plain, parts),
        parts,
        joined_questions(plain),
        is_about_asker(plain),
    )


def is_about_asker(text: str) -> bool:
    """Whether the asker asks about themselves, and not how something is done."""
    beginning = text[:_READ]
    return bool(_OF_ASKER.search(beginning)) and not _HOW_TO.search(beginning)


def answer_type(text: str) -> AnswerType:
    """The kind of answer that a question asks for."""
    beginning = text[:_READ]
    return next((kind for kind, pattern in _TYPES.items() if pattern.search(beginning)), "thing")


def is_complex(text: str, parts: tuple[str, ...]) -> bool:
    """Whether one search will hardly suffice. "And" joins things as often as questions, so it
    counts only where the question can be split into parts.
    """
    if len(text.split()) < _SIMPLE_WORDS:
        return False
    found = {match.lower() for match in _COMPLEX.findall(text[:_READ])}
    return bool(found - {"and", "or"}) or (bool(found) and len(parts) > 1)


def sub_questions(text: str) -> tuple[str, ...]:
    """The question, and its parts where it asks for several things."""
    plain = text[:_READ].rstrip(" ?!.")
    compares = _COMPARES.search(plain)
    if compares is not None:
        parts = _JOINS.split(plain[compares.end() :], maxsplit=1)
    elif len(sides := _VERSUS.split(plain, maxsplit=1)) > 1:
        parts = sides
    elif len(clauses := _SECOND.split(plain)) > 1:
        parts = [_with_subject(one, clauses[0]) for one in clauses]
    elif (both := _BOTH.search(plain)) is not None:
        parts = [plain.replace(both[0], name) for name in both.groups()]
    else:
        parts = []
    fitting = [one.strip(" ,.") for one in parts if content_words_of(one)]
    return tuple(dict.fromkeys((text, *fitting)))[:_MAX_PARTS]


def joined_questions(text: str) -> tuple[str, ...]:
    """The questions that are joined to one, each with the question word that begins it."""
    plain = text[:_READ].rstrip(" ?!.")
    if _COMPARES.search(plain) or not _ASKS_FIRST.match(plain):
        return ()
    clauses = [one.strip(" ,.") for one in _SECOND.split(plain)]
    if len(clauses) < 2 or not all(content_words_of(one) for one in clauses):
        return ()
    whole = [clauses[0], *(_with_subject(one, clauses[0]) for one in clauses[1:])]
    return tuple(f"{one}?" for one in whole)[: _MAX_PARTS - 1]


def is_same(one: str, other: str) -> bool:
    """Whether two questions ask the same: about the same people, for the same kind of answer, by
    the same content words in any form and order. One more word makes another question: "which
    novels" is not "which crime novels", and "her favourite" not "her least favourite".
    """
    if answer_type(one) != answer_type(other) or named_in(one) != named_in(other):
        return False
    mine, theirs = ({term_of(word) for word in content_words_of(text)} for text in (one, other))
    return mine == theirs and _measure_asked_for(one) == _measure_asked_for(other)


def _measure_asked_for(question: str) -> str:
    """What a question counts: "how many" or "how long"; nothing where it counts nothing."""
    found = _TYPES["number"].search(question[:_READ])
    return found[0].lower() if found else ""


def named_in(question: str) -> set[str]:
    """The names and numbers in a question; a stop word at its start is no name."""
    words = _WORD.findall(question[:_READ])
    return {
        word.lower().removesuffix("'s")
        for place, word in enumerate(words)
        if any(sign.isdigit() for sign in word)
        or (word[0].isupper() and (place or word.lower() not in STOP_WORDS))
    }


def content_words_of(text: str) -> list[str]:
    """The content words of a text, in lower case, each once."""
    words = (word.lower().replace("\u2019", "'").removesuffix("'s") for word in _WORD.findall(text))
    return list(
        dict.fromkeys(
            word
            for word in words
            if len(word) > 1 and word.replace("'", "") not in STOP_WORDS and word not in _ASKING
        )
    )


@lru_cache(maxsize=_KEPT_TERMS)
def term_of(word: str) -> str:
    """The form under which a word is searched for; one question asks for that of the same words
    many times.
    """
    return next(iter(query_terms(word)), word)


def _with_subject(clause: str, first: str) -> str:
    """A later part of a question with the names of the first, which it seldom repeats."""
    names = [name for name in re.findall(r"\b[A-Z][\w-]{1,40}\b", first)[1:] if name not in clause]
    return " ".join([clause, *names[:2]])
