"""Reads the conversation around an event from its stream, separated from interleaved ones.

A fixed number of messages before and after the event is read, whatever the stream holds. A thread
with a stream of its own is one conversation. Deleted messages have no text and are left out.
"""

from collections.abc import Sequence
from typing import Final

from recollect.storage.database import Database, Transaction
from recollect.storage.pages import events, streams
from recollect.trust.authorisation import authorise
from recollect.trust.fence import without_fenced
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.errors import EventNotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import StreamKind
from recollect.vocabulary.workspace import ConversationWindow
from recollect.workspace.disentangle import Utterance, conversation_of

BEFORE: Final = 150
AFTER: Final = 250
#: Maximum number of messages of a conversation; a longer one is cut to those nearest to the event.
LONGEST: Final = 200


class ConversationReader:
    """Reads conversations for a viewer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def around(self, viewer: Viewer, space: Space, event_id: str) -> ConversationWindow:
        """The conversation that an event is part of."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return conversation_within(transaction, access, event_id)


def conversation_within(
    transaction: Transaction, access: Access, event_id: str
) -> ConversationWindow:
    """The conversation that an event is part of, read in the caller's transaction."""
    row = events.event_row(transaction, access, event_id) if is_id(event_id, EVENT) else None
    if row is None:
        raise EventNotFound(f"No event {shown(event_id)} is visible here.")
    anchor = events.get_events(transaction, access, [event_id])[event_id]
    earlier, later = events.events_around(transaction, access, row, before=BEFORE, after=AFTER)
    near = [one for one in (*earlier, anchor, *later) if one.deleted_at is None or one is anchor]
    stream = streams.find_stream(transaction, access, stream_id=anchor.stream_id)
    thread = stream is not None and stream.kind is StreamKind.THREAD
    return window_of(near, anchor, thread=thread)


def window_of(near: Sequence[Event], anchor: Event, *, thread: bool = False) -> ConversationWindow:
    """The anchor's conversation among the messages of its stream."""
    place = next(index for index, one in enumerate(near) if one.id == anchor.id)
    chosen = list(range(len(near))) if thread else conversation_of(utterances(near), place)
    if len(chosen) > LONGEST:
        middle = chosen.index(place)
        first = max(0, min(middle - LONGEST // 3, len(chosen) - LONGEST))
        chosen = chosen[first : first + LONGEST]
    spoken = tuple(near[index] for index in chosen)
    asker, answerers = roles(spoken)
    return ConversationWindow(anchor, spoken, asker, answerers)


def utterances(messages: Sequence[Event]) -> list[Utterance]:
    """Events in the form that the disentangler reads."""
    return [
        Utterance(
            one.id, one.author, one.occurred_at.timestamp(), without_fenced(one.text), one.reply_to
        )
        for one in messages
    ]


def is_question(text: str) -> bool:
    """Whether a text asks something."""
    return "?" in text or "\uff1f" in text


def roles(spoken: Sequence[Event]) -> tuple[str | None, tuple[str, ...]]:
    """The author of the first question, and those who answered, the one who said most first."""
    question = next((one for one in spoken if is_question(one.text)), None)
    if question is None:
        return None, ()
    said: dict[str, float] = {}
    begun = False
    for one in spoken:
        begun = begun or one.id == question.id
        if begun and one.author != question.author:
            said[one.author] = said.get(one.author, 0.0) + 20.0 + len(one.text[:2_000])
    return question.author, tuple(sorted(said, key=lambda user: (-said[user], user)))
