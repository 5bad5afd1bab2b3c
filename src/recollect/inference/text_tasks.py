"""Tasks about texts: the header of a message, a summary, topics, and a passage that would answer.

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
class Surrounded:
    """A message with where it stands: its stream, who spoke, when, and what was said around it."""

    stream: str
    author: str
    when: str
    message: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    #: What the stream is used for, where somebody said so.
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """At most 100 words that say what a message is part of."""

    header: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text and how many words its summary may have."""

    text: str
    words: int = 60


@dataclass(frozen=True, slots=True)
class Shorter:
    """A summary."""

    summary: str


@dataclass(frozen=True, slots=True)
class Topics:
    """What a text is about, most telling first."""

    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A question that was searched for."""

    question: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as an answer might read; it is searched with, never shown."""

    passage: str


def local_header(given: Surrounded) -> Header:
    """Who, where and when, and the words that the talk around it comes back to."""
    around = " ".join((*given.before, given.message, *given.after))
    about = ", ".join(frequent(around, 6))
    people = ", ".join(dict.fromkeys((given.author, *given.people)))
    used = f" ({given.purpose})" if given.purpose else ""
    said = f"In {given.stream}{used}, {given.when}. Speaking: {people}."
    return Header(" ".join(f"{said} About: {about}.".split()[:_HEADER_WORDS]) if about else said)


def local_summary(given: Text) -> Shorter:
    """The sentences that hold most of the frequent words, in their order, as far as they fit."""
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
    """The words that come back most."""
    return Topics(tuple(frequent(given.text, _TOPICS)))


def local_passage(given: SearchedQuestion) -> Passage:
    """The question itself, told as a statement would be."""
    words = [word for word in given.question.strip(" ?!.").split()]
    kept = [word for word in words if word.lower() not in STOP_WORDS] or words
    return Passage(" ".join(kept))


def frequent(text: str, count: int) -> list[str]:
    """The words that a text comes back to, the most frequent first, then the longest."""
    counts = Counter(words_of(text))
    return sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:count]


def words_of(text: str) -> list[str]:
    """The words that say something."""
    return [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


HEADER: Final = Task("header", Header, local_header, tokens=200)
SUMMARY: Final = Task("summary", Shorter, local_summary, tokens=400)
TOPICS: Final = Task("topics", Topics, local_topics, tokens=120)
HYDE: Final = Task("hyde", Passage, local_passage, budget="queries", tokens=250)
