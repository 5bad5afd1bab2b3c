"""Finds the later turn of a session that decides the subject of a memory anew.

What a user wanted in the morning may be given up or decided otherwise in the afternoon. A memory
whose subject comes up again in a turn that changes something is not told unreviewed: it waits, with
the words of the later turn behind its own.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.diagnoses import names_in
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of
from recollect.observer.phrases import quoted, shortened
from recollect.observer.signals.outcomes import agreement, agrees, report
from recollect.observer.signals.rejections import overtaken_by
from recollect.observer.signals.retold import told_words
from recollect.observer.signals.threads import REACH
from recollect.observer.signals.turn_text import (
    CHANGED,
    ENDED,
    LATER_SAID,
    REPORTED,
    own_words,
)
from recollect.observer.signals.wishes import is_correcting, is_rule, is_wishing
from recollect.observer.taxonomy import Signal
from recollect.observer.turn_words import has_yielded, is_conceding, is_plan, is_undoing

#: Number of telling words that a later turn shares with a memory of the same subject, one fewer if
#: it changes the same file; their share of its own; and the number of names of the code that
#: suffices instead.
SHARED: Final = 3
SHARE: Final = 0.25
NAMES: Final = 2
#: Number of following turns in which a user may give up a wish, and characters looked at.
SOON: Final = 2
LOOKED: Final = 600
CONCEDED: Final = 200
#: Highest confidence of a memory that waits for review, and characters told of the later turn.
FOR_REVIEW: Final = 0.53
LATER: Final = 260
#: Share of the turns of a session from which a word that they use tells nothing apart, and the
#: number of turns from which that is asked.
COMMON: Final = 0.4
_FEW_TURNS: Final = 5
#: A command of two words or more in marks of quotation.
_COMMAND: Final = re.compile(r"[`'\"]([a-z][\w.-]* [^`'\"\n]{2,80})[`'\"]")
#: Words of somebody who ends a duty.
_LIFTING: Final = re.compile(
    r"\b(?:no longer|not) (?:have|need)(?: to)?\b(?=.{0,80}\bany ?more\b)|"
    r"\bno longer (?:have|need|want) (?:you )?to\b|"
    r"\b(?:don't|do not) (?:have|need) to .{3,80}\bany ?more\b|"
    r"\b(?:you|we) can stop \w+ing\b",
    re.I,
)
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: Words of somebody who has second thoughts.
_OBJECTING: Final = re.compile(
    r"^(?:no(?:pe)?|but|hm+|wait|actually|ugh|sorry)\b|\b(?:wondering|instead|on second thought)\b",
    re.I,
)
#: Number of next turns of which one may decide anew what waits for review, and the characters told
#: of it, and by which words are known to be told already.
REACHED: Final = 3
DECIDED: Final = 220
_KNOWN: Final = 30
#: Words of somebody who takes something else in the place of what was just done.
_REPLACING: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|hm+|ah|oh|no(?:pe)?|yeah|yes|but|actually|wait|sorry)\b[,. ]+){0,2}"
    r"(?:let'?s (?:do|use|go|make|call|name|keep|change|rename|just|say|not|drop|remove)|"
    r"how about|what (?:if|about)|I'd (?:rather|prefer)|make it|call it)\b|"
    r"\b(?:instead|rather|should (?:still|rather|stay|remain)|again after all|on second thought|"
    r"(?:remove|drop|delete) (?:it|this|that|them|those|these)\b|back to)\b",
    re.I,
)
_TURNS: Final = frozenset({Signal.REFUSAL, Signal.CORRECTION})


def with_later_words(
    candidates: Sequence[Candidate], turns: Sequence[Mapping[str, Any]]
) -> list[Candidate]:
    """Candidates, of which those that a later turn decides anew wait for review with its words."""
    common = _common(turns)
    places = {(int(turn["step"]), str(turn["words"])): at for at, turn in enumerate(turns)}
    found: list[Candidate] = []
    for one in candidates:
        place = places.get((one.step, str(one.quote)))
        later = None
        if one.signal in _TURNS and not one.unsure and place is not None:
            later = overtaking(one, turns[place], turns[place + 1 :], common)
        if later is None and one.signal in _TURNS and not one.unsure:
            later = _ended(str(one.quote), turns)
        found.append(one if later is None else _waiting(one, later))
        if later is None and one.signal in _TURNS and one.unsure and place is not None:
            found[-1] = _with_outcome(one, turns[place], turns[place + 1 :], common)
    return found


def _with_outcome(
    one: Candidate,
    turn: Mapping[str, Any],
    later: Sequence[Mapping[str, Any]],
    common: frozenset[str],
) -> Candidate:
    """A memory for review, with what one of the next turns made of it in the first place: what
    holds at the end is read first, and the report of what was built before is left away."""
    found = replaced_by(turn, later)
    if found is None:
        again = overtaking(one, turn, later[:REACHED], common)
        return _rejected(one, later[:REACH]) if again is None else _with_words(one, again)
    words = own_words(str(found["words"]), DECIDED)
    ended = report(found) or agreement(found)
    first = [f"{LATER_SAID}{quoted(words)}", *([f"{ENDED}{ended}"] if ended else [])]
    old = [
        line
        for line in one.content.split("\n")
        if not line.startswith(REPORTED) and words[:_KNOWN] not in line
    ]
    events = (*one.events, found["event"], *(_reporting(found) if ended else ()))
    return replace(
        one,
        content="\n".join([*first, *old]),
        events=tuple(dict.fromkeys(str(event) for event in events if event)),
    )


def _reporting(turn: Mapping[str, Any]) -> list[str]:
    answered = [*turn.get("answered", ()), None][:1]
    return [str(one) for one in (*answered, turn.get("last")) if one]


def replaced_by(
    turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """The last of the next turns that says shortly what to do instead, and changes the same file
    again; what is done instead may be replaced in its turn."""
    found, last = None, turn
    reach = SOON
    for place, other in enumerate(later):
        if place >= reach:
            break
        words = own_words(str(other["words"]), LOOKED)
        again = set(last["edited"]) & set(other["edited"])
        if not again or len(words) > CONCEDED or _REPLACING.search(words) is None:
            continue
        if is_undoing(words) or are_related(words, str(last["words"])):
            found = last = other
            reach = place + 1 + SOON
    return found


def overtaking(
    one: Candidate,
    turn: Mapping[str, Any],
    later: Sequence[Mapping[str, Any]],
    common: frozenset[str] = frozenset(),
) -> Mapping[str, Any] | None:
    """The last later turn that decides the subject of a memory anew; None if there is none."""
    mine = told_words(one.content) - common
    names = _names(one.content)
    files = {*turn["edited"], *turn["paths"]}
    found: Mapping[str, Any] | None = None
    for place, other in enumerate(later):
        if is_plan(str(other["words"])) or other["event"] in one.events:
            continue
        words = str(other["words"])[:LOOKED]
        theirs = {word for word in words_of(words) if len(word) >= LEAST_SHARED} - common
        least = SHARED - bool(files & set(other["edited"]))
        alike = max(least, SHARE * len(theirs)) <= len(mine & theirs)
        same = alike or len(names & _names(words)) >= NAMES
        objected = not place and _is_objection(words, turn, other)
        given_up = objected or _gives_up(words, turn, other, place)
        if given_up or (same and _decides(other, words)):
            found = other
    return found


def _ended(quote: str, turns: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The last turn behind a user's words that gives another command for the same, or says of the
    same that it is no longer to be done."""
    said = [place for place, turn in enumerate(turns) if quote[:_KNOWN] in str(turn["words"])]
    later = turns[said[-1] + 1 :] if said else ()
    found = None
    for turn in later:
        words = str(turn["words"])[:LOOKED]
        if _runs_otherwise(quote, words) or _lifts(quote, words):
            found = turn
    return found


