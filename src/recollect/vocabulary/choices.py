"""One of a known set of words or fields, or an error that lists them."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import TypeVar

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import shown

E = TypeVar("E", bound=StrEnum)


def choice(kind: type[E], value: str, what: str) -> E:
    """The member of that word."""
    try:
        return kind(value)
    except (ValueError, RecursionError):
        known = ", ".join(member.value for member in kind)
        raise InvalidInput(
            f"There is no {what} {shown(value)}.", hint=f"Choose one of: {known}."
        ) from None


def only_known(given: Iterable[str], known: Collection[str], what: str) -> None:
    """Refuse a field that there is not. ``what`` begins the sentence: "A memory"."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput(
            f"{what} has no field {unknown[0]!r}.", hint=f"The fields are: {', '.join(known)}."
        )
