"""Exports everything in a space that a viewer may see, as restorable JSON or as Markdown.

The text is produced in pieces, so that a large space never has to fit in memory. An unreadable row
stops nothing: it is left out, and the end of the export lists the rows left out.
"""

import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from recollect.memories.reader import MemoryReader
from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.storage.unreadable_rows import BAD_ROW_ERRORS, is_bad_row
from recollect.vocabulary.arguments import choice
from recollect.vocabulary.audiences import Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import StoreError
from recollect.vocabulary.events import Event
from recollect.vocabulary.json_depth import UNREADABLE, is_not_shown
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.pagination import Page
from recollect.vocabulary.plain import plain
from recollect.vocabulary.reports import Unreadable
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream, StreamAccess

VERSION: Final = 1
#: Mark of a memory that an assistant keeps for its owner.
ENTRY: Final = "personal_entry"
#: Mark of a memory that was superseded.
SUPERSEDED: Final = "superseded"
#: Suffix of the name of a stream that only some may read.
PRIVATE: Final = " · private"
#: Stands behind the time of an event that only keeps its order.
UNTOLD_TIME: Final = " (time unknown)"
_CLOSED: Final = StreamAccess.PRIVATE
_PAGE: Final = 500

T = TypeVar("T")


class ExportFormat(StrEnum):
    """Format of an export."""

    JSON = "json"
    MARKDOWN = "markdown"


class Exporter:
    """Exports a space page by page, through the same reads as everything else."""

    def __init__(
        self, reader: MemoryReader, streams: Streams, events: Events, clock: Clock
    ) -> None:
        self._reader = reader
        self._streams = streams
        self._events = events
        self._clock = clock

    def export(
        self,
        viewer: Viewer,
        space: Space,
        format: str,
        unreadable: list[Unreadable] | None = None,
    ) -> Iterator[str]:
        """Pieces of the export, in order; unreadable rows are added to the list."""
        wanted = choice(ExportFormat, format, "format")
        left_out: list[Unreadable] = [] if unreadable is None else unreadable
        one = _Export((self._reader, self._streams, self._events), viewer, space, left_out)
        now = self._clock()
        if wanted is ExportFormat.MARKDOWN:
            head = f"# {space.name}\n\nExported {now:%Y-%m-%d %H:%M} UTC.\n"
            return one.markdown(head)
        return one.json({"recollect_export": VERSION, "exported_at": now, "space": space})


