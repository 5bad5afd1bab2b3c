"""Candidates from users' turns: one for each matter, and one for each finding that stands alone.

A memory speaks of one matter. Its turn is told with at most one other that speaks of the same; a
turn of the exchange that speaks of something else is a matter of its own, and so is a finding that
no turn's memory tells. What a matter is worth is summed up from the words, from where they stand,
from whether the agent gave way, and from what was found out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.phrases import digest, module_of
from recollect.observer.scratchpad import Scratchpad
from recollect.observer.signals.exchanges import CURT, GOING_ON, is_refusal
from recollect.observer.signals.passages import Finding, finding, found_out
from recollect.observer.signals.turn_text import (
    are_related,
    asked_of,
    content_of,
    is_asking,
    is_refusing,
    is_task,
    says_itself,
)
from recollect.observer.signals.wishes import is_empty, is_lasting, type_of
from recollect.observer.taxonomy import Signal
from recollect.observer.turn_words import has_yielded, is_plan, worth
from recollect.vocabulary.memory_types import MemoryType

#: A turn that is worth so much, and a finding, are remembered.
TURN: Final = 2.3
FINDING: Final = 6.4
PROMISING: Final = 0.5
#: So much less is a turn worth when nothing is known to have come of it.
UNSETTLED: Final = 3.0
#: A wish with one of these is for good, whatever came of it.
_STANDING: Final = re.compile(
    r"(?i)\b(?:always|never|from now on|every time|toujours|jamais|désormais)\b"
)
LITTLE: Final = 12
#: A sentence that tells so much says a finding by itself.
STRONG: Final = 1.5
#: One that tells so much is what a memory is about, where the user's words only led to it.
LEADING: Final = 4.0
#: A turn is worth more by what was found out on it, and less when it only asks or orders something;
#: much less when nothing strong was found out on that.
FOUND_OUT: Final = 0.7
ORDERED: Final = 0.3
TASK: Final = 1.0
#: A turn is worth more when its words tell a lesson by themselves, or hand over a plan.
SAID: Final = 0.6
PLANNED: Final = 0.9
#: So many statements of the agent are looked at for a matter, and cited.
QUOTED: Final = 10
#: A statement that is worth less says nothing that a reader misses.
TOLD: Final = 0.8

Turn = dict[str, Any]


def candidates_of(turns: Sequence[Turn], pad: Scratchpad) -> Iterator[Candidate]:
    """What may be remembered of an exchange: its matters, and what else was found out on them."""
    for main, others in _matters(turns):
        spoken = [main, *others]
        told = [one for one in _told(spoken) if is_own(one)]
        about = [str(one["words"]) for one in others]
        found = found_out(main, about, _agreed(main, told), told)
        one = _candidate(main, others, told, found, pad)
        yield one
        used = set(found.events) if one.confidence >= PROMISING else set()
        for turn in spoken:
            for statement in turn["stated"]:
                if str(statement["event"]) not in used:
                    yield _finding(statement, turn, pad)


def _matters(turns: Sequence[Turn]) -> Iterator[tuple[Turn, list[Turn]]]:
    """Each turn that says something, the best first, with those that speak of the same."""
    left = [turn for turn in turns if not is_empty(str(turn["words"]))]
    while left:
        main = max(left, key=lambda turn: (bool(turn["overturns"]), _score(turn)))
        others = [turn for turn in left if turn is not main and _belongs(turn, main)]
        yield main, others
        done = {id(turn) for turn in (main, *others)}
        left = [turn for turn in left if id(turn) not in done]
        left = [turn for turn in left if turn["event"] != main.get("overturned")]


def _belongs(turn: Turn, main: Turn) -> bool:
    """Whether a turn says more of what another one is about."""
    words, own = str(turn["words"]), str(main["words"])
    if len(words) < CURT or len(own) < CURT or GOING_ON.match(words) or GOING_ON.match(own):
        return True
    return are_related(words, f"{own} {main['overturns']}")


def _context(main: Turn, others: Sequence[Turn]) -> Turn | None:
    """The turn before, where the main one only goes on with it; or the one that says most more."""
    words = str(main["words"])
    telling = [turn for turn in others if _tells_more(turn, main)]
    earlier = [turn for turn in telling if int(turn["step"]) <= int(main["step"])]
    if earlier and not main["overturns"] and (len(words) < CURT or GOING_ON.match(words)):
        return earlier[-1]
    return max(telling, key=lambda turn: worth(str(turn["words"])), default=None)


def _tells_more(turn: Turn, main: Turn) -> bool:
    said = str(turn["words"])
    known = {digest(str(main["words"])), digest(str(main["overturns"]))}
    return len(said) > LITTLE and worth(said) > 0 and digest(said) not in known


def _candidate(
    main: Turn,
    others: Sequence[Turn],
    told: Sequence[dict[str, Any]],
    found: Finding,
    pad: Scratchpad,
) -> Candidate:
    words = str(main["words"])
    agreed = _agreed(main, told)
    context = _context(main, others)
    paths = tuple(dict.fromkeys([*main["paths"], *main["edited"][:2]]))[:4]
    spoken = [main, *others]
    cited = [turn for turn in others if turn is context or _tells_more(turn, main)]
    events = [one["event"] for one in (main, *cited, *agreed, *told)]
    events.insert(1, main.get("overturned"))
    if found.score >= LEADING and not says_itself(main):
        events.insert(0, found.events[0])  # it is what the memory says first
    return Candidate(
        signal=Signal.REFUSAL if is_refusal(main) else Signal.CORRECTION,
        key=digest(words),
        type=type_of(words),
        content=content_of(main, context, found.lead, found.details),
        session=pad.session,
        step=int(main["step"]),
        files=paths,
        modules=tuple(dict.fromkeys(filter(None, map(module_of, paths)))),
        confidence=sureness(_matter_score(main, spoken, told, found), TURN),
        quote=words,
        events=tuple(dict.fromkeys(event for event in events if event)),
    )


def _matter_score(main: Turn, spoken: Sequence[Turn], told: Sequence[Any], found: Finding) -> float:
    words = str(main["words"])
    score = _score(main) - UNSETTLED * _is_unsettled(spoken, told)
    score -= ORDERED * is_task(words) + TASK * (is_task(words) and found.score < STRONG)
    more_found = min(4.0, found.score) - STRONG
    return score + FOUND_OUT * (max(0.0, more_found) if any(map(_states, spoken)) else more_found)


def _told(turns: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The best statements on an exchange, in their order."""
    stated = [(_weight(one, turn), one) for turn in turns for one in turn["stated"]]
    stated = [pair for pair in stated if pair[0] >= TOLD and len(pair[1]["text"]) >= CURT]
    best = sorted(stated, key=lambda pair: -pair[0])[:QUOTED]
    return [one for _, one in sorted(best, key=lambda pair: int(pair[1]["step"]))]


