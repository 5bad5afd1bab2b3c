"""Scopes and filters of mem0: ``user_id``, ``agent_id``, ``run_id``, and metadata filters.

The ids are stored as tags, so that a search is narrowed before it ranks; mem0's other filters are
on the metadata and applied afterwards.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from recollect.vocabulary.errors import InvalidInput

ENTITIES: Final = ("user_id", "agent_id", "run_id")
_BEST_FIRST: Final = ("run_id", "user_id", "agent_id")


class Mem0ValueError(InvalidInput, ValueError):
    """Invalid input, where mem0 raises a ValueError."""


def scope_of(
    given: Mapping[str, Any], filters: Mapping[str, Any] | None, *, required: bool = True
) -> dict[str, str]:
    """Ids that were named, in the call or in its filters."""
    named = {**(filters or {}), **{name: value for name, value in given.items() if value}}
    found = {name: named[name] for name in ENTITIES if isinstance(named.get(name), str)}
    if required and not found and not (filters and _mentions_entity(filters)):
        raise Mem0ValueError("At least one of 'user_id', 'agent_id', or 'run_id' must be provided.")
    for name, value in found.items():
        if not value.strip():
            raise Mem0ValueError(f"{name} is empty.")
    return {name: value.strip() for name, value in found.items()}


def tags_of(scope: Mapping[str, str]) -> list[str]:
    """Tags for the ids."""
    return [f"{name}={value}" for name, value in scope.items()]


def narrowest(scope: Mapping[str, str]) -> list[str]:
    """Most selective of the tags; the others are checked afterwards."""
    for name in _BEST_FIRST:
        if name in scope:
            return tags_of({name: scope[name]})
    return []


def scope_in(tags: Sequence[str]) -> dict[str, str]:
    """Ids in a memory's tags."""
    pairs = (tag.partition("=") for tag in tags)
    return {name: value for name, mark, value in pairs if mark and name in ENTITIES}


def matches(filters: Mapping[str, Any] | None, item: Mapping[str, Any]) -> bool:
    """Whether a memory matches mem0's filters, with their operators and AND, OR and NOT."""
    if not filters:
        return True
    for name, wanted in filters.items():
        if name in _JOINED:
            if not _JOINED[name](matches(part, item) for part in _parts(wanted)):
                return False
        elif not _passes(_value(item, name), wanted):
            return False
    return True


def _parts(wanted: Any) -> Sequence[Mapping[str, Any]]:
    return [wanted] if isinstance(wanted, Mapping) else list(wanted)


def _value(item: Mapping[str, Any], name: str) -> Any:
    if name in item:
        return item[name]
    return (item.get("metadata") or {}).get(name)


def _passes(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        for name, bound in wanted.items():
            if name not in _OPERATORS:
                raise Mem0ValueError(f"There is no filter operator {name!r}.")
            try:
                if not _OPERATORS[name](value, bound):
                    return False
            except TypeError:  # a text and a number cannot be compared
                return False
        return True
    if isinstance(wanted, list):
        return value in wanted
    return value is not None if wanted == "*" else bool(value == wanted)


_JOINED: Final[dict[str, Callable[[Any], bool]]] = {
    "AND": all,
    "OR": any,
    "NOT": lambda parts: not any(parts),
    "$and": all,
    "$or": any,
    "$not": lambda parts: not any(parts),
}
_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda value, bound: value == bound,
    "ne": lambda value, bound: value != bound,
    "gt": lambda value, bound: value is not None and value > bound,
    "gte": lambda value, bound: value is not None and value >= bound,
    "lt": lambda value, bound: value is not None and value < bound,
    "lte": lambda value, bound: value is not None and value <= bound,
    "in": lambda value, bound: value in bound,
    "nin": lambda value, bound: value not in bound,
    "contains": lambda value, bound: value is not None and bound in value,
    "icontains": lambda value, bound: value is not None and str(bound).lower() in value.lower(),
}


def _mentions_entity(filters: Mapping[str, Any]) -> bool:
    """Whether a filter names an id at any depth, also under AND or with an operator."""
    for name, wanted in filters.items():
        if name in ENTITIES:
            return True
        if name in _JOINED and any(_mentions_entity(part) for part in _parts(wanted)):
            return True
    return False
