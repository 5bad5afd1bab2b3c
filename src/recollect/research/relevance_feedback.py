"""Relevance feedback: the results that resemble a first one that can be trusted move up.

"What places has Joanna submitted her work to?" has several answers, and each is told in nearly the
words of the others ("I just submitted a few more", "I got done submitting my screenplay"), which
are not those of the question. Where the first result leads by nearly every signal, it is nearly
always an answer, so the words that it says it with tell of the others. Where it does not, it is as
often a mistake, and its words would lead further astray: then the order stays.
"""

from collections.abc import Sequence
from typing import Final

from recollect.inference.embedder import Lexicon
from recollect.research.questions import content_words_of
from recollect.research.topic_speakers import FoundPassage
from recollect.research.word_matcher import WordMatcher

#: Least score of a first result that is trusted: a share of all signals.
TRUSTED: Final = 0.9
#: What it adds to a score that a text holds all words of the first result.
_LIKE_FIRST: Final = 0.4
_WORDS: Final = 100
_READ: Final = 2_000  # characters of an event


def with_feedback(found: Sequence[FoundPassage], lexicon: Lexicon | None) -> list[FoundPassage]:
    """The results, best first, in the order that a trusted first one gives them. The scores stay
    where they are: each place keeps its own.
    """
    if len(found) < 3 or found[0].score <= TRUSTED:
        return list(found)
    authors = {part for one in found for part in one.event.author.lower().split()}
    words = [word for word in content_words_of(found[0].event.text[:_READ]) if word not in authors]
    if not words:
        return list(found)
    matcher = WordMatcher(words[:_WORDS], lexicon)
    shares = matcher.says / matcher.says.sum()

    def raised(one: FoundPassage) -> float:
        held = float(shares @ matcher.matches(one.event.text[:_READ]))
        return one.score + _LIKE_FIRST * held

    ordered = [found[0], *sorted(found[1:], key=raised, reverse=True)]
    return [FoundPassage(one.event, place.score) for one, place in zip(ordered, found, strict=True)]
