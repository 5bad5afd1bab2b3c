"""Stream pages: events in order, and one event with its context and the memories citing it."""

from collections.abc import Iterator
from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.memo_answers import as_read
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.errors import EventNotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.streams import Stream

PAGE: Final = 60


def streams(request: PageRequest) -> Rendered:
    """List the streams that the viewer may read."""
    page = request.memory.streams(cursor=request.query.get("cursor") or None)
    return Rendered("streams.html", {"streams": page.items, "next": page.next_cursor})


def stream_page(request: PageRequest) -> Rendered:
    """List a stream's events in order."""
    name = request.names["name"]
    page = request.memory.read(name, cursor=request.query.get("cursor") or None, limit=PAGE)
    return Rendered("stream.html", {"name": name, "events": page.items, "next": page.next_cursor})


def event(request: PageRequest) -> Rendered:
    """Show one event, with its neighbours, its replies and the memories made of it."""
    memory = request.memory
    found = memory.get(request.names["event_id"])
    if not isinstance(found, Event):
        raise EventNotFound("No such event is visible here.")
    window = memory.window(found.id, before=6, after=6)
    stream = next((one.name for one in _all_streams(memory) if one.id == found.stream_id), "")
    return Rendered(
        "event.html",
        {
            "window": window,
            "event": found,
            "stream": stream,
            "replies": memory.replies(found.id),
            "reactions": memory.reactions(found.id),
            "revisions": memory.revisions(found.id),
            "memories": as_read(memory, memory.pointing_at(found.id)),
            "related": memory.workspace.related(found.id),
        },
    )


def _all_streams(memory: Recollect) -> Iterator[Stream]:
    """Every stream that the viewer may read, page by page."""
    cursor: str | None = None
    while True:
        page = memory.streams(cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


ROUTES: Final = (
    PageRoute(GET, "/panel/streams", streams),
    PageRoute(GET, "/panel/streams/{name:path}", stream_page),
    PageRoute(GET, "/panel/events/{event_id}", event),
)
