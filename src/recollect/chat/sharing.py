"""Finds what a person shares into a space along with what is there, best first.

Each space is asked with the person's own sight of it, so a share never shows more than they could
see by going there; and nothing crosses a space where memory is off.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from recollect.chat.control import Control
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters, Found, Recalled
from recollect.vocabulary.spaces import Space

_MOST: Final = 12

Ask = Callable[[Space, Filters], Recalled]


def with_shared(ask: Ask, control: Control, viewer: Viewer, space: Space) -> Recalled:
    """What is found here, and by shared tags in the person's other spaces."""
    here = ask(space, Filters())
    shares = control.shares_into(viewer, space)
    if not shares or (here.missing and not here.found):
        return here
    found = {one.id: one for one in here.found}
    tags: dict[str, set[str]] = {}
    for share in shares:
        tags.setdefault(share.source_id, set()).add(share.tag)
    for source_id, shared in sorted(tags.items()):
        there = ask(replace(space, id=source_id), Filters(tags=frozenset(shared)))
        found.update((one.id, one) for one in there.found if _is_of(one, viewer))
    ordered = sorted(found.values(), key=lambda one: -one.score)
    return replace(here, found=tuple(ordered[: max(len(here.found), _MOST)]))


def _is_of(one: Found, viewer: Viewer) -> bool:
    return isinstance(one.item, Memory) and one.item.audience.owner == viewer.user
