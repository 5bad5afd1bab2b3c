"""Joins memories of one session that are about the same, and adds where else it was spoken of.

A wish is often told twice in other words, and an answer is given again after a change. The later
memory stands, because it is what held at the end, and cites what the earlier one cites. A turn of
the user that speaks of what a memory tells is cited behind it.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of

#: Share of the words of the shorter of two memories from which they are about the same, and the
#: number of them.
SAME: Final = 0.6
LEAST_WORDS: Final = 4
#: Number of telling words that a turn shares with a memory to be cited by it, and of such turns.
SPOKEN_OF: Final = 5
CITED: Final = 3
#: Share of the turns of a session up to which a word that they use tells them apart, and the number
#: of turns from which that is asked.
COMMON: Final = 0.4
_FEW_TURNS: Final = 5
_FRAME: Final = re.compile(
    r"(?:On this )?the user (?:had )?(?:said|asked|this planned)|Changed for it: .*$|"
    r"(?:The user )?(?:did not want|held|stopped) the agent|In their words",
    re.I | re.S,
)


def joined(
    candidates: Sequence[Candidate], turns: Sequence[Mapping[str, Any]], least: float
) -> list[Candidate]:
    """Candidates, of which those that are sure enough are joined and cite where else they were
    spoken of."""
    found: list[Candidate] = []
    for one in candidates:
        if one.confidence >= least:
            again = [other for other in found if other.confidence >= least and _same(other, one)]
            found = [other for other in found if other not in again]
            for other in again:
                one = _with(one, other) if other.unsure or not one.unsure else _with(other, one)
        found.append(one)
    common = _common(turns)
    return [
        replace(one, events=_cited(one, turns, common)) if one.confidence >= least else one
        for one in found
    ]


def _with(one: Candidate, other: Candidate) -> Candidate:
    """The first of two memories of the same, as sure as the surer one, with the events of both."""
    events = tuple(dict.fromkeys([*one.events, *other.events]))
    return replace(one, events=events, confidence=max(one.confidence, other.confidence))


def _same(one: Candidate, other: Candidate) -> bool:
    if one.files and other.files and not set(one.files) & set(other.files):
        return False
    mine, theirs = _told(one.content), _told(other.content)
    return len(mine & theirs) >= max(LEAST_WORDS, SAME * min(len(mine), len(theirs)))


def _told(content: str) -> set[str]:
    plain = _FRAME.sub(" ", content)
    return {word for word in words_of(plain) if len(word) >= LEAST_SHARED}


def _common(turns: Sequence[Mapping[str, Any]]) -> set[str]:
    """Words that too many turns of the session use to tell them apart."""
    if len(turns) < _FEW_TURNS:
        return set()
    counts = Counter(word for turn in turns for word in set(words_of(str(turn["words"]))))
    return {word for word, count in counts.items() if count > COMMON * len(turns)}


def _cited(
    one: Candidate, turns: Sequence[Mapping[str, Any]], common: set[str]
) -> tuple[str, ...]:
    told = _told(one.content) - common
    shared = [
        (len(told & set(words_of(str(turn["words"])))), str(turn["event"]))
        for turn in turns
        if turn["event"] and turn["event"] not in one.events
    ]
    best = sorted((pair for pair in shared if pair[0] >= SPOKEN_OF), key=lambda pair: -pair[0])
    return tuple(dict.fromkeys([*one.events, *(event for _, event in best[:CITED])]))
