"""Tasks of personal memory: what a person asks for, and whether two claims can both hold.

Without a model the patterns of ``commands`` and the rules of ``conflicts`` answer.
"""

from dataclasses import dataclass
from typing import Final

from recollect.chat.commands import understand
from recollect.inference.tasks import Task
from recollect.memories.contradictions import contradiction
from recollect.vocabulary.personal import Intent


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence that a person said."""

    text: str


@dataclass(frozen=True, slots=True)
class Understood:
    """What it asks of the memory."""

    intent: Intent
    about: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Claims:
    """Two claims, the older first."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Contradicts:
    """Whether both can hold, and why not."""

    contradicts: bool
    reason: str = ""


def _understood(given: SpokenSentence) -> Understood:
    command = understand(given.text)
    return Understood(command.intent, command.about, command.language)


def _contradicts(given: Claims) -> Contradicts:
    why = contradiction(given.old, given.new)
    return Contradicts(why is not None, why or "")


COMMAND: Final = Task("command", Understood, _understood, budget="queries", tokens=100)
CONTRADICTION: Final = Task("contradiction", Contradicts, _contradicts, tokens=120)
