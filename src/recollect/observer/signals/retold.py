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
from recollect.observer.phrases import quoted
from recollect.observer.signals.numbered_answers import is_numbered
from recollect.observer.signals.turn_text import (
    ALSO_SAID,
    CHANGED,
    LATER_SAID,
    MEANS,
    REPORTED,
    own_words,
)

#: Share of the words of the shorter of two memories from which they are about the same, and the
#: number of them.
SAME: Final = 0.6
LEAST_WORDS: Final = 4
#: Confidence of a memory that another one tells.
RETOLD: Final = 0.1
#: Number of telling words that a turn shares with a memory to be cited by it, and of such turns.
SPOKEN_OF: Final = 5
CITED: Final = 3
#: Number of such turns whose words are told to a person who reviews, and the characters of their
#: beginning by which words are known to be told already.
ALSO: Final = 2
ALSO_ROOM: Final = 320
_KNOWN: Final = 30
#: Share of the turns of a session up to which a word that they use tells them apart, and the number
#: of turns from which that is asked.
COMMON: Final = 0.4
_FEW_TURNS: Final = 5
_FRAME: Final = re.compile(
    r"^(?:The user (?:had )?(?:said|asked|this planned|also said)|The agent (?:found|agreed)|"
    r"The agent had (?:asked|said)|The user had said before|Refused|Stopped): ",
    re.M,
)
#: Beginning of what was done in the end, which is no subject.
_OUTCOME: Final = re.compile(rf"^(?:{CHANGED}|{MEANS}|{REPORTED})", re.M)


def joined(
    candidates: Sequence[Candidate], turns: Sequence[Mapping[str, Any]], least: float
) -> list[Candidate]:
    """Candidates, of which those that are sure enough are joined and cite where else they were
    spoken of; one that is told by another is not remembered by itself."""
    found = list(candidates)
    told = {
        place: told_words(one.content) for place, one in enumerate(found) if one.confidence >= least
    }
    standing: list[int] = []
    for place in told:
        stands = place
        for other in standing[:]:
            if _same(found[other], found[stands], told[other], told[stands]):
                keeps = stands if found[other].unsure or not found[stands].unsure else other
                loses = other if keeps == stands else stands
                found[keeps] = _with(found[keeps], found[loses])
                found[loses] = replace(found[loses], confidence=RETOLD)
                standing = [one for one in standing if one != loses]
                stands = keeps
        standing = [*[one for one in standing if one != stands], stands]
    spoken = _spoken(turns)
    for place in standing:
        one, cited = found[place], _cited(found[place], told[place], spoken)
        found[place] = replace(one, content=_with_words(one, cited, turns), events=cited)
    return found


def _with_words(one: Candidate, cited: Sequence[str], turns: Sequence[Mapping[str, Any]]) -> str:
    """A memory for review, with the words of the other turns that it cites: what was said before
    and what was said later, because the later words hold."""
    said = [
        (int(turn["step"]) > one.step, own_words(str(turn["words"]), ALSO_ROOM))
        for turn in turns
        if turn["event"] in cited[1:] and not is_numbered(str(turn["words"]))
    ]
    new = [pair for pair in dict.fromkeys(said) if pair[1][:_KNOWN] not in one.content]
    if not one.unsure or not new:
        return one.content
    lines = [one.content]
    for later, label in ((False, ALSO_SAID), (True, LATER_SAID)):
        told = [quoted(words) for after, words in new[-ALSO:] if after is later]
        lines += [f"{label}{', '.join(told)}"] if told else []
    return "\n".join(lines)


def _with(one: Candidate, other: Candidate) -> Candidate:
    """The first of two memories of the same, as sure as the surer one, with the events of both."""
    events = tuple(dict.fromkeys([*one.events, *other.events]))
    return replace(one, events=events, confidence=max(one.confidence, other.confidence))


def _same(one: Candidate, other: Candidate, mine: set[str], theirs: set[str]) -> bool:
    if one.files and other.files and not set(one.files) & set(other.files):
        return False
    return len(mine & theirs) >= max(LEAST_WORDS, SAME * min(len(mine), len(theirs)))


def told_words(content: str) -> set[str]:
    """Telling words of a memory, without those that every memory of a turn has."""
    plain = _FRAME.sub(" ", _OUTCOME.split(content, maxsplit=1)[0])
    return {word for word in words_of(plain) if len(word) >= LEAST_SHARED}


def _spoken(turns: Sequence[Mapping[str, Any]]) -> list[tuple[str, set[str]]]:
    """Each turn's event and its words, without those that too many turns use to tell them apart."""
    every = [(str(turn["event"] or ""), set(words_of(str(turn["words"])))) for turn in turns]
    if len(every) < _FEW_TURNS:
        return every
    counts = Counter(word for _, own in every for word in own)
    common = {word for word, count in counts.items() if count > COMMON * len(every)}
    return [(event, own - common) for event, own in every]


def _cited(
    one: Candidate, told: set[str], spoken: Sequence[tuple[str, set[str]]]
) -> tuple[str, ...]:
    shared = [(len(told & own), event) for event, own in spoken if event not in (*one.events, "")]
    best = sorted((pair for pair in shared if pair[0] >= SPOKEN_OF), key=lambda pair: -pair[0])
    return tuple(dict.fromkeys([*one.events, *(event for _, event in best[:CITED])]))
