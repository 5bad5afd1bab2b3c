"""Filters from keywords, as callers write them: checked, and one word stands for a set of one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.numbers import flag, fraction, shown
from recollect.vocabulary.results import Filters
from recollect.vocabulary.text import checked_name


def narrowed(filters: Filters | None, narrow: Mapping[str, Any]) -> Filters:
    """Filters with what keywords add, each of them checked."""
    if filters is not None and not isinstance(filters, Filters):
        raise InvalidInput(f"Give filters as Filters, not as {shown(filters)}.")
    values = {} if filters is None else _set_fields(filters)
    for name, value in narrow.items():
        field = _ALIASES.get(name, name)
        if field not in _CHECKS:
            raise InvalidInput(
                f"There is no filter {name!r}.", hint=f"The filters are: {', '.join(_CHECKS)}."
            )
        if value is not None:
            values[field] = value
    return replace(_NOTHING, **{name: _CHECKS[name](value) for name, value in values.items()})


def _set_fields(filters: Filters) -> dict[str, Any]:
    """What differs from no filter at all."""
    given = {field.name: getattr(filters, field.name) for field in fields(Filters)}
    return {name: value for name, value in given.items() if value != getattr(_NOTHING, name)}


_NOTHING: Final = Filters()

_ALIASES: Final = {
    "type": "types",
    "source": "sources",
    "scope": "scopes",
    "tag": "tags",
    "file": "files",
    "module": "modules",
    "author": "authors",
    "stream": "streams",
}


def _set_of(check: Callable[[Any], str], what: str) -> Callable[[Any], frozenset[str]]:
    def checked(value: Any) -> frozenset[str]:
        if not isinstance(value, Iterable):
            raise InvalidInput(f"Give a {what}, or a list of them, not {shown(value)}.")
        return frozenset(map(check, [value] if isinstance(value, str) else value))

    return checked


def _names(what: str) -> Callable[[Any], frozenset[str]]:
    return _set_of(lambda value: checked_name(value, what), what)


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "types": _set_of(lambda value: choice(MemoryType, value, "type").value, "type"),
    "sources": _set_of(lambda value: choice(Source, value, "source").value, "source"),
    "scopes": _set_of(lambda value: choice(Scope, value, "scope").value, "scope"),
    "tags": _names("tag"),
    "files": _names("file"),
    "modules": _names("module"),
    "authors": _names("author"),
    "streams": _names("stream"),
    "created_after": lambda value: aware(value, "created_after"),
    "created_before": lambda value: aware(value, "created_before"),
    "minimum_confidence": lambda value: fraction(value, "minimum_confidence"),
    "pinned": lambda value: flag(value, "pinned"),
    "needs_review": lambda value: flag(value, "needs_review"),
    "has_code": lambda value: flag(value, "has_code"),
    "archived": lambda value: flag(value, "archived"),
    "superseded": lambda value: flag(value, "superseded"),
    "as_of": lambda value: aware(value, "as_of"),
}
