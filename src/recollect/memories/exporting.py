"""Takes everything a viewer may see out of a space, as JSON that can be read back or as Markdown.

Text comes in pieces, so that a large space never has to fit in memory.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from recollect.memories.reader import MemoryReader
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.choices import choice
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.nesting import is_not_shown
from recollect.vocabulary.plain import plain
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream

VERSION: Final = 1
_PAGE: Final = 500


class ExportFormat(StrEnum):
    """How an export is written."""

    JSON = "json"
    MARKDOWN = "markdown"


class Exporter:
    """Writes a space out, page by page, through the same reads that everyone uses."""

    def __init__(
        self, reader: MemoryReader, streams: Streams, events: Events, clock: Clock
    ) -> None:
        self._reader = reader
        self._streams = streams
        self._events = events
        self._clock = clock

    def export(self, viewer: Viewer, space: Space, format: str) -> Iterator[str]:
        """The pieces of the export, in order."""
        wanted = choice(ExportFormat, format, "format")
        if wanted is ExportFormat.MARKDOWN:
            return self._markdown(viewer, space)
        return self._json(viewer, space)

    def _json(self, viewer: Viewer, space: Space) -> Iterator[str]:
        head = {"recollect_export": VERSION, "exported_at": self._clock(), "space": space}
        yield _text(head)[:-1] + ',\n"memories": [\n'
        yield from _separated(
            _text(
                {
                    **plain(memory),
                    "history": self._reader.history(viewer, space, memory.id),
                    "relations": self._reader.relations(viewer, space, memory.id),
                }
            )
            for memory in self._memories(viewer, space)
        )
        yield '\n],\n"streams": [\n'
        unreadable: list[str] = []
        yield from _separated(
            _text({**plain(stream), "events": list(self._whole(viewer, space, stream, unreadable))})
            for stream in self._all_streams(viewer, space)
        )
        yield f'\n],\n"unreadable": {_text(unreadable)}}}\n' if unreadable else "\n]}\n"

    def _markdown(self, viewer: Viewer, space: Space) -> Iterator[str]:
        yield f"# {space.name}\n\nExported {self._clock():%Y-%m-%d %H:%M} UTC.\n"
        kind = None
        found = sorted(self._memories(viewer, space), key=lambda m: (m.type.value, m.id))
        for memory in found:
            if memory.type is not kind:
                kind = memory.type
                yield f"\n## {kind.value.replace('_', ' ').capitalize()}\n\n"
            yield _bullet(memory)
        for stream in self._all_streams(viewer, space):
            yield f"\n## Stream: {stream.name}\n\n"
            for event in self._stream(viewer, space, stream):
                yield f"- {event.occurred_at:%Y-%m-%d %H:%M} **{event.author}**: {_line(event)}\n"

    def _memories(self, viewer: Viewer, space: Space) -> Iterator[Memory]:
        for archived in (False, True):
            cursor = None
            while True:
                page = self._reader.list(
                    viewer,
                    space,
                    Filters(archived=archived, superseded=True),
                    cursor=cursor,
                    limit=_PAGE,
                )
                yield from page.items
                cursor = page.next_cursor
                if cursor is None:
                    break

    def _all_streams(self, viewer: Viewer, space: Space) -> Iterator[Stream]:
        cursor = None
        while True:
            page = self._streams.list(viewer, space, cursor=cursor, limit=_PAGE)
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _stream(self, viewer: Viewer, space: Space, stream: Stream) -> Iterator[Event]:
        cursor = None
        while True:
            page = self._events.read(viewer, space, stream, cursor=cursor, limit=_PAGE)
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _whole(
        self, viewer: Viewer, space: Space, stream: Stream, unreadable: list[str]
    ) -> Iterator[dict[str, Any]]:
        """The events of a stream, each with its signs and what it said before; the ids of those
        whose payload cannot be shown are noted."""
        for page in _pages(self._stream(viewer, space, stream)):
            beside = self._events.beside(viewer, space, [event.id for event in page])
            for event in page:
                reactions, revisions = beside.get(event.id, ([], []))
                unreadable += [event.id] if is_not_shown(event.payload) else []
                yield {**plain(event), "reactions": reactions, "revisions": revisions}


def _pages(events: Iterator[Event]) -> Iterator[list[Event]]:
    while page := list(islice(events, _PAGE)):
        yield page


def _text(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


def _separated(pieces: Iterator[str]) -> Iterator[str]:
    for number, piece in enumerate(pieces):
        yield piece if number == 0 else ",\n" + piece


def _line(event: Event) -> str:
    return " ".join(event.text.split()) if event.deleted_at is None else "*deleted*"


def _bullet(memory: Memory) -> str:
    body = memory.content.strip().replace("\n", "\n  ")
    marks = [f"confidence {memory.confidence:.2f}", memory.provenance.source.value]
    marks += [f"#{tag}" for tag in memory.tags]
    marks += [f"`{file}`" for file in memory.files]
    marks += [word for word in ("pinned", "archived") if getattr(memory, word)]
    return f"- {body}  \n  <small>{' · '.join(marks)} · {memory.id}</small>\n"
