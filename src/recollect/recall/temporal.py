"""Temporal modes: only the last sessions, or only the sessions around an event.

A window of time is a filter (``created_after``, ``created_before``), and how something goes over
time is ``trend``.
"""

from dataclasses import dataclass
from typing import Any, Final

from recollect.storage.database import Transaction
from recollect.storage.pages import events
from recollect.storage.search.sessions import StreamSession, sessions_of
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.numbers import shown, whole
from recollect.vocabulary.results import MOST_SESSIONS

#: How many sessions before and after the one of an event are around it.
AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class Temporal:
    """Which sessions a recall is about; with neither, all."""

    last: int | None = None
    around: str | None = None


def temporal_of(last: Any, around: Any) -> Temporal:
    """The mode that was asked for, checked."""
    if last is not None and around is not None:
        raise InvalidInput("Ask for the last sessions or for those around an event, not both.")
    if around is not None and not is_id(around, EVENT):
        raise EventNotFound(f"No event {shown(around)} is visible here.")
    return Temporal(
        None if last is None else whole(last, 1, MOST_SESSIONS, "The last sessions are"), around
    )


def sessions_meant(
    transaction: Transaction, access: Access, temporal: Temporal
) -> tuple[StreamSession, ...] | None:
    """The sessions, oldest first; None where all are meant."""
    if temporal.last is not None:
        return tuple(sessions_of(transaction, access)[-temporal.last :])
    if temporal.around is None:
        return None
    row = events.event_row(transaction, access, temporal.around)
    if row is None:
        raise EventNotFound(f"No event {temporal.around!r} is visible here.")
    ordered = sorted(sessions_of(transaction, access), key=lambda one: (one.start, one.stream_id))
    for place, one in enumerate(ordered):
        if one.stream_id == row.stream_id and one.start <= row.occurred_at <= one.end:
            return tuple(ordered[max(0, place - AROUND) : place + AROUND + 1])
    return ()
