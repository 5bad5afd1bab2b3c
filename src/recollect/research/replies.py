"""Replies to earlier questions: whoever asks the same again wants the answer, not the question.

A search finds the earlier question first, because it has the same words. Its conversation is read,
and the others' reply is placed before it; questions without a reply come last.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Final

from recollect.inference.embedder import Lexicon
from recollect.research.asking_messages import tells_nothing
from recollect.research.extraction import sentences
from recollect.research.questions import ReadQuestion
from recollect.research.topic_speakers import FoundPassage
from recollect.research.word_matcher import WordMatcher
from recollect.vocabulary.events import Event
from recollect.vocabulary.question_texts import only_asks

Conversation = Callable[[Event], Sequence[Event]]

#: Maximum number of earlier questions whose replies are looked up.
FOLLOWED: Final = 2
_ALIKE: Final = 0.7
_ASKED: Final = 0.55
#: Least that each word of a question is met in another that asks the same: "the cache of the
#: proxy" is not "the cache of the compiler".
_EACH: Final = 0.4
_SEEKS: Final = re.compile(
    r"[?\uff1f]|\b(?:i(?:'d| would) like to|i(?:'m| am) (?:trying|looking)|wondering|any ideas?"
    r"|(?:does|has) anyone|how (?:do|can|should|would) (?:i|you|we|one)|is there an?y?)\b",
    re.IGNORECASE,
)
_READ: Final = 6_000  # characters of an event
_SOON: Final = 12  # messages of the conversation
_SHORTEST: Final = 15  # characters
_ADDRESSED: Final = 1.0
#: Deduction for a passage that only asks, as a share of the best score. One that tells and then
#: asks loses its part in recall already.
_ONLY_ASKS: Final = 0.2


def asked_before(
    question: ReadQuestion,
    events: Sequence[Event],
    conversation: Conversation,
    lexicon: Lexicon | None,
) -> dict[str, Event | None]:
    """The events that ask the same, each with its best reply, or None."""
    matcher = WordMatcher(question.words, lexicon)
    asked = [one for one in events if _asks_the_same(matcher, one.text[:_READ])]
    return {
        one.id: best_reply(matcher, one, conversation(one)) if place < FOLLOWED else None
        for place, one in enumerate(asked)
    }


def with_replies(
    events: Sequence[Event], replies: Mapping[str, Event | None], asker: str
) -> list[Event]:
    """The events, each reply before its question, and last those that only ask and were not
    answered.

    The asker's own earlier questions are left out: they are neither new nor an answer.
    """
    ordered: list[Event] = []
    unanswered: list[Event] = []
    for event in events:
        reply = replies.get(event.id)
        asks = event.id in replies and only_asks(event.text)
        own = asks and event.author == asker
        if reply is not None:
            ordered += [reply] if own else [reply, event]
        elif not asks:
            ordered.append(event)
        elif not own:
            unanswered.append(event)
    return list({one.id: one for one in (*ordered, *unanswered)}.values())


def statements_first(
    question: ReadQuestion, found: Sequence[FoundPassage], replies: Mapping[str, Event | None]
) -> list[FoundPassage]:
    """The results with lower scores for passages that only ask, because the asker wants an answer.

    A question with a reply keeps its score, because its reply takes its place.
    """
    best = max((one.score for one in found), default=0.0)
    return [
        one
        if replies.get(one.event.id) is not None
        or not tells_nothing(question, one.event.text[:_READ].rstrip())
        else FoundPassage(one.event, one.score - best * _ONLY_ASKS)
        for one in found
    ]


def evidence_in(
    question: ReadQuestion, found: Sequence[FoundPassage], replies: Mapping[str, Event | None]
) -> list[FoundPassage]:
    """The results without questions, which tell nothing, unless somebody replied to them."""
    return [
        one
        for one in found
        if replies.get(one.event.id) is not None or not tells_nothing(question, one.event.text)
    ]


def best_reply(
    matcher: WordMatcher, question: Event, conversation: Sequence[Event]
) -> Event | None:
    """The most relevant message of somebody else soon after a question."""
    ids = [one.id for one in conversation]
    after = conversation[ids.index(question.id) + 1 :] if question.id in ids else ()
    names = question.author.lower().split()
    scored = []
    for place, one in enumerate([one for one in after if one.author != question.author][:_SOON]):
        text = one.text.strip()
        if len(text) < _SHORTEST or text.endswith("?"):
            continue
        addressed = one.reply_to == question.id or any(name in text.lower() for name in names)
        worth = (
            _nearness(matcher, text[:_READ])
            + _ADDRESSED * addressed
            + 0.1 * log(len(text))
            - 0.08 * place
        )
        scored.append((worth, -place, one))
    return max(scored)[2] if scored else None


def _asks_the_same(matcher: WordMatcher, text: str) -> bool:
    """Whether a text asks the current question: the text as a whole is similar, none of the words
    is missing, and a sentence of it that asks or seeks is similar too. A statement followed by "and
    you?" does not count.
    """
    held = matcher.matches(text)
    if not _SEEKS.search(text) or not len(held) or held.mean() < _ALIKE or held.min() < _EACH:
        return False
    told = [text[start:end] for start, end in sentences(text)]
    return any(_SEEKS.search(one) and _nearness(matcher, one) >= _ASKED for one in told)


def _nearness(matcher: WordMatcher, text: str) -> float:
    held = matcher.matches(text)
    return float(held.mean()) if len(held) else 0.0
