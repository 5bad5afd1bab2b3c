"""Values as plain JSON can hold them: the one way that every door writes them out.

How a kind of value is told is found out once; a server tells thousands of them a second.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from operator import attrgetter
from typing import Any, Final

Turn = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """Dataclasses and named tuples as objects, times as ISO 8601, words as text."""
    kind = type(value)
    turn = _TURNS.get(kind)
    if turn is None:
        turn = _TURNS[kind] = _turn_for(kind)
    return turn(value)


def _turn_for(kind: type) -> Turn:
    if issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, datetime):
        return datetime.isoformat
    if is_dataclass(kind):
        return _named([field.name for field in fields(kind)])
    if issubclass(kind, Mapping):
        return _mapping
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named(list(kind._fields))
    if issubclass(kind, list | tuple | set | frozenset):
        return _list
    return _itself


def _named(names: list[str]) -> Turn:
    if len(names) < 2:  # attrgetter gives a tuple only for several
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    values_of = attrgetter(*names)

    def turn(value: Any) -> dict[str, Any]:
        values = values_of(value)
        return dict(
            zip(
                names,
                [item if type(item) in _SIMPLE else plain(item) for item in values],
                strict=True,
            )
        )

    return turn


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): plain(item) for key, item in value.items()}


def _list(value: Any) -> list[Any]:
    return [item if type(item) in _SIMPLE else plain(item) for item in value]


def _itself(value: Any) -> Any:
    return value


_SIMPLE: Final = frozenset({str, int, float, bool, type(None)})
_TURNS: Final[dict[type, Turn]] = {}
