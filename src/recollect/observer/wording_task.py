"""Model task that words the findings of a session for a reader, in one request.

The local form keeps the sentences that the signals wrote. A model, if one is configured, may word
them better; it is asked once for all. A text that lost something which the finding quoted, or that
is too long, is not used, and a user's own words are never sent to be changed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.inference.tasks import Task, Tasks
from recollect.observer.candidates import Candidate

LONGEST: Final = 600
_NUMBERED: Final = re.compile(r"\s*+(\d{1,3}+)\s*+[:.)]\s*+(.+)", re.DOTALL)
_EXACT: Final = re.compile(r"`[^`]+`|“[^“”]+”")

#: Function from a space id and the candidates of a session to one text each.
Wording = Callable[[str, Sequence[Candidate]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings of a session, one numbered line each."""

    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Worded:
    """Improved texts, each with the number of its finding; unchanged findings have none."""

    texts: tuple[str, ...] = ()


def _as_they_are(_: Findings) -> Worded:
    return Worded()


WORDING: Final = Task("wording", Worded, _as_they_are, tokens=2_000)


def local_wording(_: str, candidates: Sequence[Candidate]) -> list[str]:
    """The sentences of the candidates, unchanged."""
    return [one.content for one in candidates]


def model_wording(tasks: Tasks) -> Wording:
    """Wording by a model; a sentence without a good answer is kept unchanged."""

    def wording(space_id: str, candidates: Sequence[Candidate]) -> list[str]:
        texts = local_wording(space_id, candidates)
        asked = [number for number, one in enumerate(candidates) if not one.quote]
        if asked:
            lines = tuple(_line(number, candidates[number]) for number in asked)
            answer = tasks.run(space_id, WORDING, Findings(lines)).value
            for number, text in _numbered(answer):
                if number in asked and _faithful(texts[number], text):
                    texts[number] = text
        return texts

    return wording


def _line(number: int, one: Candidate) -> str:
    return f"{number}: ({one.type.value}) {' '.join(one.content.split())}"


def _numbered(answer: Worded) -> list[tuple[int, str]]:
    found = (_NUMBERED.fullmatch(text) for text in answer.texts)
    return [(int(one.group(1)), one.group(2).strip()) for one in found if one]


def _faithful(before: str, after: str) -> bool:
    """Whether a new text still contains everything that the old one quoted."""
    return 0 < len(after) <= LONGEST and all(exact in after for exact in _EXACT.findall(before))
