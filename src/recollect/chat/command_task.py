"""Model task that recognises commands to the memory in a sentence.

Without a model, the patterns of ``commands`` answer.
"""

from dataclasses import dataclass
from typing import Final

from recollect.chat.commands import understand
from recollect.inference.tasks import Task
from recollect.vocabulary.personal import Intent


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    """A sentence that a person said."""

    text: str


@dataclass(frozen=True, slots=True)
class Understood:
    """The command that a sentence gives to the memory."""

    intent: Intent
    about: str = ""
    language: str = "en"


def _understood(given: SpokenSentence) -> Understood:
    command = understand(given.text)
    return Understood(command.intent, command.about, command.language)


COMMAND: Final = Task("command", Understood, _understood, budget="queries", tokens=100)
