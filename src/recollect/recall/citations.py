"""The memories that a text cites, by the ids that it names."""

import re
from collections.abc import Iterable
from typing import Final

from recollect.vocabulary.lazy_patterns import lazy_pattern

#: ``[Memory #4k2m9x1z: ...]``, ``[gotcha 4k2m9x1z]`` or ``[gotcha 4k2m9x1z 2026-01-02]``.
_CITED: Final = lazy_pattern(
    r"\[(?:memory\s{0,3}#|[a-z][a-z0-9_]{2,30}\s)\s{0,3}"
    r"((?:mem_)?[0-9a-z]{8,40})(?:[\s:\]]|$)",
    re.IGNORECASE,
)
_TAIL: Final = 8


def named_in(words: str) -> list[str]:
    """The ids, whole or their ends, that a text cites, each once."""
    return list(dict.fromkeys(_CITED.findall(words))) if "[" in words else []


def cited_in(words: str, known: Iterable[str]) -> list[str]:
    """The ids among ``known`` that a text cites: whole, or by their last eight characters."""
    named = {found.lower() for found in named_in(words)}
    if not named:
        return []
    return [one for one in dict.fromkeys(known) if {one.lower(), one[-_TAIL:].lower()} & named]
