"""Confidence that search results answer a question, and are not about somebody or something else.

A search always finds something. Two things distinguish an answer from a near miss. First, the
results hold the words of the question, or words of nearly the same meaning; each counts by how much
it says, because a large store holds every common word somewhere. Second, where a question is about
one of the speakers, this person tells of the topic: a search without the name leads to their
messages and not to another's (``topic_speakers.py``). Both are measured here and weighted by
figures fitted on held-out conversations (``benchmarks/fit_research.py``).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from recollect.inference.embedder import Lexicon
from recollect.recall.named_people import sound_alike
from recollect.research.extraction import sentences
from recollect.research.questions import ReadQuestion, content_words_of
from recollect.research.topic_speakers import NOBODY, FoundPassage, topic_share
from recollect.research.word_matcher import WordMatcher

#: Number of best results that are examined.
LOOKED_AT: Final = 10
_LEAST_NAME: Final = 3
_NAME: Final = re.compile(r"\b[^\W\d_][\w-]{1,60}")
_PARTS: Final = re.compile(r"[\s._-]+")
#: Subject of a question: "Anna's cat", "did Anna move".
_SUBJECT: Final = re.compile(
    r"\b([A-Z][\w-]{1,60})['\u2019]s\b"
    r"|\b(?:did|does|do|has|have|had|is|are|was|were|will|would|can|could|should)"
    r" ([A-Z][\w-]{1,60})\b"
)
_READ: Final = 6_000  # characters of an event
#: Highest confidence of an answer about a name that no result mentions.
_NOT_SPOKEN_OF: Final = 0.3


@dataclass(frozen=True, slots=True)
class EvidenceFeatures:
    """Measurements of a question and its results."""

    #: Whether the question is about exactly one of the speakers.
    named: float
    #: How much of the topic that person tells, compared with the other who tells most of it.
    held: float
    #: How near that person's most telling sentence is, less the others' most telling one.
    margin: float
    #: How near the others' nearest sentence is, whoever it is about.
    others: float
    #: Share of the question, by how much its words say, that the best passage holds, in these words
    #: or in words of nearly the same meaning.
    best: float
    #: The same share that one sentence holds in the very words.
    exact: float


class EvidenceWeights(NamedTuple):
    """Weight of each measurement, and the bias."""

    held: float
    margin: float
    others: float
    best: float
    exact: float
    bias: float


#: Fitted by benchmarks/fit_research.py: for questions about one of the speakers, and for others.
ABOUT_SPEAKER: Final = EvidenceWeights(3.5, 2.9, 0.8, 1.2, 0.0, -3.3)
ABOUT_OTHERS: Final = EvidenceWeights(0.0, 0.0, 0.0, 3.0, 3.0, -3.3)


def people_asked_about(question: str, authors: Iterable[str]) -> frozenset[str]:
    """The authors whom a question names; it may shorten their names (Mel for Melanie), or spell
    them otherwise (Muhammad for Muhhamed).
    """
    spoken = {name.lower() for name in _NAME.findall(question) if name[0].isupper()}
    return frozenset(
        author
        for author in authors
        if any(_means(name, part) for part in _PARTS.split(author.lower()) for name in spoken)
    )


def without_names(question: str, people: Iterable[str]) -> str:
    """A question without the names of these people; unchanged where nothing else would be left."""
    parts = {part for one in people for part in _PARTS.split(one.lower()) if part}

    def kept(found: re.Match[str]) -> str:
        name = found[0].lower()
        named = found[0][0].isupper() and any(_means(name, part) for part in parts)
        return "" if named else found[0]

    bare = " ".join(_NAME.sub(kept, question).replace("'s", " ").split())
    return bare if content_words_of(bare) else question


def measured(
    question: ReadQuestion,
    people: frozenset[str],
    found: Sequence[FoundPassage],
    nameless: Sequence[FoundPassage],
    lexicon: Lexicon | None,
) -> EvidenceFeatures:
    """Measure a question and its results, found with and without the name."""
    named = len(people) == 1 and bool(nameless)
    words = content_words_of(without_names(question.text, people))
    topic = topic_share(people, nameless, words, lexicon) if named else NOBODY
    return EvidenceFeatures(
        float(named), topic.held, topic.margin, topic.others, *_coverage(words, found, lexicon)
    )


def most_confidence(question: str, found: Sequence[FoundPassage]) -> float:
    """Highest possible confidence: low where no result was written by, or mentions, the name that
    the question asks about.
    """
    names = {(of or who).lower() for of, who in _SUBJECT.findall(question[:_READ])}
    told = " ".join(f"{one.event.author} {one.event.text[:_READ]}" for one in found).lower()
    authors = {part for one in found for part in _PARTS.split(one.event.author.lower())}
    spoken = (name in told or any(sound_alike(name, part) for part in authors) for name in names)
    return 1.0 if all(spoken) else _NOT_SPOKEN_OF


def _means(name: str, part: str) -> bool:
    """Whether a name in a question is a part of an author's name, its beginning, or spelled
    otherwise.
    """
    short = len(name) >= _LEAST_NAME and part.startswith(name)
    return part == name or short or sound_alike(name, part)


def confidence_of(features: EvidenceFeatures) -> float:
    """Confidence, from 0 to 1, that the results answer; 0.5 is the threshold."""
    weights = ABOUT_SPEAKER if features.named else ABOUT_OTHERS
    total = (
        weights.bias
        + weights.held * features.held
        + weights.margin * features.margin
        + weights.others * features.others
        + weights.best * features.best
        + weights.exact * features.exact
    )
    return 1.0 / (1.0 + math.exp(-total))


def _coverage(
    words: Sequence[str], found: Sequence[FoundPassage], lexicon: Lexicon | None
) -> tuple[float, float]:
    """Share of the words, by how much they say, that the best passage holds, and that one sentence
    holds exactly.
    """
    if not words or not found:
        return 0.0, 0.0
    matcher = WordMatcher(words, lexicon)
    shares = matcher.says / matcher.says.sum()
    texts = [one.event.text[:_READ] for one in found[:LOOKED_AT]]
    best = max(float(shares @ matcher.matches(text)) for text in texts)
    exact = 0.0
    for text in texts:
        # Where the whole text does not hold more, none of its sentences does.
        if float(shares @ matcher.exact_matches(text)) > exact:
            told = (text[start:end] for start, end in sentences(text))
            exact = max(exact, *(float(shares @ matcher.exact_matches(one)) for one in told))
    return best, exact
