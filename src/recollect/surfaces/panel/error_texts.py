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

from recollect.surfaces.panel.rendering import LANGUAGES, typeset
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
    for pattern, told in _patterns(language):
        found = pattern.fullmatch(text)
        if found:
            return told.format(**found.groupdict())
    return text


def error_words(language: str, error: RecollectError) -> tuple[str, str]:
    """Message and hint of an error, in a language."""
    hint = translated_error(language, error.hint) if error.hint else ""
    return translated_error(language, error.message), hint


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Sentences with places, those with the most words of their own first."""
    found = [(key, told) for key, told in error_catalogue(language).items() if _PLACE.search(key)]
    found.sort(key=lambda one: -len(_PLACE.sub("", one[0])))
    return tuple((pattern_of(key), told) for key, told in found)


def pattern_of(sentence: str) -> re.Pattern[str]:
    """Pattern that a sentence with any values matches."""
    parts = _PLACE.split(sentence)
    told = [
        f"(?P<{part}>.{{1,2000}}?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)
    ]
    return re.compile("".join(told), re.DOTALL)
