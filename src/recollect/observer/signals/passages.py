"""What an agent found out about a matter: sentences that stand together, and then the details.

The lead is the sentence that tells most, with those beside it in the same statement that tell
something too: it names things, and is no line of a list. What else was said of the same things, by
that statement or by others, follows as details, in the order in which it was said.
"""

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from recollect.observer.diagnoses import (
    is_aside,
    is_choice,
    is_claim,
    names_in,
    same,
    sentence_score,
    sentences_of,
)
from recollect.observer.names import words as words_of
from recollect.observer.turn_words import has_yielded

#: So much of what an agent found out is told.
ROOM: Final = 750
#: A sentence that tells less goes on with nothing; one that tells so much may stand in a second
#: passage.
LEAST_TOLD: Final = 0.6
SECOND: Final = 0.3
SHARED: Final = 1
MOST: Final = 4
#: A sentence that goes on with one before it tells at least so much.
GOES_ON: Final = -0.2
#: So long is the passage that a memory begins with.
LEAD: Final = 340
LAST: Final = 0.4
FIRST: Final = 0.4
AGREEING: Final = 0.8
CHOICE: Final = 0.4
LOGGED: Final = 0.8
#: So much less is a line of a list worth at the beginning of a memory.
LISTED: Final = 1.5
UNNAMED: Final = 0.5
UNRELATED: Final = 0.3
_SENTENCE: Final = 25
_PLAIN: Final = 25
LONGEST: Final = 420
_COMMON: Final = 4
#: The number or mark of an item, which means nothing outside of its list.
_LISTED: Final = re.compile(r"^(?:\(?\d{1,2}[.)]|[-*•]|[a-d]\))\s+")
#: What was done, item by item, tells a change and not what is known.
_LOGGED: Final = re.compile(
    r"^(?:\(?\d{1,2}[.)]\s+)?(?:`[^`]{1,80}`[:,]? ?(?:[-\u2013\u2014] )?)?"
    r"(?:added|fix(?:ed|es)?\b(?! (?:is|would|for))|updated|changed|removed|renamed|moved|created|"
    r"modified|replaced|refactored|implemented|extracted|committed|pushed|ran|deleted|simplified|"
    r"tightened|wrote|marked|tests? (?:added|pass)|I(?:'ve| have) \w{3,12}ed|"
    r"all (?:\w{1,20} ){0,3}(?:pass|fixed|done)|no (?:changes|issues))\b",
    re.I,
)
#: What a list says of one place in the code, or of one step.
_ITEM: Final = re.compile(
    r"^(?:`[^`]{1,80}`(?: \([^)]{1,60}\))? ?(?:[-\u2013\u2014:\u2192]) |(?:lines?|step) \d|"
    r"(?:before|after|tests?|session [a-c1-3]|option [a-d1-4])\b[^.]{0,40}: )",
    re.I,
)
#: How a sentence begins that says nothing without the one before it.
_BACK: Final = re.compile(
    r"^(?:this|that|these|those|it|its|they|so|but|then|however|instead|therefore|also|which|"
    r"because|and|both)\b",
    re.I,
)
#: How an agent begins an answer before it says something.
_OPENING: Final = re.compile(
    r"^(?:(?:yes|no|right|great|good|perfect|ah|oh|ok(?:ay)?|so|but|also|and|however|now|wait|"
    r"I see|you.re (?:absolutely |completely )?(?:right|correct)|"
    r"good (?:point|catch|question|idea)|"
    r"(?:the )?(?:root cause|key insight|key finding|summary|fix|result|answer|conclusion)(?=:)|"
    r"that's a (?:good|great|fair) (?:point|catch|question))(?:[,.!:]|\s[-\u2013\u2014])\s*){1,3}",
    re.I,
)
#: What is not settled yet.
_UNSURE: Final = re.compile(
    r"\b(?:probably|perhaps|maybe|might|seems?|appears?|likely|not sure|option [a-d1-4]|I think|"
    r"we could|you could|could also|would be (?:better|nice))\b",
    re.I,
)
#: Thinking aloud.
_ALOUD: Final = re.compile(
    r"^(?:wait|hmm|actually|but wait|ok(?:ay)?,|alright|so now|hold on)\b|\b(?:no|oh) wait\b|"
    r"\b(?:let me|I(?:'d)? need to|I could|I should|I'll|I will|I'm going to|let's|I can see)\b",
    re.I,
)


class Finding(NamedTuple):
    """What was found out: the passage that tells most, what else tells something about it, how
    much the best sentence tells, and where they were said, the best first."""

    lead: str
    details: str
    score: float
    events: tuple[str, ...]


NOTHING: Final = Finding("", "", 0.0, ())


def found_out(
    turn: Mapping[str, Any],
    others: Sequence[str],
    agreed: Sequence[Mapping[str, Any]],
    told: Sequence[Mapping[str, Any]],
) -> Finding:
    """What the agent found out about what was said."""
    about = " ".join([str(turn["words"]), str(turn["overturns"]), *others])
    last = str(turn.get("last") or "")
    first = str((turn.get("answered") or [""])[0] or "")
    statements = [(one, AGREEING) for one in agreed]
    for one in told:
        more = AGREEING if has_yielded(str(one["text"])) else 0.0
        if last and one["event"] == last and _settles(one):
            more = max(more, LAST)
        if first and one["event"] == first:
            more = max(more, FIRST)
        statements.append((one, more - CHOICE * bool(one.get("choice"))))
    return finding(statements, about)