def _weight(one: Mapping[str, Any], turn: Mapping[str, Any]) -> float:
    """A statement's score; what the agent says last in a turn is its account of it."""
    return float(one["score"]) + (0.9 if one["event"] == turn.get("last") else 0.0)


def _score(turn: Mapping[str, Any]) -> float:
    """What a turn is worth by its words, by where it stands and by how the agent took it."""
    words = str(turn["words"])
    score: float = worth(words)
    score += 1.8 * bool(turn.get("refused")) + 0.7 * bool(turn.get("late"))
    score += 1.8 * bool(turn.get("corrected")) + 1.2 * bool(turn.get("interrupted"))
    score += 0.8 * bool(turn["edited"]) + 0.3 * bool(turn.get("passed"))
    score += 1.2 * has_yielded(str(turn["answer"])) + SAID * says_itself(turn)
    score += 0.2 * max((_weight(one, turn) for one in turn["stated"]), default=0.0)
    return float(score) - 0.8 * bool(turn["first"]) + PLANNED * is_plan(words)


def _is_unsettled(spoken: Sequence[Mapping[str, Any]], told: Sequence[Any]) -> bool:
    """Whether nothing can be told of what came of an exchange that does not settle it itself."""
    if told or any(turn["edited"] or turn["commit"] for turn in spoken):
        return False
    if any(has_yielded(str(turn["answer"])) for turn in spoken):
        return False
    return not any(_states(turn) for turn in spoken)


def _states(turn: Mapping[str, Any]) -> bool:
    """Whether the words say themselves how something is to be; the reason of a refusal does."""
    words = str(turn["words"])
    if is_asking(words):
        return False
    if is_refusal(turn):
        return is_lasting(words) or is_refusing(words)
    return is_lasting(words) and (is_refusing(words) or _STANDING.search(words) is not None)


def _finding(one: Mapping[str, Any], turn: Mapping[str, Any], pad: Scratchpad) -> Candidate:
    """What the agent found out beside what a turn's memory tells; it names what it was asked."""
    paths = tuple(one["files"])
    words = str(turn["words"])
    found = finding([(one, 0.0)], words)
    text = found.lead
    where = f"`{paths[0]}`: " if paths and paths[0] not in text else ""
    score = _weight(one, turn) + found.score if found.score >= STRONG else 0.0
    return Candidate(
        signal=Signal.DIAGNOSIS,
        key=digest(str(one["text"])),
        type=MemoryType.GOTCHA,
        content=" ".join(filter(None, [f"{where}{text}", asked_of(turn), found.details])),
        session=pad.session,
        step=int(one["step"]),
        files=paths,
        modules=tuple(filter(None, map(module_of, paths))),
        confidence=sureness(score, FINDING),
        events=tuple(event for event in (one["event"], turn["event"]) if event),
    )


def sureness(score: float, threshold: float) -> float:
    """A score as a confidence: at its threshold, just enough to be remembered."""
    return round(min(0.95, max(0.1, 0.5 + 0.12 * (score - threshold))), 3)


def _agreed(turn: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The answer in which the agent gives way, unless it is quoted anyway or strangers spoke."""
    if not has_yielded(str(turn["answer"])):
        return []
    event, _, *repeats = turn["answered"]
    known = any(one["event"] == event and event for one in told)
    answer = {"text": turn["answer"], "event": event, "repeats": repeats[0] if repeats else None}
    return [answer] if not known and is_own(answer) else []


def is_own(one: Mapping[str, Any]) -> bool:
    """Whether a statement is the agent's: strangers' words had no part in it."""
    return one.get("repeats") is None
