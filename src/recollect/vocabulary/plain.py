"""Converts values to plain JSON types: the one serialisation of every API.

The converter of each type is cached; a server serialises thousands of values a second.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from operator import attrgetter
from typing import Any, Final

Converter = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """Dataclasses and named tuples as objects, times as ISO 8601, enums as text."""
    turn = _CONVERTERS[type(value)]
    return value if turn is None else turn(value)


class _Converters(dict[type, Converter | None]):
    """Converter of each type; None for types that JSON has."""

    def __missing__(self, kind: type) -> Converter | None:
        turn = self[kind] = _converter_for(kind)
        return turn


def _converter_for(kind: type) -> Converter | None:
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


def _named(names: list[str]) -> Converter:
    if len(names) < 2:  # attrgetter returns a tuple only for several names
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    values_of = attrgetter(*names)
    return lambda value: dict(zip(names, _list(values_of(value)), strict=True))


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): plain(item) for key, item in value.items()}


def _list(value: Any) -> list[Any]:
    converters = _CONVERTERS
    return [item if (turn := converters[type(item)]) is None else turn(item) for item in value]


_CONVERTERS: Final = _Converters()
