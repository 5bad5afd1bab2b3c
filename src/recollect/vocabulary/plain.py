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
    turn = _TURNS[type(value)]
    return value if turn is None else turn(value)


class _Turns(dict[type, Turn | None]):
    """How each kind of value is told; None for what JSON holds as it is."""

    def __missing__(self, kind: type) -> Turn | None:
        turn = self[kind] = _turn_for(kind)
        return turn


def _turn_for(kind: type) -> Turn | None:
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
    return None


def _named(names: list[str]) -> Turn:
    if len(names) < 2:  # attrgetter gives a tuple only for several
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    values_of = attrgetter(*names)
    return lambda value: dict(zip(names, _list(values_of(value)), strict=True))


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): plain(item) for key, item in value.items()}


def _list(value: Any) -> list[Any]:
    turns = _TURNS
    return [item if (turn := turns[type(item)]) is None else turn(item) for item in value]


_TURNS: Final = _Turns()