class _Export:
    """One export for one viewer."""

    def __init__(
        self,
        services: tuple[MemoryReader, Streams, Events],
        viewer: Viewer,
        space: Space,
        left_out: list[Unreadable],
    ) -> None:
        self._reader, self._streams, self._events = services
        self._who = viewer, space
        self._left_out = left_out
        self._noted: set[tuple[str, str | None]] = set()
        self._surviving: dict[str, list[str]] | None = None

    def json(self, head: dict[str, Any]) -> Iterator[str]:
        """One JSON document that can be restored."""
        yield _text(head)[:-1] + ',\n"memories": [\n'
        yield from _separated(filter(None, map(self._memory, self._memories())))
        yield '\n],\n"streams": [\n'
        yield from _separated(filter(None, map(self._with_events, self._all_streams())))
        yield "\n]"
        if self._left_out:
            yield f',\n"unreadable": {_text(self._left_out)}'
        yield "}\n"

    def markdown(self, head: str) -> Iterator[str]:
        """The export as Markdown for people."""
        yield head
        kind = None
        for memory in sorted(self._memories(), key=lambda m: (m.type.value, m.id)):
            if memory.type is not kind:
                kind = memory.type
                yield f"\n## {kind.value.replace('_', ' ').capitalize()}\n\n"
            yield bullet(memory)
        for stream in self._all_streams():
            yield f"\n## Stream: {stream.name}{PRIVATE * (stream.access is _CLOSED)}\n\n"
            for event in self._stream(stream):
                untold = UNTOLD_TIME * event.time_unknown
                at = f"{event.occurred_at:%Y-%m-%d %H:%M}{untold}"
                yield f"- {at} **{event.author}**: {_line(event)}\n"
        if self._left_out:
            yield "\n## Could not be read\n\n"
            for one in self._left_out:
                yield f"- {one.kind} {one.id or '(id unknown)'}: {one.problem}\n"

    def _memory(self, memory: Memory) -> str | None:
        """A memory with its history and its relations, as far as these can be read."""
        id = memory.id
        history = self._tried("history", id, lambda: self._reader.history(*self._who, id))
        found_relations = self._tried(
            "relations", id, lambda: self._reader.relations(*self._who, id)
        )
        kept = memory.audience.visibility is Visibility.PERSONAL and self._tried(
            "memory", id, lambda: self._reader.is_entry(*self._who, id)
        )
        whole = {
            "history": history or (),
            "relations": found_relations or (),
            **({ENTRY: True} if kept else {}),
        }
        return self._tried("memory", id, lambda: _text({**plain(memory), **whole}))

    def _with_events(self, stream: Stream) -> str | None:
        events = [text for event in self._whole(stream) if (text := self._event(event))]
        head = self._tried("stream", stream.id, lambda: _text(plain(stream)))
        return None if head is None else f'{head[:-1]}, "events": [{", ".join(events)}]}}'

    def _event(self, event: dict[str, Any]) -> str | None:
        return self._tried("event", event["id"], lambda: _text(event))

    def _memories(self) -> Iterator[Memory]:
        for archived in (False, True):
            cursor = None
            while True:
                try:
                    page = self._reader.list(
                        *self._who,
                        Filters(archived=archived, superseded=True),
                        cursor=cursor,
                        limit=_PAGE,
                    )
                except BAD_ROW_ERRORS as error:
                    if not is_bad_row(error):
                        raise
                    yield from self._memories_one_by_one(error, archived, cursor)
                    break
                yield from page.items
                cursor = page.next_cursor
                if cursor is None:
                    break

    def _memories_one_by_one(
        self, problem: Exception, archived: bool, cursor: str | None
    ) -> Iterator[Memory]:
        """Read the memories of an unreadable page one by one."""
        found = self._tried("memories", None, lambda: self._reader.surviving(*self._who))
        if found is None:
            return
        kept, bad = found
        for id in bad:
            self._leave_out("memory", id, problem)
        for id in kept:
            if cursor is None or id < cursor:
                memory = self._reader.get(*self._who, id)
                if memory.archived == archived:
                    yield memory

    def _streams_page(self, cursor: str | None) -> Page[Stream]:
        return self._streams.list(*self._who, cursor=cursor, limit=_PAGE)

    def _all_streams(self) -> Iterator[Stream]:
        cursor = None
        while True:
            page = self._tried("streams", None, partial(self._streams_page, cursor))
            if page is None:
                return
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _stream(self, stream: Stream) -> Iterator[Event]:
        cursor = None
        given: set[str] = set()
        while True:
            try:
                page = self._events.read(*self._who, stream, cursor=cursor, limit=_PAGE)
            except BAD_ROW_ERRORS as error:
                if not is_bad_row(error):
                    raise
                yield from self._events_one_by_one(error, stream, given)
                return
            yield from page.items
            given.update(event.id for event in page.items)
            cursor = page.next_cursor
            if cursor is None:
                return

    def _events_one_by_one(
        self, problem: Exception, stream: Stream, given: set[str]
    ) -> Iterator[Event]:
        """Read the events of a stream one by one after an unreadable page; all are listed once."""
        if self._surviving is None:
            found = self._tried("events", None, lambda: self._events.surviving(*self._who))
            self._surviving, bad = found or ({}, [])
            for id in bad:
                self._leave_out("event", id, problem)
        for id in self._surviving.get(stream.id, ()):
            if id not in given:
                yield self._events.get(*self._who, id)

    def _whole(self, stream: Stream) -> Iterator[dict[str, Any]]:
        """Events of a stream, each with its reactions and its earlier revisions."""
        for page in _pages(self._stream(stream)):
            ids = [event.id for event in page]
            reactions_and_revisions = self._tried(
                "reactions and revisions",
                stream.id,
                partial(self._events.reactions_and_revisions, *self._who, ids),
            )
            for event in page:
                reactions, revisions = (reactions_and_revisions or {}).get(event.id, ([], []))
                if is_not_shown(event.payload):
                    self._leave_out("payload", event.id, StoreError(event.payload[UNREADABLE]))
                yield {**plain(event), "reactions": reactions, "revisions": revisions}

    def _tried(self, kind: str, id: str | None, read: Callable[[], T]) -> T | None:
        """Result of a read; None, with a note, when reading fails."""
        try:
            return read()
        except BAD_ROW_ERRORS as error:
            if not is_bad_row(error):
                raise
            self._leave_out(kind, id, error)
            return None

    def _leave_out(self, kind: str, id: str | None, error: Exception) -> None:
        """Record a row that is left out, once. The owner of an unreadable row is unknown, so a
        viewer with a token does not get its id."""
        if (kind, id) in self._noted:
            return
        self._noted.add((kind, id))
        trusted = self._who[0].opens is None
        problem_text = error.message if isinstance(error, StoreError) else type(error).__name__
        if trusted and not isinstance(error, StoreError):
            problem_text = f"{problem_text}: {error}"
        self._left_out.append(Unreadable(kind, id if trusted else None, problem_text))


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


def bullet(memory: Memory) -> str:
    """A memory as one list item, with the fields that an import needs."""
    body = memory.content.strip().replace("\n", "\n  ")
    marks = [f"confidence {memory.confidence:.2f}", memory.provenance.source.value]
    marks += [f"#{tag}" for tag in memory.tags]
    marks += [f"`{file}`" for file in memory.files]
    marks += [word for word in ("pinned", "archived") if getattr(memory, word)]
    if memory.superseded_by is not None:
        marks.append(SUPERSEDED)
    if memory.audience.visibility is Visibility.PERSONAL:
        marks.append("personal")
    return f"- {body}  \n  <small>{' · '.join(marks)} · {memory.id}</small>\n"
