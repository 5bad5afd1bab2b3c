"""Operations on events: recording, reading, editing and deleting.

An edit or a delete affects search at once: the old words leave the index in the same transaction,
and a memory that refers to the event refers to its current words.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from recollect.index.analyser import analyse
from recollect.index.indexer import Indexed, Indexer
from recollect.inference.budgets import Spending
from recollect.pages import signals
from recollect.pages.append import COLLECTION, append, enqueue_vectors
from recollect.pages.authors import is_own, require_authors
from recollect.pages.event_erasure import erase_row, refresh_memos
from recollect.pages.prepared import PreparedEvent, index_all, moved_to_stream, prepare, worded
from recollect.pages.streams import open_stream
from recollect.pages.value import is_trivial
from recollect.storage import unreadable_rows
from recollect.storage.access.quarantine import marks_of, set_suspicion
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import whole_rows
from recollect.storage.pages import event_signals, events, reactions, streams
from recollect.storage.pages.events import Cursor
from recollect.storage.search import places
from recollect.storage.search.places import Place, VectorRow
from recollect.storage.space_clock import tick
from recollect.trust.authorisation import authorise, require_memory, require_role
from recollect.trust.fence import without_fenced
from recollect.trust.prompt_injection import suspicion
from recollect.trust.secrets import redacted, safe_name
from recollect.vocabulary.arguments import (
    EVENT_LIMIT,
    checked_name,
    checked_text,
    repaired_text,
    shown,
    whole,
)
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.events import Event, NewEvent, Reaction, Revision, Window
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.pagination import PAGE_LIMIT, Page
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import Stream

_EVENT_ID: Final = re.compile(r"\bevt_[0-7][0-9a-hjkmnp-tv-z]{25}\b")
_LOOKED_AT: Final = 20_000
_CURSOR: Final = re.compile(r"(-?[0-9]{1,18})\.([0-9]{1,18})")


class Events:
    """The events of a space, as a viewer may see and change them."""

    def __init__(
        self, database: Database, indexer: Indexer, clock: Clock, spending: Spending | None = None
    ) -> None:
        self._database = database
        self._indexer = indexer
        self._clock = clock
        self._spending = spending

    def record(
        self,
        viewer: Viewer,
        space: Space,
        stream: Stream,
        new: Sequence[NewEvent],
        *,
        programs: Sequence[str] = (),
    ) -> list[Event]:
        """Append events to a stream, all or none; events that exist already are not written again.

        A new stream is written along with the events, or not at all. ``programs`` are authors that
        are not persons but work for the viewer.
        """
        _, work = self.recording(viewer, space, stream, new, programs=programs)
        return self._database.write(work)

    def recording(
        self,
        viewer: Viewer,
        space: Space,
        stream: Stream,
        new: Sequence[NewEvent],
        *,
        programs: Sequence[str] = (),
    ) -> tuple[list[str], Callable[[Transaction], list[Event]]]:
        """Prepare recording for a transaction of the caller: the ids that the events will have, and
        the write. If somebody else opens a stream of that name first, the ids are different."""
        new = _given(new)
        now = self._clock()
        prepared = [prepare(event, stream.id, viewer.user, now) for event in new]
        prepared = index_all(prepared, self._indexer)
        replies = sorted({event.reply_to for event in prepared if event.reply_to})
        wanted = signals.current(self._spending if replies else None, space.id)

        def work(transaction: Transaction) -> list[Event]:
            access = require_role(
                authorise(transaction, viewer, space), Role.MEMBER, "record events"
            )
            require_memory(transaction, access, stream.name)
            require_authors(transaction, access, {one.author for one in prepared}, programs)
            home = open_stream(transaction, viewer, space, stream)
            batch = [
                event if home.id == stream.id else moved_to_stream(event, given, home.id)
                for event, given in zip(prepared, new, strict=True)
            ]
            _check_replies(transaction, access, replies, {event.id for event in batch})
            audience = streams.audience_of(transaction, space.id, home.id)
            append(
                transaction,
                self._database,
                self._indexer,
                space.id,
                audiences={home.id: audience},
                batch=batch,
            )
            if replies:
                signals.notice(transaction, space.id, replies, now=now, wanted=wanted)
            named = _named_events(transaction, access, batch)
            if named:
                signals.notice(
                    transaction, space.id, named, now=now, wanted=wanted, referenced=True
                )
            kept = events.get_events(transaction, access, [event.id for event in batch])
            return [kept[event.id] for event in batch if event.id in kept]

        return [event.id for event in prepared], work

    def get(self, viewer: Viewer, space: Space, event_id: str) -> Event:
        """One event."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            event = events.get_events(transaction, access, [event_id]).get(event_id)
        if event is None:
            raise EventNotFound(f"No event {shown(event_id)} is visible here.")
        return event

    def read(
        self, viewer: Viewer, space: Space, stream: Stream, *, cursor: str | None, limit: int
    ) -> Page[Event]:
        """Page of a stream, in order."""
        whole(limit, 1, PAGE_LIMIT, "A page has")
        with self._database.reading() as transaction:
            found = events.list_events(
                transaction,
                authorise(transaction, viewer, space),
                stream.id,
                after=_cursor(cursor),
                limit=limit + 1,
            )
        page = found[:limit]
        more = _cursor_text(page[-1][1]) if len(found) > limit else None
        return Page(tuple(event for event, _ in page), more)

    def surviving(self, viewer: Viewer, space: Space) -> tuple[dict[str, list[str]], list[str]]:
        """Ids of readable visible events, by stream, and ids of unreadable ones."""
        kept: dict[str, list[tuple[datetime, str]]] = {}
        bad: list[str] = []
        with self._database.reading() as transaction:
            ids = unreadable_rows.event_ids(transaction, authorise(transaction, viewer, space))

        def read(some: Sequence[str]) -> dict[str, Event]:
            with self._database.reading() as transaction:
                return events.get_events(transaction, authorise(transaction, viewer, space), some)

        for start in range(0, len(ids), PAGE_LIMIT):
            found, unread = unreadable_rows.readable(read, ids[start : start + PAGE_LIMIT])
            for event in found.values():
                kept.setdefault(event.stream_id, []).append((event.occurred_at, event.id))
            bad += unread
        return {stream: [one for _, one in sorted(known)] for stream, known in kept.items()}, bad

    def window(
        self, viewer: Viewer, space: Space, event_id: str, *, before: int, after: int
    ) -> Window:
        """An event with the events before and after it in its stream."""
        whole(before, 0, PAGE_LIMIT, "Before an event a window has")
        whole(after, 0, PAGE_LIMIT, "After an event a window has")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            row = _row(transaction, access, event_id)
            earlier, later = events.events_around(
                transaction, access, row, before=before, after=after
            )
            event = events.get_events(transaction, access, [event_id])[event_id]
        return Window(tuple(earlier), event, tuple(later))

    def replies(self, viewer: Viewer, space: Space, event_id: str) -> list[Event]:
        """The replies to an event, in order."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            _row(transaction, access, event_id)
            return events.replies_to(transaction, access, event_id)

    def revisions(self, viewer: Viewer, space: Space, event_id: str) -> list[Revision]:
        """Earlier versions of an event, from before its edits."""
        with self._database.reading() as transaction:
            row = _row(transaction, authorise(transaction, viewer, space), event_id)
            return events.revisions_of(transaction, row)

    def edit(self, viewer: Viewer, space: Space, event_id: str, text: str) -> Event:
        """Replace an event's words; its author or a steward may."""
        words = redacted(repaired_text(checked_text(repaired_text(text), "text", EVENT_LIMIT)))
        indexed = self.indexed(words)
        now = self._clock()

        def work(transaction: Transaction) -> Event:
            access = authorise(transaction, viewer, space)
            row = _changeable(transaction, access, event_id)
            self.rewrite_within(transaction, row, words, indexed, editor=viewer.user, now=now)
            return events.get_events(transaction, access, [event_id])[event_id]

        return self._database.write(work)

    def indexed(self, words: str) -> Indexed:
        """Index entry of an event's words."""
        own = without_fenced(words)
        return worded(own, self._indexer.index([own], [own])[0])

    def rewrite_within(
        self,
        transaction: Transaction,
        row: Any,
        words: str,
        indexed: Indexed,
        *,
        editor: str,
        now: datetime,
    ) -> None:
        """Replace the words of the event of a row, in the caller's transaction."""
        own = without_fenced(words)
        orders = "; ".join(suspicion(own, outside=True)) or None
        number, slot = tick(transaction, row.space_id)
        outside = row.event_id in marks_of(transaction, row.space_id, [row.event_id])
        if outside:
            set_suspicion(transaction, row.space_id, row.event_id, orders)
        findable = indexed.length > 0 and not (outside and orders)
        events.rewrite_event(
            transaction, row, text=words, editor=editor, at=now, slot=slot if findable else None
        )
        home = (row.space_id, number)
        if findable:
            place = Place(slot, row.event_id, row.audience_id, indexed.tokens, indexed.length)
            places.put_places(transaction, self._database.dialect, home, COLLECTION, [place])
            if not is_trivial(own):
                self._put_vector(transaction, row.space_id, slot, indexed.vector, now)
        signals.revalue(transaction, row.space_id, row.event_id, words, now)
        refresh_memos(transaction, row.space_id, row.event_id, now)
        places.retire(transaction, self._database.dialect, home, COLLECTION, [row.slot])

    def delete(self, viewer: Viewer, space: Space, event_id: str) -> None:
        """Delete an event's words, not its position; its author or a steward may."""

        def work(transaction: Transaction) -> list[str]:
            access = authorise(transaction, viewer, space)
            return self.erase_within(transaction, access, event_id)

        texts = self._database.write(work)
        self._database.erasure.finish(space.id, texts, [event_id], analyse=analyse, waits=False)

    def erase_within(self, transaction: Transaction, access: Access, event_id: str) -> list[str]:
        """Erase an event's words in the caller's transaction; return its texts.

        The caller finishes the erasure once the transaction has ended.
        """
        return self.erase_row_within(transaction, _changeable(transaction, access, event_id))

    def mask_within(
        self, transaction: Transaction, access: Access, event_id: str, words: str
    ) -> list[str]:
        """Replace an event's words for good: no revision keeps them. Returns the texts that went.

        The caller finishes the erasure once the transaction has ended.
        """
        row, now = _changeable(transaction, access, event_id), self._clock()
        texts = [row.text, *(one.text for one in events.revisions_of(transaction, row))]
        self._exchange_words(transaction, access, row, words, now)
        self._database.erasure.mark(transaction, now)
        return texts

    def unmask_within(
        self, transaction: Transaction, access: Access, event_id: str, kept: Mapping[str, Any]
    ) -> None:
        """Restore the words of an event that was masked, with its earlier revisions."""
        row = _row(transaction, access, event_id)
        if row.deleted_at is None:
            self._exchange_words(transaction, access, row, kept["text"], self._clock())
            whole_rows.restore_revisions(transaction, kept["rows"])

    def _exchange_words(
        self, transaction: Transaction, access: Access, row: Any, words: str, now: datetime
    ) -> None:
        """Replace the words of an event without a revision of what they were."""
        indexed = self.indexed(words)
        editor = access.viewer.user
        self.rewrite_within(transaction, row, words, indexed, editor=editor, now=now)
        events.drop_revisions(transaction, row)

    def erase_row_within(self, transaction: Transaction, row: Any) -> list[str]:
        """Erase the words of an event whose row is at hand already, as sync does."""
        now = self._clock()
        refresh_memos(transaction, row.space_id, row.event_id, now)
        return erase_row(transaction, self._database, row, now)

    def restore_within(
        self, transaction: Transaction, access: Access, event_id: str, kept: Mapping[str, Any]
    ) -> None:
        """Restore the words of an erased event, with its earlier revisions."""
        row = _row(transaction, access, event_id)
        if row.deleted_at is None:
            return
        number, slot = tick(transaction, access.space_id)
        own = without_fenced(kept["text"])
        indexed = worded(own, self._indexer.index([own], [own])[0])
        findable = kept["found"] and indexed.length > 0
        events.restore_event_text(
            transaction,
            row,
            text=kept["text"],
            payload=kept["payload"],
            slot=slot if findable else None,
        )
        whole_rows.restore_event_rows(transaction, kept["rows"])
        if findable:
            home = (access.space_id, number)
            place = Place(slot, event_id, row.audience_id, indexed.tokens, indexed.length)
            places.put_places(transaction, self._database.dialect, home, COLLECTION, [place])
            if not is_trivial(own):
                self._put_vector(transaction, access.space_id, slot, indexed.vector, self._clock())

    def retrieved(
        self, viewer: Viewer, space: Space, ids: Sequence[str], verdict: str | None = None
    ) -> list[str]:
        """Record that a search served these events usefully; return those that this raises.

        ``verdict`` is ``cited`` or ``helpful`` where somebody said so: it counts for the event's
        author.
        """
        now = self._clock()
        wanted = signals.current(self._spending, space.id)

        def work(transaction: Transaction) -> list[str]:
            access = authorise(transaction, viewer, space)
            seen = events.get_events(transaction, access, list(ids))
            if verdict is not None:
                event_signals.count_verdict(transaction, space.id, list(seen), verdict, now)
            return signals.notice(
                transaction, space.id, seen, now=now, wanted=wanted, retrieved=True
            )

        return self._database.write(work)

    def react(self, viewer: Viewer, space: Space, event_id: str, emoji: str) -> list[Reaction]:
        """Add the viewer's reaction to an event; return all its reactions."""
        reaction = Reaction(viewer.user, safe_name(emoji, "emoji"), self._clock())
        wanted = signals.current(self._spending, space.id)

        def work(transaction: Transaction) -> list[Reaction]:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "react")
            row = _row(transaction, access, event_id)
            reactions.add_reaction(transaction, row, reaction)
            signals.notice(transaction, space.id, [event_id], now=reaction.at, wanted=wanted)
            return reactions.reactions_to(transaction, row)

        return self._database.write(work)

    def unreact(self, viewer: Viewer, space: Space, event_id: str, emoji: str) -> bool:
        """Remove the viewer's reaction from an event; return whether it existed."""
        sign = checked_name(emoji, "emoji")

        def work(transaction: Transaction) -> bool:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "react")
            row = _row(transaction, access, event_id)
            return reactions.remove_reaction(transaction, row, viewer.user, sign)

        return self._database.write(work)

    def reactions(self, viewer: Viewer, space: Space, event_id: str) -> list[Reaction]:
        """The reactions to an event."""
        with self._database.reading() as transaction:
            row = _row(transaction, authorise(transaction, viewer, space), event_id)
            return reactions.reactions_to(transaction, row)

    def reactions_and_revisions(
        self, viewer: Viewer, space: Space, event_ids: Sequence[str]
    ) -> dict[str, tuple[list[Reaction], list[Revision]]]:
        """Reactions and earlier revisions of many events."""
        with self._database.reading() as transaction:
            return reactions.reactions_and_revisions(
                transaction, authorise(transaction, viewer, space), event_ids
            )

    def _put_vector(
        self,
        transaction: Transaction,
        space_id: str,
        slot: int,
        vector: bytes | None,
        now: datetime,
    ) -> None:
        if vector is not None:
            model = self._indexer.model
            row = VectorRow(slot, vector)
            places.put_vectors(transaction, space_id, COLLECTION, (model.id, model.dims), [row])
        elif self._indexer.embeds_later:
            enqueue_vectors(transaction, space_id, [slot], now)


