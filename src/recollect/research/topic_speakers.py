"""Who tells of a topic: of two people in a conversation, one has the dog and the other admires it.

Both use the same words, so a search finds both. Whoever has it says "my dog", the other "your dog",
or asks on. So of every message found without a person's name, the sentence nearest to the question
is read: the more of "I" and the less of "you" it holds, the more it tells of its author. A sentence
that asks tells less.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from recollect.inference.embedder import Lexicon
from recollect.recall.turn_acts import FIRST_PERSON, ends_asking, plain_words
from recollect.research.extraction import sentences
from recollect.research.word_matcher import WordMatcher
from recollect.vocabulary.events import Event

#: Number of best results that are read, and the scale by which a better score counts more.
_LOOKED_AT: Final = 10
_SHARPNESS: Final = 0.12
_READ: Final = 6_000  # characters of an event
#: What a sentence that asks tells, compared with the same sentence without a question mark.
_ASKS: Final = 0.6
_SECOND_PERSON: Final = frozenset(
    "you you're you've you'd you'll your yours yourself u ur "
    "tu t'as toi ton ta tes vous votre vos".split()
)


class FoundPassage(NamedTuple):
    """An event that was found, and its score in that search."""

    event: Event
    score: float


class TopicShare(NamedTuple):
    """How much of a topic some people tell, compared with the others."""

    held: float
    margin: float
    others: float


#: Where a question is about nobody who speaks.
NOBODY: Final = TopicShare(0.5, 0.0, 0.0)


def topic_share(
    people: frozenset[str],
    nameless: Sequence[FoundPassage],
    words: Sequence[str],
    lexicon: Lexicon | None,
) -> TopicShare:
    """How much of a topic these people tell; the messages were found without their names."""
    matcher = WordMatcher(words, lexicon)
    best = nameless[0].score
    weight: dict[str, float] = {}
    own = theirs = others = 0.0
    for event, score in nameless[:_LOOKED_AT]:
        nearness, tells = _nearest_sentence(matcher, event.text[:_READ])
        weight[event.author] = weight.get(event.author, 0.0) + tells * math.exp(
            (score - best) / _SHARPNESS
        )
        if event.author in people:
            own = max(own, nearness * tells)
        else:
            theirs = max(theirs, nearness * tells)
            others = max(others, nearness)
    mine = sum(amount for author, amount in weight.items() if author in people)
    most = max((amount for author, amount in weight.items() if author not in people), default=0.0)
    held = mine / (mine + most) if mine + most else NOBODY.held
    return TopicShare(held, own - theirs, others)


def tells_of_author(sentence: str) -> float:
    """How much a sentence tells of whoever says it, from 0 to 1: "my dog" against "your dog"."""
    words = plain_words(sentence)
    own = sum(word in FIRST_PERSON for word in words)
    others = sum(word in _SECOND_PERSON for word in words)
    return (own + 0.5) / (own + others + 1) * (_ASKS if ends_asking(sentence) else 1.0)


def _nearest_sentence(matcher: WordMatcher, text: str) -> tuple[float, float]:
    """How near the nearest sentence of a text is, and how much it tells of its author."""
    nearest = (0.0, tells_of_author(text))
    for start, end in sentences(text):
        held = matcher.matches(text[start:end])
        nearness = float(held.mean()) if len(held) else 0.0
        if nearness > nearest[0]:
            nearest = (nearness, tells_of_author(text[start:end]))
    return nearest