def _runs_otherwise(quote: str, words: str) -> bool:
    """Whether words give another command that ends as one of the quote."""
    mine = {command.split()[-1]: command for command in _COMMAND.findall(quote)}
    return any(mine.get(one.split()[-1], one) != one for one in _COMMAND.findall(words))


def _lifts(quote: str, words: str) -> bool:
    """Whether a sentence says that what the quote has done is no longer to be done; words that
    begin alike ("chats", "chatlogs") are about the same."""
    mine = {word for word in words_of(quote) if len(word) >= LEAST_SHARED}
    for sentence in filter(_LIFTING.search, _SENTENCE.split(words)):
        theirs = {word for word in words_of(sentence) if len(word) >= LEAST_SHARED}
        if any(a.startswith(b) or b.startswith(a) for a in mine for b in theirs):
            return True
    return False


def _rejected(one: Candidate, later: Sequence[Mapping[str, Any]]) -> Candidate:
    """A candidate, with the sentence by which the user rejects later what it wished."""
    found = overtaken_by(str(one.quote), later)
    if found is None:
        return one
    sentence, event = found
    told = f"{one.content}\n{LATER_SAID}{quoted(shortened(sentence, LATER))}"
    return replace(one, content=told, events=tuple(dict.fromkeys((*one.events, event))))


def _waiting(one: Candidate, later: Mapping[str, Any]) -> Candidate:
    told = _with_words(one, later)
    return replace(told, confidence=min(one.confidence, FOR_REVIEW), unsure=True)


def _with_words(one: Candidate, later: Mapping[str, Any]) -> Candidate:
    """A candidate with the words of a later turn behind its own, unless it tells them already."""
    words = own_words(str(later["words"]), LATER)
    event = str(later["event"] or "")
    events = tuple(dict.fromkeys([*one.events, *([event] if event else [])]))
    if words[:_KNOWN] in one.content:
        return replace(one, events=events)
    return replace(one, content=f"{one.content}\n{LATER_SAID}{quoted(words)}", events=events)


def _decides(turn: Mapping[str, Any], words: str) -> bool:
    """Whether a turn wishes or corrects something and is followed."""
    followed = bool(turn["edited"]) or has_yielded(str(turn["answer"]))
    wishes = is_correcting(words) or is_wishing(words) or is_rule(words)
    return followed and (wishes or has_yielded(str(turn["answer"])))


def _is_objection(words: str, turn: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a user doubts next what was changed upon a wish, and the agent agrees and changes it
    again."""
    again = set(turn["edited"]) & set(other["edited"])
    return bool(again) and agrees(other) and _OBJECTING.search(words) is not None


def _gives_up(words: str, turn: Mapping[str, Any], other: Mapping[str, Any], place: int) -> bool:
    """Whether a user gives up or undoes a wish in one of the next turns."""
    if place >= SOON or len(words) > CONCEDED:
        return False
    if not (is_conceding(words) or is_undoing(words)):
        return False
    shared = bool(set(turn["edited"]) & set(other["edited"]))
    return not place or shared or are_related(words, str(turn["words"]))


def _names(text: str) -> set[str]:
    return {name.lower() for name in names_in(text.split(CHANGED, maxsplit=1)[0])}


def _common(turns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    if len(turns) < _FEW_TURNS:
        return frozenset()
    counts = Counter(word for turn in turns for word in set(words_of(str(turn["words"]))))
    return frozenset(word for word, count in counts.items() if count > COMMON * len(turns))
