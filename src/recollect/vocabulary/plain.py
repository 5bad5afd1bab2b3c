"""Converts values to plain JSON types: the one serialisation of every API.

The converter of each type is cached; a server serialises thousands of values a second. Of a
dataclass only those fields are looked at whose annotation does not say that they are plain already.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

Converter = Callable[[Any], Any]

_SCALARS: Final = frozenset({"str", "int", "float", "bool", "None"})


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
        return attrgetter("_value_")  # what ``value`` reads, without its descriptor
    if issubclass(kind, datetime):
        return _time
    if is_dataclass(kind):
        return _named({field.name: field.type for field in fields(kind)})
    if issubclass(kind, Mapping):
        return _mapping
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _named(dict.fromkeys(kind._fields))
    if issubclass(kind, list | tuple | set | frozenset):
        return _list
    return None


def _named(types: Mapping[str, Any]) -> Converter:
    """Converter of values with these fields, each with its annotation where that is known."""
    names = list(types)
    if len(names) < 2:  # attrgetter returns a tuple only for several names
        return lambda value: {name: plain(getattr(value, name)) for name in names}
    values_of = attrgetter(*names)
    others = [name for name in names if not _is_scalar(types[name])]
    converters = _CONVERTERS

    def convert(value: Any) -> dict[str, Any]:
        found = dict(zip(names, values_of(value), strict=True))
        for name in others:
            item = found[name]
            turn = converters[type(item)]
            if turn is not None:
                found[name] = turn(item)
        return found

    return convert


def _is_scalar(annotation: Any) -> bool:
    """Whether JSON has all that a field may hold: text, a number, a truth value or nothing."""
    written = getattr(annotation, "__name__", None) or str(annotation)
    return {part.strip() for part in written.split("|")} <= _SCALARS


def _time(moment: datetime) -> str:
    return _utc_time(moment) if moment.tzinfo is UTC else moment.isoformat()


@lru_cache(8_192)
def _utc_time(moment: datetime) -> str:
    """The text of a time in UTC; equal times of other zones have other texts."""
    return moment.isoformat()


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    converters = _CONVERTERS
    return {
        str(key): item if (turn := converters[type(item)]) is None else turn(item)
        for key, item in value.items()
    }


def _list(value: Any) -> list[Any]:
    converters = _CONVERTERS
    return [item if (turn := converters[type(item)]) is None else turn(item) for item in value]


_CONVERTERS: Final = _Converters()
