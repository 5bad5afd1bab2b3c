"""Determines what a user's words reject, and which sentences of an agent still say it.

"It is a rectangle, not a triangle", "no need to shuffle", "let's go back to not having a delay", "I
removed the second field": what is named there does not hold, whatever the agent had said of it
before, or says in the same turn while it undoes it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.turn_words import is_plan

#: Characters of a turn that are read for rejections.
LOOKED: Final = 700
#: Telling words of a rejected thing: more than these say too much to be one thing.
_MOST: Final = 5
#: Number of words of a rejected thing that a sentence about it names at least, if it has as many.
_NAMED: Final = 2
#: The thing, up to the end of its clause.
_THING: Final = r"(?P<thing>[^.,;:!?\n]{3,80}?)"
_END: Final = (
    r"(?=[.,;:!?\n]|$| (?:because|since|so|and|but|just|as|if|when|for|in|on|that|which|from|"
    r"car|parce|dans|pour|weil|porque)\b)"
)
_ARTICLE: Final = (
    r"(?:(?:an?|the|any|another|just|only|separate|actually|le|la|les|un|une) |l'){0,3}"
)
#: Forms in which one word suffices to name the thing, and forms in which it does not.
_CERTAIN: Final = tuple(
    re.compile(form, re.I)
    for form in (
        rf"\b(?:it|this|that)(?:'?s| is) {_ARTICLE}\w+(?: \w+){{0,2}},? not "
        rf"{_ARTICLE}{_THING}{_END}",
        rf"\bno need (?:for|to) {_ARTICLE}{_THING}{_END}",
        rf"\b(?:go|went|going) back to not (?:having|using|doing) {_ARTICLE}{_THING}{_END}",
        rf"\bI(?:'ve| have)? (?:just )?(?:removed|deleted|dropped|reverted) "
        rf"{_ARTICLE}{_THING}{_END}",
        rf"\bj'ai (?:supprim[ée]|enlev[ée]|retir[ée]|vir[ée]) {_ARTICLE}{_THING}{_END}",
    )
)
_OTHERS: Final = tuple(
    re.compile(form, re.I)
    for form in (
        rf"\b(?:instead of|rather than) {_ARTICLE}{_THING}{_END}",
        rf"\bI (?:don'?t|do not|dont) (?:want|need) (?!just\b|only\b){_ARTICLE}{_THING}{_END}",
        rf"\bget rid of {_ARTICLE}{_THING}{_END}",
        rf"\b(?:remove|delete) (?:the )?(?P<kind>[\w-]+-(?:based|style|only)) {_THING}{_END}",
    )
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
_ENDING: Final = re.compile(r"(?:ing|ed|es|e|s)$")
_STEMMED: Final = 5
_IN_PLACE_OF: Final = re.compile(r"\b(?:instead of|rather than)\b[^,;]{0,120}", re.I)
_REPLACING: Final = re.compile(r"\breplac\w+ .{3,120}? (?:with|by) ", re.I)
#: Words of a sentence that itself says that something is gone, or is not so.
_NEGATED: Final = re.compile(
    r"\b(?:not|no|never|without|remov\w+|delet\w+|drop\w*|gone|undo\w*|undid|revert\w*|"
    r"any ?more|supprim\w+|retir\w+|enlev\w+|sans)\b|n't\b",
    re.I,
)


class Rejection(NamedTuple):
    """The telling words of what was rejected, and the sentence that rejects it."""

    thing: frozenset[str]
    sentence: str


@lru_cache(maxsize=1_024)
def rejections_in(words: str) -> tuple[Rejection, ...]:
    """What a user's words reject."""
    if is_plan(words):
        return ()
    found: list[Rejection] = []
    for sentence in _SENTENCE.split(words[:LOOKED]):
        for form in (*_CERTAIN, *_OTHERS):
            for match in form.finditer(sentence):
                kind = match.groupdict().get("kind") or ""
                thing = _telling(f"{kind} {match['thing']}")
                if (1 if form in _CERTAIN else _NAMED) <= len(thing) <= _MOST:
                    found.append(Rejection(frozenset(thing), sentence.strip()))
    return tuple(found)


def with_rejections(turns: Sequence[dict[str, Any]], reach: int) -> list[dict[str, Any]]:
    """Turns, each with what its own words and those of the next turns reject."""
    each = [rejections_in(str(turn["words"])) for turn in turns]
    return [
        {**turn, "rejected": [one for some in each[place : place + 1 + reach] for one in some]}
        for place, turn in enumerate(turns)
    ]


def is_rejected(sentence: str, turn: Mapping[str, Any]) -> bool:
    """Whether a sentence of the agent still says what was rejected."""
    return says_rejected(sentence, turn.get("rejected", ()))


def says_rejected(sentence: str, rejections: Iterable[Rejection]) -> bool:
    """Whether a sentence names one of the rejected things, and does not say that it is gone."""
    return rejecting(sentence, rejections) is not None


def rejecting(sentence: str, rejections: Iterable[Rejection]) -> Rejection | None:
    """The last rejection of what a sentence says; None if it says that itself, or other things."""
    replaced = _REPLACING.search(sentence)
    said = sentence[replaced.end() :] if replaced else sentence
    said = _IN_PLACE_OF.sub(" ", said)
    if not rejections or _NEGATED.search(said):
        return None
    telling = _telling(said)
    found = [one for one in rejections if len(one.thing & telling) >= _least(len(one.thing))]
    return found[-1] if found else None


def _least(words: int) -> int:
    """Number of words of a rejected thing by which it is named."""
    return min(words, max(_NAMED, (words + 1) // 2))


def overtaken_by(words: str, later: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """The sentence of a later turn that rejects what a user's words had wished, and its event."""
    sentences = [one for one in _SENTENCE.split(words) if one and not one.endswith("?")]
    for turn in reversed(later):
        rejections = rejections_in(str(turn["words"]))
        found = [one for one in (rejecting(said, rejections) for said in sentences) if one]
        if found:
            return found[-1].sentence, str(turn["event"] or "")
    return None


def _telling(text: str) -> set[str]:
    return {_stem(word) for word in words_of(text) if len(word) >= LEAST_SHARED}


def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > _STEMMED else word