def finding(
    statements: Sequence[tuple[Mapping[str, Any], float]], about: str, room: int = ROOM
) -> Finding:
    """What the statement that tells most says about a matter, and others that go with it."""
    wanted = _telling_words(about)
    rated = [_Rated(one, wanted, more) for one, more in statements]
    rated = sorted((one for one in rated if one.best >= LEAST_TOLD), key=lambda one: -one.best)
    if not rated:
        return NOTHING
    best = rated[0]
    lead, places = best.lead()
    wanted |= _telling_words(lead)
    details = [best.told(room - len(lead), [lead], without=places)]
    room -= len(lead) + len(details[0])
    events = [best.event]
    for one in rated[1:MOST]:
        text = one.told(room, [lead, *details]) if one.best >= SECOND else ""
        if text and len(_telling_words(text) & wanted) >= SHARED:
            details.append(text)
            events.append(one.event)
            room -= len(text)
    return Finding(lead, " ".join(filter(None, details)), best.best, tuple(events))


class _Rated:
    """The sentences of a statement, each with how much it tells."""

    def __init__(self, one: Mapping[str, Any], wanted: Set[str], more: float) -> None:
        self.event = str(one["event"] or "")
        self._lines = [_cleaned(line) for line in sentences_of(str(one["text"]))]
        self._scores = [
            _told_score(line, wanted) if _is_telling(line) else -1.0 for line in self._lines
        ]
        self.best = max(self._scores, default=-1.0) + more

    def lead(self) -> tuple[str, range]:
        """The best sentence with those beside it that tell something too; and where they stand."""
        lines, scores = self._lines, self._scores
        scores = [one - _unfit(line) for one, line in zip(scores, lines, strict=True)]
        first = last = max(range(len(lines)), key=lambda place: scores[place])
        room = LEAD - len(lines[first])
        while True:
            sides = [place for place in (first - 1, last + 1) if 0 <= place < len(lines)]
            fit = [one for one in sides if scores[one] >= LEAST_TOLD and len(lines[one]) < room]
            if not fit:
                break
            back = first - 1 in fit and _BACK.match(lines[first]) is not None
            place = first - 1 if back else max(fit, key=lambda one: scores[one])
            room -= len(lines[place]) + 1
            first, last = min(first, place), max(last, place)
        return " ".join(map(_ended, lines[first : last + 1])), range(first, last + 1)

    def told(self, room: int, known: Sequence[str], without: range = range(0)) -> str:
        """The best sentences in the order in which they were said, as far as there is room."""
        kept: list[int] = []
        for place in sorted(range(len(self._lines)), key=lambda place: -self._scores[place]):
            line = self._lines[place]
            if self._scores[place] < GOES_ON:
                break
            again = any(same(line, other) for other in (*known, *(self._lines[k] for k in kept)))
            if place not in without and len(line) < room and not again:
                kept.append(place)
                room -= len(line) + 1
        return " ".join(_ended(self._lines[place]) for place in sorted(kept))


def _unfit(line: str) -> float:
    """How little a sentence is fit to begin a memory: it is of a list, or names nothing."""
    listed = _LOGGED.match(line) or _ITEM.match(line)
    return LISTED * (listed is not None) + UNNAMED * (not names_in(line))


def _cleaned(line: str) -> str:
    return _OPENING.sub("", _LISTED.sub("", line)).lstrip(".,;:!- ")


def _telling_words(text: str) -> set[str]:
    return {word for word in words_of(text) if len(word) >= _COMMON}


def _settles(one: Mapping[str, Any]) -> bool:
    """Whether a last statement tells an end: it lays out no ways to choose from."""
    text = str(one["text"])
    return not one.get("choice") and not is_choice(text) and "?" not in text[-3:]


def _is_telling(sentence: str) -> bool:
    """Whether a sentence says something: it is whole, no announcement and no thinking aloud."""
    if is_aside(sentence) or sentence.endswith(("?", ":")) or sentence.count(" · ") > 1:
        return False
    if len(sentence) < (_SENTENCE if is_claim(sentence) else _PLAIN) or len(sentence) > LONGEST:
        return False
    return _ALOUD.search(sentence) is None


def _told_score(sentence: str, wanted: Set[str]) -> float:
    """How much one sentence of an agent tells about what was said."""
    shared = sum(word in wanted for word in set(words_of(sentence)))
    score = sentence_score(sentence) + 0.25 * min(4, shared)
    score -= UNRELATED * (bool(wanted) and not shared)
    score -= LOGGED * bool(_LOGGED.match(sentence))
    score -= 0.7 * bool(_UNSURE.search(sentence)) + 0.5 * bool(_ITEM.match(sentence))
    return score - 0.3 * sentence.count(" · ")


def _ended(sentence: str) -> str:
    sentence = sentence[:1].upper() + sentence[1:]
    return sentence if sentence.endswith((".", "!", "”", "…")) else f"{sentence.rstrip(',;:-')}."
