"""Steps of a recipe that is told in words: numbered, listed, by arrows, by "then" or by commas."""

import re
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput

_READ: Final = 4_000
_MOST: Final = 50
_NUMBERED: Final = re.compile(r"(?:^|\s)(?:\(\d{1,2}\)|\d{1,2}[.)])\s")
_LISTED: Final = re.compile(r"(?:^|\n)\s{0,8}[-*\u2022]\s")
_ARROWS: Final = re.compile(r"\s?(?:->|=>|\u2192)\s?")
_THEN: Final = re.compile(r"[,;.]?\s(?:and )?(?:then|puis|ensuite)\s", re.IGNORECASE)
_COMMAS: Final = re.compile(r",\s(?:and |et )?")
#: A list by commas has so many parts at least, and so many words in each at most.
_PARTS: Final = 3
_WORDS: Final = 10
_TITLE: Final = 120  # characters


def recipe_of(text: str) -> dict[str, Any]:
    """The extras of a recipe from its words; an error where the words name no steps."""
    text = text[:_READ].strip()
    for mark in (_NUMBERED, _LISTED):
        title, *steps = mark.split(text)
        if len(steps) > 1:
            return _recipe(title or steps[0], steps)
    title, colon, rest = text.partition(":")
    for mark in (_ARROWS, _THEN):
        steps = mark.split(rest if colon else text)
        if len(steps) > 1:
            return _recipe(title if colon else text, steps)
    steps = _COMMAS.split(rest if colon else text)
    if len(steps) >= _PARTS and all(len(one.split()) <= _WORDS for one in steps):
        return _recipe(title if colon else text, steps)
    raise InvalidInput(
        "A workflow_recipe needs its steps.",
        hint="Tell them as '1. ... 2. ...' or 'deploy: test -> build -> stage', or give extras "
        "with task_pattern and steps.",
    )


def _recipe(title: str, steps: list[str]) -> dict[str, Any]:
    cleaned = [" ".join(one.split()).strip(" ,;.") for one in steps]
    return {
        "task_pattern": " ".join(title.split()).rstrip(" :.-")[:_TITLE] or cleaned[0],
        "steps": [
            {"order": order, "description": one}
            for order, one in enumerate([one for one in cleaned if one][:_MOST], 1)
        ],
    }
