"""The task of judging whether two claims can both hold; without a model, by the rules."""

from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.memories.contradictions.judge import judge_pair


@dataclass(frozen=True, slots=True)
class Claims:
    """Two claims, the older first, each with its day."""

    old: str
    new: str
    old_day: str = ""
    new_day: str = ""


@dataclass(frozen=True, slots=True)
class Contradicts:
    """Whether both can hold, and why not."""

    contradicts: bool
    reason: str = ""


def _contradicts(given: Claims) -> Contradicts:
    found = judge_pair(given.old, given.new)
    return Contradicts(found.contradicts, found.reason if found.contradicts else "")


CONTRADICTION: Final = Task("contradiction", Contradicts, _contradicts, tokens=120)
