"""Streams of a space: lookup, creation, and access."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from recollect.storage.access.visibility_filter import audience_id
from recollect.storage.chat.audit import add_audit
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import streams
from recollect.storage.pages.aliases import list_aliases
from recollect.storage.prepared import dialect_of
from recollect.storage.space_clock import tick
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.secrets import redacted, safe_name
from recollect.vocabulary.arguments import (
    NAME_LIMIT,
    checked_name,
    checked_text,
    choice,
    repaired_text,
)
from recollect.vocabulary.audiences import Access, Audience, Viewer, Visibility
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, StreamNotFound
from recollect.vocabulary.ids import AUDIT, STREAM, is_id, new_id
from recollect.vocabulary.pagination import Page, page_of
from recollect.vocabulary.personal import AuditEntry
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import Stream, StreamAccess, StreamKind

#: Longest purpose of a stream: a sentence.
PURPOSE_LIMIT: Final = 500
_COMPARED: Final = 500


class Streams:
    """The streams of a space, as a viewer may see them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def ensure(
        self,
        viewer: Viewer,
        space: Space,
        name: str,
        *,
        kind: str = StreamKind.CHAT,
        access: str = StreamAccess.OPEN,
        parent: str | None = None,
    ) -> Stream:
        """The stream of that name (or id); a new one when there is none."""
        stream, new = self.planned(viewer, space, name, kind=kind, access=access, parent=parent)
        if not new:
            return stream
        return self._database.write(
            lambda transaction: open_stream(transaction, viewer, space, stream)
        )

    def planned(
        self,
        viewer: Viewer,
        space: Space,
        name: str,
        *,
        kind: str = StreamKind.CHAT,
        access: str = StreamAccess.OPEN,
        parent: str | None = None,
    ) -> tuple[Stream, bool]:
        """The stream of that name, or the one ``open_stream`` would write; whether it is new."""
        with self.lookup(viewer, space) as lookup:
            return lookup.planned(name, kind=kind, access=access, parent=parent)

    @contextmanager
    def lookup(self, viewer: Viewer, space: Space) -> Iterator["StreamLookup"]:
        """Look up streams, many of them in one reading transaction."""
        with self._database.reading() as transaction:
            yield StreamLookup(transaction, authorise(transaction, viewer, space), self._clock)

    def get(self, viewer: Viewer, space: Space, name: str) -> Stream:
        """The stream of that name or id."""
        with self._database.reading() as transaction:
            return _found(transaction, authorise(transaction, viewer, space), name)

    def list(
        self,
        viewer: Viewer,
        space: Space,
        *,
        kind: str | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Stream]:
        """Page of the streams that the viewer may read, oldest first."""
        if kind is not None:
            choice(StreamKind, kind, "kind of stream")
        if cursor is not None and not is_id(cursor, STREAM):
            raise InvalidInput("That cursor is not valid for a list of streams.")
        with self._database.reading() as transaction:
            viewer_access = authorise(transaction, viewer, space)
            found = streams.list_streams(
                transaction, viewer_access, kind=kind, after=cursor, limit=limit + 1
            )
        return page_of(found, limit)

    def set_access(self, viewer: Viewer, space: Space, name: str, access: str) -> None:
        """Open a stream to all members, or restrict it; its owner or a steward may."""
        wanted = choice(StreamAccess, access, "access")

        def work(transaction: Transaction) -> None:
            stream = _changeable(transaction, authorise(transaction, viewer, space), name)
            streams.set_access(transaction, space.id, stream.id, wanted.value)

        self._database.write(work)

    def set_purpose(self, viewer: Viewer, space: Space, name: str, purpose: str | None) -> Stream:
        """Set or clear a stream's purpose; its owner or a steward may."""
        checked = None
        if purpose is not None:
            checked = redacted(repaired_text(checked_text(purpose, "purpose", PURPOSE_LIMIT)))

        def work(transaction: Transaction) -> Stream:
            stream = _changeable(transaction, authorise(transaction, viewer, space), name)
            streams.set_purpose(transaction, space.id, stream.id, checked)
            return replace(stream, purpose=checked)

        return self._database.write(work)

    def admit(self, viewer: Viewer, space: Space, name: str, user: str) -> None:
        """Add a person to a private stream's list; its owner or a steward may."""
        person = safe_name(user, "user")

        def work(transaction: Transaction) -> None:
            stream = _changeable(transaction, authorise(transaction, viewer, space), name)
            streams.admit(transaction, space.id, stream.id, person, self._clock())

        self._database.write(work)

    def join(self, viewer: Viewer, space: Space, name: str) -> Stream:
        """Add an owner of the space to the list of a private stream of others, and record it.

        Nobody else can: to everyone else such a stream does not exist. A stream that the owner may
        read anyway is returned unchanged.
        """
        name, now = checked_name(name, "stream"), self._clock()

        def work(transaction: Transaction) -> Stream:
            viewer_access = require_role(
                authorise(transaction, viewer, space), Role.OWNER, "join private streams of others"
            )
            readable = find(transaction, viewer_access, name)
            dialect_of(transaction).bypass_row_security(transaction)
            found = streams.streams_for_owner(transaction, viewer_access, name)
            if not found and readable is not None:
                return readable
            if not found:
                raise StreamNotFound(f"No stream {name!r} is visible here.")
            if len(found) > 1:
                raise InvalidInput(
                    f"{len(found)} streams have the name {name!r}.",
                    hint=f"Name one by its id: {', '.join(one.id for one in found)}.",
                )
            streams.admit(transaction, space.id, found[0].id, viewer.user, now)
            entry = AuditEntry(
                new_id(AUDIT, now), viewer.user, "join_stream", found[0].id, None, {}, now
            )
            add_audit(transaction, viewer_access.space_id, entry)
            return found[0]

        return self._database.write(work)

    def hidden(self, space: Space, stream_id: str) -> tuple[Stream, int] | None:
        """A stream that an import created, whoever may read it; and the audience of its events."""
        with self._database.reading(all_spaces=True) as transaction:
            return streams.stream_for_import(transaction, space.id, stream_id)

    def known_as(self, space: Space, names: Sequence[str]) -> tuple[str, ...]:
        """People by their names in another program: those names, and the members with these names
        as confirmed aliases."""
        with self._database.reading(all_spaces=True) as transaction:
            known = list_aliases(transaction, space.id)
        users = [alias.user for alias in known if alias.name in names]
        return tuple(dict.fromkeys((*names, *users)))

    def dismiss(self, viewer: Viewer, space: Space, name: str, user: str) -> None:
        """Remove a person from a private stream's list; its owner or a steward may."""
        person = checked_name(user, "user")

        def work(transaction: Transaction) -> None:
            stream = _changeable(transaction, authorise(transaction, viewer, space), name)
            streams.dismiss(transaction, space.id, stream.id, person)

        self._database.write(work)


