"""Prepares an event before its transaction: cleans it, gives it an id, analyses and embeds it."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from recollect.index.indexer import Indexed, Indexer
from recollect.pages.value import is_trivial
from recollect.trust.fence import without_fenced
from recollect.trust.origins import origin_of
from recollect.trust.prompt_injection import suspicion
from recollect.trust.secrets import holds_secret, redacted, redacted_values
from recollect.vocabulary.arguments import (
    EVENT_LIMIT,
    NAME_LIMIT,
    choice,
    refuse_unknown,
    repaired_text,
    shown,
)
from recollect.vocabulary.clock import aware, from_microseconds, to_microseconds
from recollect.vocabulary.errors import EventNotFound, InvalidInput, InvalidText
from recollect.vocabulary.events import EventKind, NewEvent
from recollect.vocabulary.ids import EVENT, derived_id, is_id, new_id
from recollect.vocabulary.json_depth import refuse_too_deep

_EPOCH: Final = from_microseconds(0)
_AUTHORS_KEPT: Final = 256
_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
).encode


class EventInput(Protocol):
    """Input for one event: a ``NewEvent``, or an importer's lighter record."""

    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> EventKind: ...
    @property
    def author(self) -> str | None: ...
    @property
    def occurred_at(self) -> datetime | None: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...
    @property
    def reply_to(self) -> str | None: ...
    @property
    def external_id(self) -> str | None: ...


class PreparedEvent(NamedTuple):
    """Everything that the transaction needs of one event."""

    id: str
    stream_id: str
    kind: str
    author: str
    text: str
    payload: str | None
    reply_to: str | None
    occurred_at: int
    recorded_at: int
    origin: str | None = None
    suspect: str | None = None
    indexed: Indexed | None = None


def event_of(text: str, fields: Mapping[str, Any]) -> NewEvent:
    """Event from named values; an unknown name is an error."""
    refuse_unknown(fields, NewEvent.__dataclass_fields__, "An event")
    return NewEvent(text, **fields)


def prepare(event: EventInput, stream_id: str, author: str, now: datetime) -> PreparedEvent:
    """Check and clean one event; an error says what is wrong."""
    text = event.text
    if not isinstance(text, str):
        raise InvalidText(f"The text of an event must be text, not {type(text).__name__}.")
    if len(text) > EVENT_LIMIT:
        raise InvalidText(
            f"The event has {len(text):,} characters; at most {EVENT_LIMIT:,} are kept."
        )
    if not text and not event.payload:
        raise InvalidText("The event is empty: it has neither text nor payload.")
    occurred = now if event.occurred_at is None else aware(event.occurred_at, "occurred_at")
    shown = event.payload
    payload = None if shown == {} else _encoded(shown)
    words = repaired_text(text)
    if holds_secret((words, shown)):  # all is searched at once, as few events hold any
        words = redacted(words)
        if payload is not None:
            payload, shown = _without_secrets(payload, shown)
    origin, suspect = outside_mark(shown, text)
    return PreparedEvent(
        _id(event, stream_id, occurred),
        stream_id,
        _kind(event.kind),
        _author(author if event.author is None else event.author),
        words,
        payload,
        _answered(event.reply_to),
        to_microseconds(occurred),
        to_microseconds(now),
        origin,
        suspect,
    )


def outside_mark(payload: Mapping[str, Any], text: str) -> tuple[str | None, str | None]:
    """Mark of words from outside, and the reasons why they are suspect; None for neither."""
    origin = origin_of(payload) if payload else None
    if origin is None:
        return None, None
    return origin, "; ".join(suspicion(text, outside=True)) or None


def index_all(events: Sequence[PreparedEvent], indexer: Indexer) -> list[PreparedEvent]:
    """The events with their index entries. An event without words is stored but not indexed, and so
    is one from outside that gives instructions. Text that recall had served is not indexed, and a
    trivial text is found by its words alone."""
    texts = [without_fenced(event.text) for event in events]
    return [
        PreparedEvent(*event[:-1], worded(text, indexed))
        if indexed.length and not event.suspect
        else event
        for event, text, indexed in zip(events, texts, indexer.index(texts, texts), strict=True)
    ]


def worded(text: str, indexed: Indexed) -> Indexed:
    """Index entry of a text; a trivial text gets no vector."""
    return indexed._replace(vector=None) if is_trivial(text) else indexed


def moved_to_stream(prepared: PreparedEvent, event: NewEvent, stream_id: str) -> PreparedEvent:
    """The same event on another stream; one that its source names gets another id there."""
    identifier = _id(event, stream_id, from_microseconds(prepared.occurred_at))
    return prepared._replace(id=identifier, stream_id=stream_id)


def named_id(stream_id: str, external_id: str, occurred_at: datetime | None) -> str:
    """Id of an event that its source names: always the same, so it can only be written once."""
    if external_id == "":
        raise InvalidText("The external_id is empty.", hint="Leave it out instead.")
    at = _EPOCH if occurred_at is None else occurred_at
    return derived_id(EVENT, at, stream_id, repaired_text(external_id, "external_id"))


def _id(event: EventInput, stream_id: str, occurred: datetime) -> str:
    if event.external_id is None:
        return new_id(EVENT, occurred)
    return named_id(stream_id, event.external_id, occurred if event.occurred_at else None)


def _kind(kind: EventKind) -> str:
    return (
        kind._value_ if type(kind) is EventKind else choice(EventKind, kind, "kind of event").value
    )


def _answered(event_id: str | None) -> str | None:
    if event_id is not None and not is_id(event_id, EVENT):
        raise EventNotFound(f"No event {shown(event_id)} is visible here to reply to.")
    return event_id


def _author(author: str) -> str:
    """The name of an author as it is kept; the same few come again and again."""
    return _cleaned_author(author) if type(author) is str else _checked_author(author)


def _checked_author(author: str) -> str:
    cleaned = redacted(repaired_text(author, "author").strip())
    if not cleaned or len(cleaned) > NAME_LIMIT:
        raise InvalidText(f"An author's name has 1 to {NAME_LIMIT} characters.")
    return cleaned


_cleaned_author: Final = lru_cache(_AUTHORS_KEPT)(_checked_author)


def _encoded(payload: Mapping[str, Any]) -> str:
    """The payload as JSON with sorted string keys."""
    if not isinstance(payload, dict | Mapping):
        raise InvalidInput(f"The payload must be a JSON object, not {type(payload).__name__}.")
    refuse_too_deep(payload, "payload")
    try:
        try:
            encoded = repaired_text(_encode(payload))
        except TypeError:
            encoded = repaired_text(_encode(json.loads(json.dumps(payload))))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"The payload cannot be kept as JSON: {error}.") from None
    if len(encoded) > EVENT_LIMIT:
        raise InvalidInput(
            f"The payload has {len(encoded):,} characters; at most {EVENT_LIMIT:,} are kept."
        )
    return encoded


def _without_secrets(encoded: str, payload: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The payload as it is stored, as JSON and as the value from which alone its origin may be
    read."""
    if not holds_secret(payload):
        return encoded, payload
    clean = redacted_values(json.loads(encoded))
    return _encode(clean), clean
