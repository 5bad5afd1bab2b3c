"""80 kinds of secrets and 80 look-alikes, twice: wordings from a file, values made by chance.

``sets/secrets.tsv`` and ``sets/look_alikes.tsv`` were at hand while the rules were written;
``secrets_fresh.tsv`` and ``look_alikes_fresh.tsv`` were written after them. The files ``_half_one``
and ``_half_two`` were written later by somebody who had not read the rules, and were cut in two by
kind before anything was run: rules were then improved on the first half, and the second half was
looked at when they were done. ``_later`` and ``_unseen`` are one more set, written before the next
rules and cut in two by the hash of each line: rules were developed on the first part only. The
files ``_round_one`` to ``_round_five`` were written one after the other: each was measured before
anything was mended by it, and was then at hand for the next. No value is written down anywhere:
each is made anew from a seed, in the shape that its maker knows.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.secret_makers import made
from recollect.trust.secrets import find_secrets, redacted

SETS: Final = Path(__file__).parent / "sets"
SET_NAMES: Final = tuple(
    f"{kind}{part}"
    for kind in ("secrets", "look_alikes")
    for part in (
        *("", "_fresh", "_half_one", "_half_two", "_later", "_unseen"),
        *("_round_one", "_round_two", "_round_three", "_round_four", "_round_five"),
    )
)


class Case(NamedTuple):
    """One kind: its name, what its values are, and the text with a gap for the value."""

    kind: str
    value: str
    wording: str


def cases(name: str) -> list[Case]:
    """The cases of one file."""
    lines = (SETS / f"{name}.tsv").read_text("utf-8").splitlines()[1:]
    return [Case(*line.replace("\\n", "\n").split("\t")) for line in lines]


def told(case: Case, chance: random.Random) -> tuple[str, str]:
    """The text of a case with a new value, and the value."""
    value = made(case.value, chance) if case.value != "-" else ""
    return case.wording.replace("{}", value), value


def through(name: str, seed: int, times: int = 10) -> Iterator[tuple[str, str]]:
    """The secrets of a file of which something was left: their kind and the text."""
    chance = random.Random(seed)
    for case in cases(name):
        for _ in range(times):
            text, value = told(case, chance)
            if _is_left(value, redacted(text)):
                yield case.kind, text


def refused(name: str, seed: int, times: int = 10) -> Iterator[tuple[str, str]]:
    """The look-alikes of a file that were taken for secrets: their kind and the text."""
    chance = random.Random(seed)
    for case in cases(name):
        for _ in range(times if case.value != "-" else 1):
            text, _ = told(case, chance)
            if find_secrets(text):
                yield case.kind, text


def _is_left(value: str, text: str) -> bool:
    """Whether a secret, or its second half, can still be read."""
    return value in text or value[-max(4, len(value) // 2) :] in text
