"""Extracts the statements worth storing from a conversation, without a model.

A sentence is kept as it was said, with relative dates made absolute. Questions, requests,
greetings, thanks, and imagined or quoted sentences are left out. So is what the other side says:
with a ``user_id`` the user's own words count, with only an ``agent_id`` the agent's.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final, NamedTuple

from recollect.engine.for_surfaces import (
    SpeechAct,
    clauses_of,
    is_pasted,
    sentences_of,
    speech_act,
    with_dates,
    without_foreign,
)
from recollect.surfaces.mem0.scopes import Mem0ValueError

_GREETING: Final = re.compile(
    r"(?:hi|hey|hello|thanks?(?: you)?|ok(?:ay)?|sure|great|nice|cool|yes|no|bye|please|got it)"
    r"[\s,!.]*+(?:there|so much|again)?+[\s!.]*+",
    re.IGNORECASE,
)
_FEWEST_WORDS: Final = 2


class Message(NamedTuple):
    """One turn of a conversation."""

    role: str
    content: str
    name: str | None = None


def messages_of(given: Any) -> list[Message]:
    """Messages from any of mem0's inputs: a text, one message, or several."""
    if isinstance(given, str):
        return [Message("user", given)]
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list):
        raise Mem0ValueError("messages must be str, dict, or list[dict]")
    return [found for message in given if (found := _message(message)) is not None]


def stated(messages: Iterable[Message], *, by: str, day: date) -> list[Message]:
    """Sentences of one role that state something, each once."""
    kept: dict[str, Message] = {}
    for message in messages:
        if message.role != by or is_pasted(message.content):
            continue
        for sentence in sentences_of(without_foreign(message.content)):
            for words in _stating(sentence):
                dated = with_dates(words, day)
                kept.setdefault(dated, message._replace(content=dated))
    return list(kept.values())


def _stating(sentence: str) -> list[str]:
    """The sentence if it states something; else those of its clauses that do."""
    clauses = clauses_of(sentence)
    stating = [clause for clause in clauses if _states(clause)]
    return (
        [sentence.strip()]
        if len(stating) == len(clauses) and _says_something(sentence)
        else stating
    )


def _states(clause: str) -> bool:
    act = speech_act(clause)
    if act in (SpeechAct.STATEMENT, SpeechAct.PREFERENCE):
        return True
    return act is SpeechAct.CHATTER and _says_something(clause)


def _message(message: Any) -> Message | None:
    """Parse one message; None for one without text or meant for the machine."""
    if not isinstance(message, Mapping):
        return None
    role, content = message.get("role"), _words(message.get("content"))
    if not isinstance(role, str) or role == "system" or not content.strip():
        return None
    name = message.get("name")
    return Message(role, content, name if isinstance(name, str) and name else None)


def _words(content: Any) -> str:
    """Text of a message's content, which may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(text for text in texts if isinstance(text, str))
    return ""


def _says_something(sentence: str) -> bool:
    if not sentence or sentence.endswith(("?", "\uff1f")) or _GREETING.fullmatch(sentence):
        return False
    return len(sentence.split()) >= _FEWEST_WORDS or not sentence.isascii()
