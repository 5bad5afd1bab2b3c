"""Sync conflicts page: every version of a memory that two devices changed, to decide once."""

from contextlib import suppress
from typing import Final

from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.sync import SyncStatus


def conflicts(request: PageRequest) -> Rendered:
    """Show every memory whose content was changed in two places, and the state of sync."""
    status: SyncStatus | None = None
    with suppress(RecollectError):
        status = request.memory.sync.status()
    return Rendered(
        "conflicts.html", {"conflicts": request.memory.sync.conflicts(), "status": status}
    )


def decide(request: PageRequest) -> Redirect:
    """Keep one content, both, or a new text."""
    form, memory_id = request.form, request.names["memory_id"]
    act = form.get("act")
    if act == "keep":
        request.memory.sync.resolve(memory_id, keep=form.get("version"))
    elif act == "both":
        request.memory.sync.resolve(memory_id, both=True)
    elif act == "write":
        request.memory.sync.resolve(memory_id, content=form.get("content"))
    else:
        raise InvalidInput("There is no such action. Nothing was done.")
    return Redirect("/panel/conflicts", "settled")


ROUTES: Final = (
    PageRoute(GET, "/panel/conflicts", conflicts),
    PageRoute(POST, "/panel/conflicts/{memory_id}", decide),
)
