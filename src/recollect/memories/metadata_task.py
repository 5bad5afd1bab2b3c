"""The task of noticing what a text mentions; without a model, by the rules of ``metadata``."""

from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.memories.metadata import notice
from recollect.vocabulary.personal import Noticed


@dataclass(frozen=True, slots=True)
class TextToAnnotate:
    """A text to extract metadata from."""

    text: str


def _noticed(given: TextToAnnotate) -> Noticed:
    return notice(given.text)


METADATA: Final = Task("metadata", Noticed, _noticed, tokens=300)
