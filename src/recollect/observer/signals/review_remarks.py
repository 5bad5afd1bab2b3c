"""Recognises a reviewer's remark that lays down a rule with its reason, once the agent followed it.

What somebody else wrote and a user passed on describes a fault that is mended by the end of the
turn, and waits for review. A few remarks say more: what is to be used in the place of what, or
where something must come from, by its name, and why. If the agent did so and says it with that
name, the remark holds for whoever writes there next.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from recollect.observer.diagnoses import names_in
from recollect.observer.signals.exchanges import is_refusal
from recollect.observer.signals.turn_text import is_prose

#: Longest remark, and longest sentence of it that is read.
_LONGEST: Final = 900
_SENTENCE_LENGTH: Final = 600
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+|\n+")
#: Words that ask for something: a duty, or the politeness of a reviewer.
_ASKED: Final = re.compile(r"\b(?:should|must|needs? to|consider|prefer|please)\b", re.I)
#: What is asked for, if it holds beyond this place: what is there already, one thing in the place
#: of another, or where something comes from.
_CURES: Final = (
    re.compile(
        r"\b(?:use|using|reuse|reusing|call|calling) (?:the |our )?(?:existing|shared|common) \S",
        re.I,
    ),
    re.compile(
        r"\b(?:use|using|call|calling|prefer) \S.{1,80}?\b(?:instead of|rather than) \S", re.I
    ),
    re.compile(
        r"\b(?:read|reads|reading|take|takes|taking|load|loads|loading|get|gets|getting) \S.{1,80}?"
        r"\bfrom \S",
        re.I,
    ),
)
#: Why it is asked for.
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|otherwise|to (?:avoid|reduce|prevent|ensure)|exposes?|exposing|"
    r"visible|leaks?|leaking|duplicat\w+|which is more|more robust|consistent with|properly|"
    r"in order (?:to|not)|breaks? (?:when|if|on)|does not|doesn't)\b",
    re.I,
)
#: Several findings in one text, or one that has its place in a list.
_LISTED: Final = re.compile(r"^\s{0,8}(?:[-*+\u2022]|\(?\d{1,2}[.)]|#{1,6}) ", re.M)


def cure_of(turn: Mapping[str, Any]) -> str:
    """The sentence of a reviewer's remark that says what to write and was followed; empty if there
    is none, or if several findings stand in one text."""
    words = str(turn["words"])
    if len(words) > _LONGEST or turn["first"] or is_refusal(turn) or _LISTED.search(words):
        return ""
    if not _REASON.search(words) or not _is_followed(turn):
        return ""
    said = " ".join(
        [str(turn["answer"]), *(str(one[1]) for one in turn.get("summaries", ()) if one[2] is None)]
    )
    for sentence in _SENTENCE.split(words):
        asked = _ASKED.search(sentence)
        if asked is None or len(sentence) > _SENTENCE_LENGTH or sentence.endswith("?"):
            continue
        cured = next((one for one in (form.search(sentence) for form in _CURES) if one), None)
        if cured is not None and any(
            _in(name, said) for name in names_in(sentence[cured.start() :])
        ):
            return " ".join(sentence.split())
    return ""


def _in(name: str, said: str) -> bool:
    return name.rstrip("()") in said


def _is_followed(turn: Mapping[str, Any]) -> bool:
    """Whether code was changed upon a remark, in the agent's own words, and nobody came back."""
    situation = set(turn.get("situation", ()))
    if turn.get("reversed") or turn.get("refuted") or "next_undoes" in situation:
        return False
    if {"edited_again", "next_corrects"} <= situation:
        return False
    _, _, repeats = [*turn.get("answered", ()), None, None, None][:3]
    return repeats is None and any(not is_prose(path) for path in turn["edited"])
