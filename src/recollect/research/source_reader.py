"""What an answer may rest on, read anew for whoever asks: events as they stand now, where they were
said, and the conversations around them."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.spaces import Space
from recollect.workspace.conversation_reader import ConversationReader

#: In a slow stream, so many messages after a question and so long after it may answer it.
_NEXT: Final = 2
_LATE: Final = timedelta(days=2)


class SourceReader:
    """Reads events, their streams and conversations; what has gone or is hidden is left out."""

    def __init__(self, events: Events, streams: Streams, conversations: ConversationReader) -> None:
        self._events = events
        self._streams = streams
        self._conversations = conversations

    def readable(self, viewer: Viewer, space: Space, ids: Iterable[str]) -> list[Event]:
        """The events that are there and may be read now, with their words of now."""
        found = []
        for event_id in dict.fromkeys(ids):
            with suppress(NotFound):
                event = self._events.get(viewer, space, event_id)
                if event.deleted_at is None and event.text.strip():
                    found.append(event)
        return found

    def conversation(self, viewer: Viewer, space: Space, event: Event) -> Sequence[Event]:
        """The conversation that an event is part of; nothing where it has gone.

        Where nobody else speaks in it afterwards, what comes next in the stream belongs to it too:
        in a slow stream an answer may take a day.
        """
        with suppress(NotFound):
            spoken = self._conversations.around(viewer, space, event.id).events
            later = [one for one in spoken if one.occurred_at > event.occurred_at]
            if any(one.author != event.author for one in later):
                return spoken
            after = self._events.window(viewer, space, event.id, before=0, after=_NEXT).after
            soon = [one for one in after if one.occurred_at - event.occurred_at <= _LATE]
            return (event, *(one for one in soon if one.deleted_at is None))
        return ()

    def stream_names(self, viewer: Viewer, space: Space, events: Iterable[Event]) -> dict[str, str]:
        """The names of the streams that events stand in."""
        names: dict[str, str] = {}
        for stream_id in dict.fromkeys(one.stream_id for one in events):
            with suppress(NotFound):
                names[stream_id] = self._streams.get(viewer, space, stream_id).name
        return names

    def count_cited(self, viewer: Viewer, space: Space, ids: Sequence[str]) -> None:
        """Count for their authors that events were cited."""
        self._events.retrieved(viewer, space, ids, verdict="cited")
