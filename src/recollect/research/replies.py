"""The reply to a question that somebody asked before: whoever asks it again wants the answer.

A search finds the earlier question first, because it has the same words. Its conversation is read,
and what the others replied takes its place before it; questions that nobody replied to come last.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Final

from recollect.inference.embedder import Lexicon
from recollect.research.evidence import FoundPassage, WordMatcher
from recollect.research.extraction import sentences
from recollect.research.questions import ReadQuestion
from recollect.vocabulary.asking import only_asks
from recollect.vocabulary.events import Event

Conversation = Callable[[Event], Sequence[Event]]

#: So many earlier questions are followed to their replies.
FOLLOWED: Final = 2
_ALIKE: Final = 0.7
_ASKED: Final = 0.55
_SEEKS: Final = re.compile(
    r"[?\uff1f]|\b(?:i(?:'d| would) like to|i(?:'m| am) (?:trying|looking)|wondering|any ideas?"
    r"|(?:does|has) anyone|how (?:do|can|should|would) (?:i|you|we|one)|is there an?y?)\b",
    re.IGNORECASE,
)
_READ: Final = 6_000  # characters of an event
_SOON: Final = 12  # messages of the conversation
_SHORTEST: Final = 15  # characters
_ADDRESSED: Final = 1.0
_ENDS_ASKING: Final = re.compile(r"[?\uff1f][\"')\]\u201d\u2019\u00bb]{0,3}$")
#: What a passage loses that asks at its end, or does nothing else, beside the best one's score.
_ALSO_ASKS: Final = 0.06
_ONLY_ASKS: Final = 0.2


def asked_before(
    question: ReadQuestion,
    events: Sequence[Event],
    conversation: Conversation,
    lexicon: Lexicon | None,
) -> dict[str, Event | None]:
    """Those of the events that ask the same, each with the best reply to it; None without one."""
    matcher = WordMatcher(question.words, lexicon)
    asked = [one for one in events if _asks_the_same(matcher, one.text[:_READ])]
    return {
        one.id: best_reply(matcher, one, conversation(one)) if place < FOLLOWED else None
        for place, one in enumerate(asked)
    }


def with_replies(
    events: Sequence[Event], replies: Mapping[str, Event | None], asker: str
) -> list[Event]:
    """The events, each reply before the question it was given to, bare questions last.

    What the asker asked before is left out: it is no news, and no answer.
    """
    ordered: list[Event] = []
    unanswered: list[Event] = []
    for event in events:
        reply = replies.get(event.id)
        own = event.id in replies and event.author == asker and only_asks(event.text)
        if reply is not None:
            ordered += [reply] if own else [reply, event]
        elif event.id not in replies:
            ordered.append(event)
        elif not own:
            unanswered.append(event)
    return list({one.id: one for one in (*ordered, *unanswered)}.values())


def telling_first(
    found: Sequence[FoundPassage], replies: Mapping[str, Event | None]
) -> list[FoundPassage]:
    """What was found, with less worth for what asks: whoever asks wants to be told.

    A question that was replied to keeps its worth, because its reply takes its place.
    """
    best = max((one.score for one in found), default=0.0)
    return [
        one
        if replies.get(one.event.id) is not None
        else FoundPassage(one.event, one.score - best * _asking(one.event.text[:_READ].rstrip()))
        for one in found
    ]


def evidence_in(
    found: Sequence[FoundPassage], replies: Mapping[str, Event | None]
) -> list[FoundPassage]:
    """What was found, without the questions that nobody replied to."""
    return [
        one
        for one in found
        if replies.get(one.event.id, one.event) is not None or not only_asks(one.event.text)
    ]


def best_reply(
    matcher: WordMatcher, question: Event, conversation: Sequence[Event]
) -> Event | None:
    """What somebody else said to a question soon after it, and most to the point."""
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


def _asking(text: str) -> float:
    if only_asks(text):
        return _ONLY_ASKS
    return _ALSO_ASKS if _ENDS_ASKING.search(text[-8:]) else 0.0


def _asks_the_same(matcher: WordMatcher, text: str) -> bool:
    """Whether a text asks what is asked now: all of it is near, and a sentence of it that asks or
    seeks is so too. A statement with "and you?" behind it is none."""
    if not _SEEKS.search(text) or _nearness(matcher, text) < _ALIKE:
        return False
    told = [text[start:end] for start, end in sentences(text)]
    return any(_SEEKS.search(one) and _nearness(matcher, one) >= _ASKED for one in told)


def _nearness(matcher: WordMatcher, text: str) -> float:
    held = matcher.matches(text)
    return float(held.mean()) if len(held) else 0.0
