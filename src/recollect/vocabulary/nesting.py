"""How deep and how large JSON may be that is kept beside words, and how what is deeper is read.

Whoever writes out a value goes down into it, level by level; what is nested hundreds deep breaks
every reader that meets it. So it is refused on the way in, and what an older version let in is
shown by a sentence in its place.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput

#: Objects and lists inside each other, the outermost counted.
DEEPEST: Final = 64
_MOST_PARTS: Final = 2_000_000
#: Values that hold no others, told from the rest at once: most parts are these.
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
#: Under this name a document that cannot be read says so.
UNREADABLE: Final = "unreadable"


def is_too_deep(value: Any) -> bool:
    """Whether a value is nested deeper than is kept, or holds itself."""
    layer = [value] if _holds_others(value) else []
    seen = 0
    for _ in range(DEEPEST):
        if not layer:
            return False
        seen += len(layer)
        if seen > _MOST_PARTS:
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
    """Nothing, when a value can be kept; otherwise an error that says why not."""
    if is_too_deep(value):
        raise InvalidInput(
            f"The {what} is nested deeper than {DEEPEST} levels. Nothing was kept.",
            hint="Keep the deep part as text.",
        )


def read_document(text: str) -> Any:
    """What a stored document says; one that is nested too deep says that it is not shown."""
    if text.count("{") + text.count("[") <= DEEPEST:
        return json.loads(text)
    try:
        found = json.loads(text)
    except RecursionError:
        return _not_shown(text)
    return _not_shown(text) if is_too_deep(found) else found


def is_not_shown(document: Any) -> bool:
    """Whether a document stands for one that could not be read."""
    return isinstance(document, _NotShown)


class _NotShown(dict[str, str]):
    """What is read instead of a document that is nested too deep."""


def _not_shown(text: str) -> _NotShown:
    why = f"they are nested deeper than {DEEPEST} levels"
    return _NotShown(
        {UNREADABLE: f"{len(text):,} characters of JSON are kept here and not shown: {why}."}
    )
