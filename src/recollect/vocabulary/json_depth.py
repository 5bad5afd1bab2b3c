"""Limits of depth and size of stored JSON, and the reading of documents that exceed them.

A serialiser recurses into a value level by level; nesting hundreds deep breaks every reader. So it
is refused on input, and documents of older versions that are too deep are replaced by a notice.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput

#: Maximum nesting of objects and lists, the outermost counted.
DEEPEST: Final = 64
_MAX_PARTS: Final = 2_000_000
#: Types that contain no others, checked first: most values are these.
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
#: Key of the notice in a document that cannot be read.
UNREADABLE: Final = "unreadable"


def is_too_deep(value: Any) -> bool:
    """Whether a value is nested too deeply, or contains itself."""
    if type(value) is dict and _PLAIN.issuperset(map(type, value.values())):
        return False
    layer = [value] if _holds_others(value) else []
    seen = 0
    for _ in range(DEEPEST):
        if not layer:
            return False
        seen += len(layer)
        if seen > _MAX_PARTS:
            return True
        layer = [
            inner
            for one in layer
            for inner in (one.values() if isinstance(one, dict | Mapping) else one)
            if type(inner) not in _PLAIN and _holds_others(inner)
        ]
    return bool(layer)


def _holds_others(value: Any) -> bool:
    return isinstance(value, dict | list | tuple | Mapping)


def refuse_too_deep(value: Any, what: str) -> None:
    """Raise an error that says why, if a value cannot be stored."""
    if is_too_deep(value):
        raise InvalidInput(
            f"The {what} is nested deeper than {DEEPEST} levels. Nothing was kept.",
            hint="Keep the deep part as text.",
        )


def read_document(text: str) -> Any:
    """A parsed stored document; one that is nested too deeply is replaced by a notice."""
    if text.count("{") + text.count("[") <= DEEPEST:
        return json.loads(text)
    try:
        found = json.loads(text)
    except RecursionError:
        return _not_shown(text)
    return _not_shown(text) if is_too_deep(found) else found


def is_not_shown(document: Any) -> bool:
    """Whether a document is a notice in place of an unreadable one."""
    return isinstance(document, _NotShown)


class _NotShown(dict[str, str]):
    """Replacement of a document that is nested too deeply."""


def _not_shown(text: str) -> _NotShown:
    why = f"they are nested deeper than {DEEPEST} levels"
    return _NotShown(
        {UNREADABLE: f"{len(text):,} characters of JSON are kept here and not shown: {why}."}
    )
