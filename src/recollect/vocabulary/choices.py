"""Validates names of enum members and fields; an error lists the valid ones."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import TypeVar

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import shown

E = TypeVar("E", bound=StrEnum)


def choice(kind: type[E], value: str, what: str) -> E:
    """The enum member of that value."""
    try:
        return kind(value)
    except (ValueError, RecursionError):
        known = ", ".join(member.value for member in kind)
        raise InvalidInput(
            f"There is no {what} {shown(value)}.", hint=f"Choose one of: {known}."
        ) from None


def refuse_unknown(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Refuse an unknown field. ``what`` begins the sentence: "A memory"."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(
            f"{what} has no field {unknown[0]!r}.", hint=f"The fields are: {', '.join(known)}."
        )
