"""Joins a user's numbered answers with the questions of the agent that they answer.

"1. multiple files 2. leave it where it is" says nothing without what was asked, and so does "A)
when the window closes". The agent's last numbered list that asks is kept with each message, cut to
its questions; letters count as numbers.
"""

import re
from collections.abc import Mapping
from typing import Final

from recollect.observer.phrases import shortened

#: Fewest questions and answers that are joined, most questions that are kept, and characters of
#: each question and of each answer.
LEAST: Final = 2
MOST: Final = 8
_QUESTION: Final = 110
_ANSWER: Final = 160
_ITEM: Final = re.compile(
    r"^[ \t#>*_-]{0,8}\(?(\d{1,2}|[A-Ha-h](?=\)))[.)][*_ \t]{1,4}(.{2,600})", re.M
)
#: The same where the items of lettered answers stand in one line, or begin behind other words.
_LETTERED: Final = re.compile(r"(?:(?<=\s)|^)\(?([A-Ha-h])\)[ \t]+(?=\S)")
_MARKS: Final = re.compile(r"[*_`#]{1,3}(?=\S)|(?<=\S)[*_`#]{1,3}")
_SENTENCE: Final = re.compile(r"(?<=[.?!:])\s+")
_NUMBERED: Final = re.compile(r"\s*\d{1,2}[.)]\s")
#: A question about the talk or the next step, of which nothing is left when it is answered.
_OF_THE_TALK: Final = re.compile(
    r"\b(?:make sense|would you like|you'd like me|like me to|(?:should|shall) (?:we|I) "
    r"(?:start|begin|"
    r"proceed|continue)|ready to|any questions|do you agree|sound(?:s)? good|look(?:s)? "
    r"(?:good|right))\b",
    re.I,
)
#: An answer that leaves its question open.
_OPEN: Final = re.compile(r"\bnot sure\b|\bI don'?t know\b|\?\s*$", re.I)


def questions_in(text: str) -> dict[str, str]:
    """The questions of the last numbered list of a text that asks, by number."""
    found: dict[str, str] = {}
    items = list(_ITEM.finditer(text)) if "?" in text else []
    for place, item in enumerate(items):
        number, said = item.groups()
        if number in {"1", "A", "a"}:
            found = {}
        end = items[place + 1].start() if place + 1 < len(items) else item.end() + _QUESTION
        whole = f"{said} {text[item.end() : end]}" if "?" not in said else said
        asked = [one for one in _SENTENCE.split(_MARKS.sub("", whole)) if one.endswith("?")]
        if asked and len(found) < MOST and not _OF_THE_TALK.search(asked[0]):
            found[number.upper()] = shortened(asked[0].lstrip("-> \n"), _QUESTION)
    return found if len(found) >= LEAST else {}


def answers_to(words: str, questions: Mapping[str, str]) -> str:
    """The user's numbered answers, each behind its question; empty if there are no two."""
    if not questions or not (is_numbered(words) or is_lettered(words)):
        return ""
    pairs = [
        f"{questions[number]} {shortened(said, _ANSWER)}"
        for number, said in _items(words)
        if number in questions and not _OPEN.search(said)
    ]
    return "; ".join(pairs) if len(pairs) >= LEAST else ""


def _items(words: str) -> list[tuple[str, str]]:
    """The numbered or lettered items of some words."""
    if not is_lettered(words):
        return [(number, said) for number, said in _ITEM.findall(words)]
    _, *parts = _LETTERED.split(words)
    return [
        (letter.upper(), said.strip(" \t\n,;"))
        for letter, said in zip(parts[::2], parts[1::2], strict=True)
    ]


def is_lettered(words: str) -> bool:
    """Whether words hold lettered items, from the first letter on."""
    found = [letter.upper() for letter in _LETTERED.findall(words)]
    return len(found) >= LEAST and found == sorted(set(found)) and found[0] == "A"


def is_numbered(words: str) -> bool:
    """Whether words begin as a numbered list."""
    return _NUMBERED.match(words) is not None
