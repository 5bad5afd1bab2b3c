"""Events API: streams, events, import and export of whole histories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.engine.services import View
from recollect.engine.verb_wrappers import repeatable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from os import PathLike

    from recollect.vocabulary.events import Event, NewEvent, Reaction, Revision, Window
    from recollect.vocabulary.memory import Memory
    from recollect.vocabulary.pagination import Page
    from recollect.vocabulary.reports import ImportReport, Unreadable
    from recollect.vocabulary.streams import Stream


DEFAULT_STREAM: Final = "notes"


class EventVerbs(View):
    """Record events, read them, import and export."""

    def record(self, /, text: str, *, stream: str = DEFAULT_STREAM, **fields: Any) -> Event:
        """Append one event to a stream (created if new). Fields are those of ``NewEvent``."""
        from recollect.pages.prepared import event_of

        return self.record_many([event_of(text, fields)], stream=stream)[0]

    def record_many(
        self, events: Sequence[NewEvent], *, stream: str = DEFAULT_STREAM
    ) -> tuple[Event, ...]:
        """Append several events to a stream, all or none."""
        home, _ = self._services.streams.planned(self.viewer, self.space, stream)
        return tuple(self._services.events.record(self.viewer, self.space, home, events))

    def open_stream(
        self, name: str, *, kind: str = "chat", access: str = "open", parent: str | None = None
    ) -> Stream:
        """The stream of that name, created if new: channel, thread, chat or session."""
        return self._services.streams.ensure(
            self.viewer, self.space, name, kind=kind, access=access, parent=parent
        )

    @repeatable
    def streams(self, *, kind: str | None = None, cursor: str | None = None) -> Page[Stream]:
        """The streams the viewer may read."""
        return self._services.streams.list(self.viewer, self.space, kind=kind, cursor=cursor)

    def set_access(self, stream: str, access: str) -> None:
        """Open a stream to all members of the space, or close it to those on its list."""
        self._services.streams.set_access(self.viewer, self.space, stream, access)

    def admit(self, stream: str, user: str) -> None:
        """Let a person read a private stream."""
        self._services.streams.admit(self.viewer, self.space, stream, user)

    def join_stream(self, stream: str) -> Stream:
        """Join a private stream of others, as an owner of the space; this is recorded."""
        return self._services.streams.join(self.viewer, self.space, stream)

    def dismiss(self, stream: str, user: str) -> None:
        """Revoke a person's access to a private stream."""
        self._services.streams.dismiss(self.viewer, self.space, stream, user)

    @repeatable
    def read(self, stream: str, *, cursor: str | None = None, limit: int = 100) -> Page[Event]:
        """A stream's events in order, a page at a time."""
        found = self._services.streams.get(self.viewer, self.space, stream)
        return self._services.events.read(
            self.viewer, self.space, found, cursor=cursor, limit=limit
        )

    @repeatable
    def window(self, event_id: str, *, before: int = 5, after: int = 2) -> Window:
        """An event with the events before and after it."""
        return self._services.events.window(
            self.viewer, self.space, event_id, before=before, after=after
        )

    @repeatable
    def replies(self, event_id: str) -> tuple[Event, ...]:
        """The replies to an event."""
        return tuple(self._services.events.replies(self.viewer, self.space, event_id))

    @repeatable
    def revisions(self, event_id: str) -> tuple[Revision, ...]:
        """Earlier texts of an event."""
        return tuple(self._services.events.revisions(self.viewer, self.space, event_id))

    def edit_event(self, event_id: str, text: str) -> Event:
        """Replace the text of an event; search is updated at once."""
        return self._services.events.edit(self.viewer, self.space, event_id, text)

    def delete_event(self, event_id: str) -> None:
        """Erase an event's text; the event keeps its place in the order."""
        self._services.events.delete(self.viewer, self.space, event_id)

    def react(self, event_id: str, emoji: str) -> tuple[Reaction, ...]:
        """Add a reaction to an event."""
        return tuple(self._services.events.react(self.viewer, self.space, event_id, emoji))

    def unreact(self, event_id: str, emoji: str) -> bool:
        """Remove a reaction; whether it was there."""
        return self._services.events.unreact(self.viewer, self.space, event_id, emoji)

    @repeatable
    def reactions(self, event_id: str) -> tuple[Reaction, ...]:
        """The reactions to an event."""
        return tuple(self._services.events.reactions(self.viewer, self.space, event_id))

    @repeatable
    def pointing_at(self, event_id: str) -> tuple[Memory, ...]:
        """The memories that cite an event."""
        return self._services.reader.pointing_at(self.viewer, self.space, event_id)

    def import_(
        self,
        source: str | PathLike[str],
        *,
        format: str = "auto",
        stream: str | None = None,
        origin: str | None = None,
        private: Collection[str] | None = None,
        progress: Callable[[int, int, int], None] | None = None,
    ) -> ImportReport:
        """Import a history; resumable after an interruption, and idempotent.

        ``origin`` marks everything in it as outside text (``web:https://...``, ``mail``, a name);
        without it the words are their authors'. ``private`` names the private channels and direct
        messages of a Slack export to include (default: all); the importer cannot read those of
        other people.
        """
        from recollect.memories.export_restorer import is_export

        if format == "recollect" or (format == "auto" and is_export(Path(source))):
            return self._services.restorer().run(
                self.viewer, self.space, source, progress, origin=origin
            )
        from recollect.memories.markdown_import import MarkdownImporter, is_markdown_export

        if format == "markdown" or (format == "auto" and is_markdown_export(Path(source))):
            services = self._services
            reader = MarkdownImporter(
                (services.keeper, services.reader),
                services.importer(),
                services.streams,
                services.clock,
            )
            return reader.run(self.viewer, self.space, source, origin=origin)
        return self._services.importer().run(
            self.viewer,
            self.space,
            source,
            format=format,
            stream=stream,
            origin=origin,
            private=private,
            progress=progress,
        )

    def export(
        self, format: str = "json", *, unreadable: list[Unreadable] | None = None
    ) -> Iterable[str]:
        """Everything the viewer may see, as pieces of JSON or Markdown text.

        What cannot be read is left out, named at the end of the text, and added to ``unreadable``.
        """
        return self._services.exporter().export(self.viewer, self.space, format, unreadable)
