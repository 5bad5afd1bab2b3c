"""Filters of a recall (kinds, fields, sessions), checked, and the slots that pass them.

A single word stands for a set of one. A time window is a filter (``created_after``,
``created_before``); ``last_sessions`` and ``around`` restrict to sessions; the course over time is
``trend``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from recollect.recall.results import CHUNKS
from recollect.recall.state import RecallState
from recollect.storage.database import Transaction
from recollect.storage.memories import reads
from recollect.storage.search.sessions import StreamSession, sessions_of, slots_during
from recollect.vocabulary.arguments import checked_name, choice, flag, fraction, shown, whole
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import aware
from recollect.vocabulary.errors import EventNotFound, InvalidInput
from recollect.vocabulary.ids import EVENT, is_id
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.results import MAX_SESSIONS, Filters

COLLECTIONS: Final = {"memory": "memories", "event": "events", "chunk": "chunks"}
#: Number of sessions before, and after, the session of an event that ``around`` covers.
AROUND: Final = 3


def narrowed(filters: Filters | None, narrow: Mapping[str, Any]) -> Filters:
    """The filters with the ones given as keywords added, all checked."""
    if filters is not None and not isinstance(filters, Filters):
        raise InvalidInput(f"Give filters as Filters, not as {shown(filters)}.")
    values = {} if filters is None else _set_fields(filters)
    for name, value in narrow.items():
        field = _ALIASES.get(name, name)
        if field not in _CHECKS:
            raise InvalidInput(
                f"There is no filter {name!r}.", hint=f"The filters are: {', '.join(_CHECKS)}."
            )
        if value is not None:
            values[field] = value
    if not values:
        return _NOTHING
    return replace(_NOTHING, **{name: _CHECKS[name](value) for name, value in values.items()})


def _set_fields(filters: Filters) -> dict[str, Any]:
    """The fields of a filter that differ from the empty filter."""
    given = {field.name: getattr(filters, field.name) for field in fields(Filters)}
    return {name: value for name, value in given.items() if value != getattr(_NOTHING, name)}


_NOTHING: Final = Filters()

_ALIASES: Final = {
    "type": "types",
    "source": "sources",
    "scope": "scopes",
    "tag": "tags",
    "file": "files",
    "module": "modules",
    "author": "authors",
    "stream": "streams",
}


def _set_of(check: Callable[[Any], str], what: str) -> Callable[[Any], frozenset[str]]:
    def checked(value: Any) -> frozenset[str]:
        if not isinstance(value, Iterable):
            raise InvalidInput(f"Give a {what}, or a list of them, not {shown(value)}.")
        return frozenset(map(check, [value] if isinstance(value, str) else value))

    return checked


def _names(what: str) -> Callable[[Any], frozenset[str]]:
    return _set_of(lambda value: checked_name(value, what), what)


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "types": _set_of(lambda value: choice(MemoryType, value, "type").value, "type"),
    "sources": _set_of(lambda value: choice(Source, value, "source").value, "source"),
    "scopes": _set_of(lambda value: choice(Scope, value, "scope").value, "scope"),
    "tags": _names("tag"),
    "files": _names("file"),
    "modules": _names("module"),
    "authors": _names("author"),
    "streams": _names("stream"),
    "created_after": lambda value: aware(value, "created_after"),
    "created_before": lambda value: aware(value, "created_before"),
    "minimum_confidence": lambda value: fraction(value, "minimum_confidence"),
    "pinned": lambda value: flag(value, "pinned"),
    "needs_review": lambda value: flag(value, "needs_review"),
    "has_code": lambda value: flag(value, "has_code"),
    "archived": lambda value: flag(value, "archived"),
    "superseded": lambda value: flag(value, "superseded"),
    "as_of": lambda value: aware(value, "as_of"),
}


def collections_of(kinds: object, filters: Filters) -> list[str]:
    """The collections to search, among those that the caller named."""
    named = list(kinds) if isinstance(kinds, Iterable) else [kinds]
    unknown = [kind for kind in named if not isinstance(kind, str) or kind not in COLLECTIONS]
    if unknown or not named:
        raise InvalidInput(
            "recall searches memories, events and chunks of code, "
            f"not {shown(unknown[0] if unknown else '')}.",
            hint="Give kinds among: memory, event, chunk.",
        )
    chosen = [COLLECTIONS[kind] for kind in COLLECTIONS if kind in named]
    if filters is _NOTHING:
        return chosen
    return [name for name in chosen if name == "memories" or not _says_nothing(name, filters)]


def _says_nothing(collection: str, filters: Filters) -> bool:
    """Whether a collection has no data that the filters could apply to."""
    if collection == CHUNKS:
        left = replace(filters, files=frozenset(), has_code=filters.has_code is False or None)
        return left != Filters()
    return _only_memories_have(filters)


def _only_memories_have(filters: Filters) -> bool:
    """Whether a filter asks for a field that events do not have."""
    return bool(
        filters.types
        or filters.sources
        or filters.scopes
        or filters.tags
        or filters.files
        or filters.modules
        or filters.minimum_confidence is not None
        or filters.pinned is not None
        or filters.needs_review is not None
        or filters.as_of is not None
    )


def let_through(
    transaction: Transaction, access: Access, collection: str, asked: RecallState, now: int
) -> list[int] | None:
    """The slots that pass the filters; None when there is nothing to filter by."""
    filters, slots = asked.plan.filters, None
    if filters is not _NOTHING and filters != _NOTHING:
        if collection == "memories":
            slots = reads.slots_let_through(transaction, access, filters, now)
        else:
            from recollect.storage.pages import events

            slots = events.slots_let_through(transaction, access, filters)
            if filters.streams and not slots:
                only_streams = Filters(streams=filters.streams)
                if not events.slots_let_through(transaction, access, only_streams):
                    asked.missing.append(_silent(filters.streams))
    if asked.sessions is None:
        return slots
    during = slots_during(transaction, access, collection, asked.sessions)
    return during if slots is None else sorted(set(slots).intersection(during))


def _silent(streams: frozenset[str]) -> str:
    """Tell that streams hold nothing; whether they exist is not told, since they may be hidden."""
    named = ", ".join(shown(name) for name in sorted(streams))
    return f"Nothing that you may see was said on {named}: 'recollect read' lists the streams."


@dataclass(frozen=True, slots=True)
class Temporal:
    """The sessions that a recall is restricted to; all sessions where neither field is set."""

    last: int | None = None
    around: str | None = None


def temporal_of(last: Any, around: Any) -> Temporal:
    """The restriction to sessions that the caller asked for, checked."""
    if last is not None and around is not None:
        raise InvalidInput("Ask for the last sessions or for those around an event, not both.")
    if around is not None and not is_id(around, EVENT):
        raise EventNotFound(f"No event {shown(around)} is visible here.")
    return Temporal(
        None if last is None else whole(last, 1, MAX_SESSIONS, "The last sessions are"), around
    )


def sessions_meant(
    transaction: Transaction, access: Access, temporal: Temporal
) -> tuple[StreamSession, ...] | None:
    """The sessions that a recall is restricted to, oldest first; None for all."""
    if temporal.last is not None:
        return tuple(sessions_of(transaction, access)[-temporal.last :])
    if temporal.around is None:
        return None
    from recollect.storage.pages import events

    row = events.event_row(transaction, access, temporal.around)
    if row is None:
        raise EventNotFound(f"No event {temporal.around!r} is visible here.")
    ordered = sorted(sessions_of(transaction, access), key=lambda one: (one.start, one.stream_id))
    for place, one in enumerate(ordered):
        if one.stream_id == row.stream_id and one.start <= row.occurred_at <= one.end:
            return tuple(ordered[max(0, place - AROUND) : place + AROUND + 1])
    return ()
