"""Authors, times and reception of visible messages: who wrote what when, and how it was used."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, func, select, type_coerce

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.schema import (
    event_reactions,
    event_signals,
    events,
    retrieval_items,
    retrievals,
    stream_members,
    streams,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.events import EventKind
from recollect.vocabulary.retrievals import RESEARCH
from recollect.vocabulary.streams import StreamAccess

_MINUTE: Final = 60_000_000  # microseconds


class SpokenEvent(NamedTuple):
    """One visible message: its position, author, time, and whether it asks a question."""

    event_id: str
    slot: int | None
    stream_id: str
    author: str
    at: datetime
    asks: bool


def spoken_events(
    connection: Connection,
    access: Access,
    *,
    since: datetime | None,
    until: datetime | None = None,
    limit: int,
) -> list[SpokenEvent]:
    """The newest visible messages of people to people within a time, oldest first."""
    query = (
        select(
            events.c.event_id,
            events.c.slot,
            events.c.stream_id,
            events.c.author,
            events.c.occurred_at,
            events.c.text.contains("?"),
        )
        .where(
            events.c.space_id == access.space_id,
            events.c.kind == EventKind.MESSAGE.value,
            events.c.deleted_at.is_(None),
            events.c.audience_id.in_(visible_to(access)),
            ~_monologue(),
        )
        .order_by(events.c.occurred_at.desc(), events.c.arrival.desc())
        .limit(limit)
    )
    if since is not None:
        query = query.where(events.c.occurred_at >= since)
    if until is not None:
        query = query.where(events.c.occurred_at <= until)
    found = [SpokenEvent(*row) for row in connection.execute(query)]
    found.reverse()
    return found


def _monologue() -> ColumnElement[bool]:
    """Whether only its owner is in an event's stream, such as a person's chat with an assistant:
    what is said there answers nobody."""
    others = (
        select(stream_members.c.user_id)
        .where(
            stream_members.c.space_id == streams.c.space_id,
            stream_members.c.stream_id == streams.c.stream_id,
            stream_members.c.user_id != streams.c.owner,
        )
        .exists()
    )
    return (
        select(streams.c.stream_id)
        .where(
            streams.c.space_id == events.c.space_id,
            streams.c.stream_id == events.c.stream_id,
            streams.c.access == StreamAccess.PRIVATE.value,
            ~others,
        )
        .exists()
    )


def reactions_on(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, int]:
    """Number of reactions to these events; the caller has checked that they may be read."""
    query = (
        select(event_reactions.c.event_id, func.count())
        .where(event_reactions.c.space_id == access.space_id, event_reactions.c.event_id.in_(ids))
        .group_by(event_reactions.c.event_id)
    )
    return {event: count for event, count in connection.execute(query)} if ids else {}


def verdicts_on(
    connection: Connection, access: Access, ids: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """How often these events were cited, and called helpful."""
    query = select(event_signals.c.event_id, event_signals.c.cited, event_signals.c.helpful).where(
        event_signals.c.space_id == access.space_id,
        event_signals.c.event_id.in_(ids),
        (event_signals.c.cited > 0) | (event_signals.c.helpful > 0),
    )
    return (
        {event: (cited, helpful) for event, cited, helpful in connection.execute(query)}
        if (ids)
        else {}
    )


def unanswered(
    connection: Connection, space_id: str, since: datetime, limit: int
) -> list[tuple[str, datetime, str]]:
    """Questions of the log that found nothing, newest first: what, when, and by whom.

    The panel puts one question to several rooms. What one of them answered is no gap, and what none
    did is one, however many looked.
    """
    served = (
        select(retrieval_items.c.retrieval_id)
        .where(
            retrieval_items.c.space_id == retrievals.c.space_id,
            retrieval_items.c.retrieval_id == retrievals.c.retrieval_id,
        )
        .exists()
    )
    query = (
        select(retrievals.c.query, retrievals.c.at, retrievals.c.user_id)
        .where(
            retrievals.c.space_id == space_id,
            retrievals.c.at >= since,
            ~served,
            ~_answered_in_thread(),
        )
        .order_by(retrievals.c.at.desc())
        .limit(limit)
    )
    return [(words, at, user) for words, at, user in connection.execute(query)]


def _answered_in_thread() -> ColumnElement[bool]:
    """Whether the same person put the same words to another room within a minute, which answered;
    or researched them, which is the row that counts."""
    other = retrievals.alias("other")
    here, there = (type_coerce(table.c.at, BigInteger) for table in (retrievals, other))
    gave = (
        select(retrieval_items.c.retrieval_id)
        .where(
            retrieval_items.c.space_id == other.c.space_id,
            retrieval_items.c.retrieval_id == other.c.retrieval_id,
        )
        .exists()
    )
    return (
        select(other.c.retrieval_id)
        .where(
            other.c.space_id == retrievals.c.space_id,
            other.c.user_id == retrievals.c.user_id,
            other.c.query == retrievals.c.query,
            other.c.profile != retrievals.c.profile,
            there.between(here - _MINUTE, here + _MINUTE),
            (other.c.profile == RESEARCH) | gave,
        )
        .exists()
    )
