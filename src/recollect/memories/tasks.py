"""The task of noticing what a text mentions; without a model, by the rules of ``noticing``."""

from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task
from recollect.memories.metadata import notice
from recollect.vocabulary.personal import Noticed


@dataclass(frozen=True, slots=True)
class ToldText:
    """Something that somebody told."""

    text: str


def _noticed(given: ToldText) -> Noticed:
    return notice(given.text)


METADATA: Final = Task("metadata", Noticed, _noticed, tokens=300)
