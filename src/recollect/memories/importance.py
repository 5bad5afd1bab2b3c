"""Long-term importance of an entry, from 0 to 1, estimated from its text and its circumstances.

A base of 0.3; then +0.5 when the person asked to remember it, +0.3 for a lasting preference, a
commitment or a goal, +0.2 when names and topics were found with some certainty, -0.1 for small
talk. A repeat adds less each time.
"""

import re
from typing import Final

from recollect.vocabulary.memory_types import MemoryType

BASE: Final = 0.3
SAVED: Final = 0.5
LASTING: Final = 0.3
CERTAIN: Final = 0.2
IDLE_TALK: Final = -0.1
CERTAINTY: Final = 0.6
_REPEAT: Final = 0.2
_READ: Final = 4_000
_SHORT: Final = 80  # characters; longer than that nobody is only polite

_PREFERENCE: Final = re.compile(
    r"\b(?:i(?:'d| would)? (?:really |always |usually |never |much )?"
    r"(?:prefer|like|love|hate|dislike|enjoy|avoid|want|need|can'?t stand|use|eat|drink)"
    r"|i(?:'m| am) (?:allergic|vegan|vegetarian|intolerant|afraid|a fan)|favou?rite|always|never"
    r"|please (?:always|never|don'?t|do not|use|call|answer|keep)|call me|instead of|rather than"
    r"|je (?:préfère|déteste|n'aime pas|veux)|j'(?:aime|adore)|toujours|jamais|appelle[- ]moi)\b",
    re.IGNORECASE,
)
_GOAL: Final = re.compile(
    r"\b(?:my goal|i(?:'m| am) (?:training|saving|planning|learning|working (?:on|towards))"
    r"|i (?:plan|intend|aim|hope|have) to|i(?:'ll| will)|i promised|deadline|due (?:on|by)"
    r"|by \w+day|appointment|every (?:week|month|day|\w+day)|remind me|don'?t forget|remember to"
    r"|mon objectif|je vais|rendez-vous|chaque (?:semaine|mois|jour)|rappelle[- ]moi)\b",
    re.IGNORECASE,
)
_DECISION: Final = re.compile(
    r"\b(?:we (?:decided|agreed|chose|will use)|i decided|on a décidé|nous avons décidé)\b",
    re.IGNORECASE,
)
_SMALL_TALK: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|thanks|thank you|ok(?:ay)?|cool|nice|great|lol|haha|yes|no|sure|bye"
    r"|good (?:morning|night|evening)|how are you|see you|merci|bonjour|salut|d'accord|super|oui"
    r"|non)\b[\s,.!?]*+)+(?:\w++[\s,.!?]*+){0,3}$",
    re.IGNORECASE,
)


def importance(text: str, *, saved: bool, certainty: float) -> float:
    """Importance of a new entry."""
    value = BASE
    value += SAVED if saved else 0
    value += LASTING if is_lasting(text) else 0
    value += CERTAIN if certainty >= CERTAINTY else 0
    value += IDLE_TALK if is_small_talk(text) else 0
    return clamp(value)


def repeated(importance: float, times_told: int) -> float:
    """Importance of an entry after another repeat, given the number of repeats so far: each repeat
    adds half as much as the one before."""
    return clamp(importance + _REPEAT * 0.5**times_told)


def is_lasting(text: str) -> bool:
    """Whether a text states a preference, a commitment or a goal."""
    read = text[:_READ]
    return bool(_PREFERENCE.search(read) or _GOAL.search(read))


def is_small_talk(text: str) -> bool:
    """Whether a text is only a courtesy."""
    return len(text) <= _SHORT and (bool(_SMALL_TALK.match(text)) or len(text.strip()) < 4)


def kind_of(text: str) -> MemoryType:
    """Kind of memory of a text, judged by the same signs."""
    read = text[:_READ]
    if _DECISION.search(read):
        return MemoryType.DECISION
    return MemoryType.PREFERENCE if _PREFERENCE.search(read) else MemoryType.FACT


def clamp(value: float) -> float:
    """The value limited to the range from 0 to 1."""
    return round(min(1.0, max(0.0, value)), 4)
