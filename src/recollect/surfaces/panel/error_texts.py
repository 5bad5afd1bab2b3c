"""Errors of the engine in the visitor's language, found by the sentence they are made from.

The engine reports errors in English, with values in them. The catalogue of errors lists those
sentences with a place for each value; a sentence that it does not know stays as it is.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from recollect.surfaces.panel.renderer import LANGUAGES, typeset
from recollect.vocabulary.errors import RecollectError

_PACKAGE: Final = "recollect.surfaces.panel"
_PLACE: Final = re.compile(r"\{(\w+)\}")


@cache
def error_catalogue(language: str) -> Mapping[str, str]:
    """Translations of errors, by the English sentences."""
    if language == "en" or language not in LANGUAGES:
        return {}
    place = files(_PACKAGE).joinpath(f"catalogues/errors_{language}.json")
    found: dict[str, str] = json.loads(place.read_text(encoding="utf-8"))
    return {key: typeset(told) for key, told in found.items()}


def translated_error(language: str, text: str) -> str:
    """An error, or its hint, in a language; unchanged where the catalogue does not know it."""
    catalogue = error_catalogue(language)
    if text in catalogue:
        return catalogue[text]
    for sentence in _with_places(language):
        values = values_in(sentence, text)
        if values is not None:
            return catalogue[sentence].format(**values)
    return text


def error_words(language: str, error: RecollectError) -> tuple[str, str]:
    """Message and hint of an error, in a language."""
    hint = translated_error(language, error.hint) if error.hint else ""
    return translated_error(language, error.message), hint


@cache
def _with_places(language: str) -> tuple[str, ...]:
    """Sentences with places for values, those with the most words of their own first."""
    found = [one for one in error_catalogue(language) if _PLACE.search(one)]
    return tuple(sorted(found, key=lambda one: -len(_PLACE.sub("", one))))


def values_in(sentence: str, text: str) -> dict[str, str] | None:
    """The values with which a sentence makes a text; None when it does not make it.

    Each value ends where the words after its place come next; the last one takes the rest.
    """
    first, *others = _PLACE.split(sentence)
    names, words = others[::2], others[1::2]
    if not text.startswith(first) or not names:
        return None if names or text != sentence else {}
    values: dict[str, str] = {}
    at = len(first)
    for name, following in zip(names[:-1], words[:-1], strict=True):
        end = text.find(following, at + 1)
        if end < 0:
            return None
        values[name], at = text[at:end], end + len(following)
    end = len(text) - len(words[-1])
    if end <= at or not text.endswith(words[-1]):
        return None
    return values | {names[-1]: text[at:end]}