class StreamLookup:
    """Looks streams up for one viewer, inside a transaction."""

    def __init__(self, transaction: Transaction, viewer_access: Access, clock: Clock) -> None:
        self._transaction = transaction
        self._access = viewer_access
        self._clock = clock

    def planned(
        self,
        name: str,
        *,
        kind: str = StreamKind.CHAT,
        access: str = StreamAccess.OPEN,
        parent: str | None = None,
    ) -> tuple[Stream, bool]:
        """The stream of that name, or the one ``open_stream`` would write; whether it is new."""
        wanted = choice(StreamKind, kind, "kind of stream"), choice(StreamAccess, access, "access")
        stream = find(self._transaction, self._access, name)
        if stream is not None:
            return stream, False
        if is_id(name, STREAM):
            raise StreamNotFound(f"No stream {name!r} is visible here.")
        now = self._clock()
        new = Stream(
            id=new_id(STREAM, now),
            space_id=self._access.space_id,
            kind=wanted[0],
            name=safe_name(name, "stream"),
            access=wanted[1],
            owner=self._access.viewer.user,
            parent_id=parent,
            created_at=now,
        )
        return new, True


def find(transaction: Transaction, viewer_access: Access, name: str) -> Stream | None:
    """The stream of that name or id, if the access may read it."""
    if is_id(name, STREAM):
        return streams.find_stream(transaction, viewer_access, stream_id=name)
    return streams.find_stream(transaction, viewer_access, name=checked_name(name, "stream"))


def open_stream(transaction: Transaction, viewer: Viewer, space: Space, new: Stream) -> Stream:
    """Write a new stream, unless one of that name exists."""
    return open_stream_as(transaction, authorise(transaction, viewer, space), new)[0]


def open_stream_as(
    transaction: Transaction, viewer_access: Access, new: Stream
) -> tuple[Stream, int | None]:
    """The same with an access, for a transaction that opens many; and the audience of its events
    where the stream is new.
    """
    require_role(viewer_access, Role.MEMBER, "open streams")
    stream = find(transaction, viewer_access, new.name)
    if stream is not None:
        return stream, None
    if new.parent_id is not None:
        parent = _found(transaction, viewer_access, new.parent_id)
        new = replace(new, parent_id=parent.id)
        home = streams.audience_of(transaction, new.space_id, parent.id)
    else:
        _, fresh = tick(transaction, new.space_id)
        audience = Audience(new.owner, Visibility.STREAM, stream=new.id)
        home = audience_id(transaction, new.space_id, audience, fresh)
    streams.add_stream(transaction, new, home)
    return new, home


def _found(transaction: Transaction, viewer_access: Access, name: str) -> Stream:
    stream = find(transaction, viewer_access, name)
    if stream is None:
        raise _not_found(transaction, viewer_access, name)
    return stream


def _not_found(transaction: Transaction, viewer_access: Access, name: str) -> StreamNotFound:
    """The error for an unknown stream, with the most similar names among the visible ones."""
    from difflib import get_close_matches

    listed = streams.list_streams(
        transaction, viewer_access, kind=None, after=None, limit=_COMPARED
    )
    known = [stream.name for stream in listed]
    near = get_close_matches(name, known, n=3) if len(name) <= NAME_LIMIT else []
    hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else None
    return StreamNotFound(f"No stream {name!r} is visible here.", hint=hint)


def _changeable(transaction: Transaction, viewer_access: Access, name: str) -> Stream:
    """The stream, if the access may decide about it. A thread's readers are decided by its root."""
    stream = _found(transaction, viewer_access, name)
    if stream.owner != viewer_access.viewer.user:
        require_role(viewer_access, Role.STEWARD, "decide about another's stream")
    require_role(viewer_access, Role.MEMBER, "decide about streams")
    if stream.parent_id is not None:
        raise InvalidInput(
            f"The thread {stream.name!r} is read by whoever may read the stream it belongs to.",
            hint="Decide about that stream instead.",
        )
    return stream
