"""Reads the sources of an answer with the asker's rights: events, streams and conversations.

Events are read as they are now, so an edited or deleted source is never quoted as it was.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from recollect.pages.events import Events
from recollect.pages.streams import Streams
from recollect.research.service_messages import is_service_message
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.spaces import Space
from recollect.workspace.conversation_reader import ConversationReader

#: In a slow stream, the number of messages after a question, and the time after it, that may hold
#: its answer.
_NEXT: Final = 2
_LATE: Final = timedelta(days=2)


class SourceReader:
    """Reads events, their streams and conversations; deleted and hidden events are left out."""

    def __init__(self, events: Events, streams: Streams, conversations: ConversationReader) -> None:
        self._events = events
        self._streams = streams
        self._conversations = conversations

    def readable(self, viewer: Viewer, space: Space, ids: Iterable[str]) -> list[Event]:
        """The events that exist and may be read now, with their current text; what a channel writes
        about itself is left out.
        """
        found = []
        for event_id in dict.fromkeys(ids):
            with suppress(NotFound):
                event = self._events.get(viewer, space, event_id)
                told = event.text.strip() and not is_service_message(event.text)
                if event.deleted_at is None and told:
                    found.append(event)
        return found

    def conversation(self, viewer: Viewer, space: Space, event: Event) -> Sequence[Event]:
        """The conversation that an event belongs to; empty where the event was deleted.

        Where nobody else speaks in it afterwards, the next messages of the stream are added: in a
        slow stream an answer may take a day.
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
        """The names of the events' streams."""
        names: dict[str, str] = {}
        for stream_id in dict.fromkeys(one.stream_id for one in events):
            with suppress(NotFound):
                names[stream_id] = self._streams.get(viewer, space, stream_id).name
        return names

    def count_cited(self, viewer: Viewer, space: Space, ids: Sequence[str]) -> None:
        """Count the citations of events for their authors."""
        self._events.retrieved(viewer, space, ids, verdict="cited")
