"""Filters from keywords, as callers write them: one word may stand for a set of one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.results import Filters


def narrowed(filters: Filters | None, narrow: Mapping[str, Any]) -> Filters:
    """Filters with what keywords add; one word may stand for a set of one."""
    values: dict[str, Any] = {}
    for name, value in narrow.items():
        field = _ALIASES.get(name, name)
        if field not in Filters.__dataclass_fields__:
            raise InvalidInput(
                f"There is no filter {name!r}.",
                hint=f"The filters are: {', '.join(Filters.__dataclass_fields__)}.",
            )
        if value is not None:
            values[field] = _fitting(field, value)
    return replace(filters or Filters(), **values)


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


def _fitting(field: str, value: Any) -> Any:
    if not isinstance(getattr(Filters(), field), frozenset):
        return value
    return frozenset([value] if isinstance(value, str) else value)
