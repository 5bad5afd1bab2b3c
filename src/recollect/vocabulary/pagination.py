"""Paginate a list: a page of items, the cursor that fetches the next, and the check of both.

A list is read one row further than the page is long: that row says that there is more. The cursor
is the id of the page's last item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from recollect.vocabulary.arguments import whole
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import is_id

#: The most items that one page may have.
PAGE_LIMIT: Final = 1_000


class WithId(Protocol):
    """An item of a list that is paginated by id."""

    @property
    def id(self) -> str:
        """Its id, by which the list is sorted."""


T = TypeVar("T")
Item = TypeVar("Item", bound=WithId)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a longer list, and the cursor that fetches the next."""

    items: tuple[T, ...]
    next_cursor: str | None = None


def check_page(cursor: str | None, limit: int, kind: str) -> None:
    """Refuse a page that is too long, and a cursor that is no id of this kind."""
    whole(limit, 1, PAGE_LIMIT, "A page has")
    if cursor is not None and not is_id(cursor, kind):
        raise InvalidInput("That cursor is not valid for a list.")


def page_of(rows: Sequence[Item], limit: int) -> Page[Item]:
    """The first ``limit`` rows, with a cursor where a further row was read."""
    page = tuple(rows[:limit])
    return Page(page, page[-1].id if len(rows) > limit else None)
