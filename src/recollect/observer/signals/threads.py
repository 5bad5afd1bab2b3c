"""Determines which statements of an agent still held at the end of its session.

An agent's first answer is often not its last. Statements that a later turn of the user corrected or
that the agent itself revised, and options that were presented without a decision, are not findings;
nor is what was stated of a change that, as the user says next, did not help.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.observer.diagnoses import names_in
from recollect.observer.names import LEAST_SHARED, are_related
from recollect.observer.names import words as words_of
from recollect.observer.signals.rejections import with_rejections
from recollect.observer.signals.wishes import is_correcting
from recollect.observer.turn_words import (
    has_not_helped,
    has_understood,
    has_yielded,
    is_go_ahead,
    is_still_so,
    is_undoing,
    undoes_all,
)

#: Number of later turns in which a turn or a statement may retract a statement.
REACH: Final = 8
#: Characters examined of a turn that corrects an answer.
OBJECTION: Final = 400
#: Number of later turns in which a failure that is pasted again tells that it was not mended.
PASTED_AGAIN: Final = 3
#: Characters at the beginning of a turn in which a user says that advice did not help.
AT_ONCE: Final = 60
#: Number of shared names from which two statements have the same subject.
NAMED: Final = 2
#: Number of shared words from which an undoing turn refers to an earlier one.
ALIKE: Final = 2
#: What a program prints when it fails; and the number of words, and their share of the shorter
#: text, from which two pasted failures are one.
_FAILURE: Final = re.compile(
    r"(?-i:\w(?:Error|Exception)\b[:\s])|\bnpm (?:ERR!|error\b)|\berror:|\bpanic:|"
    r"\bTraceback\b|\b(?:build|command|test|upload|request)s? failed\b|"
    r"\bHTTP/[\d.]{1,3} [45]\d\d\b|\bstatus(?: code)?:? [45]\d\d\b|\bcommand not found\b|"
    r"\b[45]\d\d \(?(?:Bad Request|Unauthorized|Forbidden|Not Found|Conflict|Unprocessable|"
    r"Internal Server|Bad Gateway)|\b(?:invalid|unknown|unrecognized) (?:option|command|argument)",
    re.I,
)
_SAME_WORDS: Final = 5
_SAME_SHARE: Final = 0.4
#: Words by which an agent revises an earlier statement.
_REVERSING: Final = re.compile(
    r"^(?:actually|wait|hmm|oh|ah|no)\b[,.! ]|"
    r"\b(?:turns? out|I was wrong|I misread|I misunderstood|my mistake|on second thought|"
    r"the (?:real|actual|true|underlying) (?:issue|problem|cause|reason|bug|root cause)|"
    r"(?:isn't|is not|wasn't|was not) (?:actually |really )?the (?:issue|problem|cause|bug|reason)|"
    r"not (?:actually )?(?:a|the) (?:bug|problem|issue)|after all|contrary to)\b",
    re.I,
)


def standing(turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns, annotated: retracted statements are marked, the user's correction of the answer is
    added, and whether the user accepted it, and whether its changes were undone."""
    found: list[dict[str, Any]] = []
    for place, turn in enumerate(turns):
        later = turns[place + 1 : place + 1 + REACH]
        accepted = bool(turn.get("let_go_on"))
        stated = turn["stated"]
        against = _put_right([one for one in later if not is_go_ahead(str(one["words"]))])
        refuted = _is_misled(later) or _is_in_vain(turn, later)
        marked = [
            {
                **one,
                "taken_back": refuted or _is_otherwise(one, stated[at + 1 :], later),
                "against": against if one["event"] == turn.get("last") else "",
            }
            for at, one in enumerate(stated)
        ]
        undone = bool(turn.get("discarded")) or _is_reversed(turn, later)
        marks = {"accepted": accepted, "reversed": undone, "refuted": refuted}
        found.append({**turn, "stated": marked, **marks})
    return with_rejections(found, REACH)


def _is_reversed(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the user later had the changes of a turn undone."""
    if not turn["edited"]:
        return False
    for place, one in enumerate(later):
        words = str(one["words"])[:OBJECTION]
        if undoes_all(words) and (not place or are_related(words, str(turn["words"]))):
            return True
        if one["overturns"] or not is_undoing(words):
            continue
        shared = bool(set(turn["edited"]) & set(one["edited"]))
        if (not place and shared) or are_related(words, str(turn["words"]), ALIKE):
            return True
    return False


def _is_misled(later: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the agent says in the next turn that it had misunderstood."""
    return bool(later) and has_understood(str(later[0]["answer"]))


def _is_in_vain(turn: Mapping[str, Any], later: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the user says next that the change or the advice of a turn did not help, or soon
    pastes the same failure again."""
    if not later:
        return False
    mine = str(turn["words"])
    if any(_is_same_failure(mine, str(one["words"])) for one in later[:PASTED_AGAIN]):
        return True
    words = str(later[0]["words"])[:OBJECTION]
    if not turn["edited"]:
        return has_not_helped(words[:AT_ONCE])
    about = " ".join([str(turn["words"]), *(str(one["text"]) for one in turn["stated"])])
    return has_not_helped(words) or (is_still_so(words) and are_related(words, about, ALIKE))


def is_failure(words: str) -> bool:
    """Whether a user's words hold what a program printed when it failed."""
    return _FAILURE.search(words) is not None


def _is_same_failure(words: str, later: str) -> bool:
    """Whether a user pastes a failure again, at the same place, after the agent has answered it."""
    if not (is_failure(words) and is_failure(later)):
        return False
    mine = {word for word in words_of(words) if len(word) >= LEAST_SHARED}
    theirs = {word for word in words_of(later) if len(word) >= LEAST_SHARED}
    return len(mine & theirs) >= max(_SAME_WORDS, _SAME_SHARE * min(len(mine), len(theirs)))


def _put_right(later: Sequence[Mapping[str, Any]]) -> str:
    """The user's next words if they correct an answer and the agent agreed; otherwise empty."""
    if not later or not has_yielded(str(later[0]["answer"])):
        return ""
    words = str(later[0]["words"])[:OBJECTION]
    return words if is_correcting(words) else ""


def _is_otherwise(
    one: Mapping[str, Any],
    after: Sequence[Mapping[str, Any]],
    later: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether the agent itself later revised a statement about the same thing."""
    named = _named(str(one["text"]))
    if len(named) < NAMED:
        return False
    for other in _statements(after, later):
        text = str(other["text"])
        if _REVERSING.search(text) and len(named & _named(text)) >= NAMED:
            return True
    return False


def _statements(
    after: Sequence[Mapping[str, Any]], later: Sequence[Mapping[str, Any]]
) -> Iterator[Mapping[str, Any]]:
    yield from after
    for turn in later:
        yield from turn["stated"]


def _named(text: str) -> set[str]:
    return {name.lower() for name in names_in(text)}
