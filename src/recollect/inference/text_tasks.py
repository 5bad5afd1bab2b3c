"""Tasks on texts: header of a message, summary, topics, hypothetical passage.

Each has a local answer made of the text's own words, so that nothing is claimed that is not there.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.vocabulary.stopwords import STOP_WORDS

_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|\n+")  # noqa: RUF001
_WORD: Final = re.compile(r"[^\W\d_][\w'-]{2,}")
_HEADER_WORDS: Final = 100
_TOPICS: Final = 5


@dataclass(frozen=True, slots=True)
class MessageInContext:
    """A message with its context: its stream, author, time, and the messages around it."""

    stream: str
    author: str
    when: str
    message: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    #: The purpose of the stream, if set.
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """At most 100 words on the context of a message."""

    header: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text and the maximum number of words of its summary."""

    text: str
    words: int = 60


@dataclass(frozen=True, slots=True)
class Shorter:
    """A summary."""

    summary: str


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of a text, the most significant first."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A question that was searched for."""

    question: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as an answer might read; used for search, never shown."""

    passage: str


def local_header(given: MessageInContext) -> Header:
    """Author, place and time, and the most frequent words around it."""
    around = " ".join((*given.before, given.message, *given.after))
    about = ", ".join(frequent(around, 6))
    people = ", ".join(dict.fromkeys((given.author, *given.people)))
    used = f" ({given.purpose})" if given.purpose else ""
    said = f"In {given.stream}{used}, {given.when}. Speaking: {people}."
    return Header(" ".join(f"{said} About: {about}.".split()[:_HEADER_WORDS]) if about else said)


def local_summary(given: Text) -> Shorter:
    """The sentences with most of the frequent words, in their order, as far as they fit."""
    sentences = [part.strip() for part in _SENTENCE.split(given.text) if part.strip()]
    telling = set(frequent(given.text, 12))
    ranked = sorted(
        range(len(sentences)),
        key=lambda place: (-len(telling & set(words_of(sentences[place]))), place),
    )
    chosen: set[int] = set()
    room = given.words
    for place in ranked:
        size = len(sentences[place].split())
        if size <= room or not chosen:
            chosen.add(place)
            room -= size
    text = " ".join(sentences[place] for place in sorted(chosen))
    return Shorter(" ".join(text.split()[: given.words]) or given.text[:400].strip())


def local_topics(given: Text) -> Topics:
    """The most frequent words."""
    return Topics(tuple(frequent(given.text, _TOPICS)))


def local_passage(given: SearchedQuestion) -> Passage:
    """The question itself, phrased as a statement."""
    words = [word for word in given.question.strip(" ?!.").split()]
    kept = [word for word in words if word.lower() not in STOP_WORDS] or words
    return Passage(" ".join(kept))


def frequent(text: str, count: int) -> list[str]:
    """The most frequent words of a text, then the longest."""
    counts = Counter(words_of(text))
    return sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:count]


def words_of(text: str) -> list[str]:
    """The significant words."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


HEADER: Final = Task("header", Header, local_header, tokens=200)
SUMMARY: Final = Task("summary", Shorter, local_summary, tokens=400)
TOPICS: Final = Task("topics", Topics, local_topics, tokens=120)
HYDE: Final = Task("hyde", Passage, local_passage, budget="queries", tokens=250)
