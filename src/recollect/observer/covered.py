"""Determines whether what a candidate tells is told already, more fully, by another memory.

Recipes compete: beside a written rule that says what to run before a commit, a sequence of commands
that sessions happened to run is at best a part of it, and a check that the rule names adds nothing.
A choice among offered answers repeats the user's own words that led to the offer.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from recollect.observer.candidates import Candidate
from recollect.observer.names import LEAST_SHARED
from recollect.observer.names import words as words_of
from recollect.observer.taxonomy import Signal

#: End of what was written into the rules of a project, and beginning of a sequence of commands.
WRITTEN: Final = "\nWritten into `"
_SEQUENCE: Final = "Before a commit, a change here is checked with "
#: Words of a rule that speaks of commits.
_COMMITS: Final = re.compile(r"\bcommit", re.I)
_RUN: Final = "run "
#: Steps within which an offered answer belongs to the words before it, and signals of such words.
_SOON: Final = 10
_TURNS: Final = frozenset({Signal.REFUSAL, Signal.CORRECTION})
#: Fewest letters of a word of an answer that must be found again.
_LEAST: Final = LEAST_SHARED - 1


def is_covered(one: Candidate, others: Sequence[Candidate], known: Iterable[str]) -> bool:
    """Whether another candidate of the session that may be told, or a text that is known, tells
    what this one does."""
    if one.signal is Signal.CHOICE:
        return any(_led_to(other, one) for other in others if not other.needs_review)
    if one.signal not in (Signal.TOOL_SEQUENCE, Signal.PROJECT_CHECK):
        return False
    commands = commands_of(one.extras)
    texts = [*known, *(other.content for other in others if other is not one)]
    return bool(commands) and any(_covers(text, one, commands) for text in texts)


def commands_of(extras: Mapping[str, Any]) -> list[str]:
    """The commands of a recipe."""
    steps = [str(step.get("description", "")) for step in extras.get("steps", ())]
    return [step.removeprefix(_RUN) for step in steps if step.startswith(_RUN)]


def _covers(text: str, one: Candidate, commands: Sequence[str]) -> bool:
    """Whether a text is a written rule or a fuller sequence that says what to run here."""
    if WRITTEN in text:
        named = [command for command in commands if _names(text, command)]
        if one.signal is Signal.PROJECT_CHECK:
            return bool(named)
        return bool(named) and _COMMITS.search(text) is not None
    if one.signal is Signal.TOOL_SEQUENCE and text.startswith(_SEQUENCE):
        said = set(re.findall(r"`([^`]{2,120})`", text))
        return set(commands) < said
    return False


def _names(text: str, command: str) -> bool:
    """Whether a text names a command whole: `make test` is not named by `make test-all`."""
    return re.search(rf"(?<![\w-]){re.escape(command)}(?![\w:/.-]*\w)", text) is not None


def _led_to(words: Candidate, choice: Candidate) -> bool:
    """Whether the words of a turn already say what was chosen a few steps later."""
    if words.signal not in _TURNS or not 0 <= choice.step - words.step <= _SOON:
        return False
    answer = choice.content.partition("\n")[0].partition("\u201c")[2]
    chosen = {word for word in words_of(answer.lower()) if len(word) >= _LEAST}
    return bool(chosen) and chosen <= set(words_of((words.quote or "").lower()))