def _given(new: object) -> list[NewEvent]:
    """The given events, checked for their type."""
    given: list[NewEvent] = []
    for event in new if isinstance(new, Iterable) else [new]:
        if not isinstance(event, NewEvent):
            raise InvalidInput(f"Give each event as a NewEvent, not as {type(event).__name__}.")
        given.append(event)
    return given


def _check_replies(
    transaction: Transaction, access: Access, replies: Sequence[str], own: set[str]
) -> None:
    """Check that each answered event exists and is visible, or is in the same batch."""
    outside = [event for event in replies if event not in own]
    seen = events.get_events(transaction, access, outside) if outside else {}
    for event in outside:
        if event not in seen:
            raise EventNotFound(f"No event {event!r} is visible here to reply to.")


def _row(transaction: Transaction, access: Access, event_id: str) -> Any:
    row = events.event_row(transaction, access, event_id) if is_id(event_id, EVENT) else None
    if row is None:
        raise EventNotFound(f"No event {shown(event_id)} is visible here.")
    return row


def _changeable(transaction: Transaction, access: Access, event_id: str) -> Any:
    """The event's row, if the access may change the event and it still exists."""
    row = _row(transaction, access, event_id)
    if not is_own(transaction, access, row.author):
        require_role(access, Role.STEWARD, "change what another said")
    require_role(access, Role.MEMBER, "change events")
    if row.deleted_at is not None:
        raise EventNotFound(f"The event {event_id!r} was deleted.")
    return row


def _cursor(text: object) -> Cursor | None:
    if text is None:
        return None
    given = _CURSOR.fullmatch(text) if isinstance(text, str) else None
    if given is None:
        raise InvalidInput("That cursor is not valid for a stream.")
    try:
        return Cursor(from_microseconds(int(given[1])), int(given[2]))
    except OverflowError as error:
        raise InvalidInput("That cursor is not valid for a stream.") from error


def _cursor_text(cursor: Cursor) -> str:
    return f"{to_microseconds(cursor.occurred_at)}.{cursor.arrival}"


def _named_events(
    transaction: Transaction, access: Access, batch: Sequence[PreparedEvent]
) -> list[str]:
    """The visible events whose ids occur in the words of new ones."""
    ids = {found for one in batch for found in _EVENT_ID.findall(one.text[:_LOOKED_AT])}
    ids -= {one.id for one in batch}
    return sorted(events.get_events(transaction, access, sorted(ids))) if ids else []
