"""Conversion between database rows and sync records, in both directions."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from recollect.storage.sync.item_rows import EventRows, StreamRows
from recollect.sync.records import (
    EVENT,
    MEMORY,
    STREAM,
    CurrentValues,
    Stamp,
    SyncRecord,
    TextVersion,
)
from recollect.sync.wire import FIELDS, SETS
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.memory import Counts, Levels, Memory, Provenance, WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.phases import Phase

#: Content of a memory on a server that received its embedding vector but not its text.
TEXT_NOT_SENT: Final = "(The text stays on the device where it was written.)"

_PHASES: Final = frozenset(Phase)
_LEVELS: Final = ("summary", "compressed", "index")
_LEVEL_FIELDS: Final = tuple(one.name for one in fields(Levels))


def memory_values(
    memory: Memory,
    relations: Sequence[Any],
    history: Sequence[Any],
    others: Mapping[Stamp, str],
) -> CurrentValues:
    """Current values of a memory, from its rows."""
    audience, origin, unit = memory.audience, memory.provenance, memory.work_unit
    levels = [getattr(memory.levels, name) for name in _LEVEL_FIELDS]
    counts = memory.counts
    times, author = _times(history)
    return CurrentValues(
        MEMORY,
        memory.id,
        _without_empty(
            {
                "owner": audience.owner,
                "visibility": audience.visibility.value,
                "team": audience.team,
                "organisation": audience.organisation,
                "stream": audience.stream,
                "source": origin.source.value,
                "created_by": origin.created_by,
                "session_id": origin.session_id,
                "commit": origin.commit,
                "phase": origin.phase,
                "work_unit": unit and [unit.methodology, list(unit.hierarchy), unit.label],
                "supersedes": memory.supersedes,
                "created_at": to_microseconds(memory.created_at),
            }
        ),
        {
            "type": memory.type.value,
            "extras": dict(memory.extras) or None,
            "confidence": memory.confidence,
            "importance": memory.importance,
            "scope": memory.scope.value,
            "citation": memory.citation,
            "half_life_days": memory.half_life_days,
            "valid_from": to_microseconds(memory.valid_from),
            "valid_to": _micros(memory.valid_to),
            "superseded_by": memory.superseded_by,
            "pinned": memory.pinned or None,
            "manually_saved": memory.manually_saved or None,
            "needs_review": memory.needs_review or None,
            "user_verified": memory.user_verified or None,
            "disputed": memory.disputed or None,
            "archived_at": _micros(memory.archived_at),
            "stale_at": _micros(memory.stale_at),
            "levels": levels if any(value is not None for value in levels) else None,
        },
        {
            "tags": list(memory.tags),
            "files": list(memory.files),
            "modules": list(memory.modules),
            "sessions": list(origin.sessions),
            "events": list(origin.events),
            "outside": list(origin.outside),
            "relations": [
                [row.type, row.target_kind, row.target, row.confidence, bool(row.automatic)]
                for row in relations
            ],
        },
        to_microseconds(memory.updated_at),
        TextVersion(memory.content, author or origin.created_by),
        (
            counts.access,
            counts.retrieval,
            counts.citation,
            counts.ignore,
            memory.times_told,
            _micros(memory.last_accessed_at) or 0,
        ),
        times,
        others,
    )


def _times(history: Sequence[Any]) -> tuple[dict[str, int], str | None]:
    """When each field was last changed, and who last changed the content."""
    times: dict[str, int] = {}
    author = None
    for entry in history:
        at = to_microseconds(entry.at)
        for name in entry.changes:
            times["levels" if name in _LEVELS else name] = at
        if "content" in entry.changes:
            author = entry.actor
    return times, author


def memory_of(record: SyncRecord, space_id: str, now: datetime, old: Memory | None) -> Memory:
    """The memory that a record describes, with the revision and the texts that this store has
    already.
    """
    born = record.born
    said: dict[str, Any] = dict.fromkeys(FIELDS[MEMORY])
    said.update((name, one.value) for name, one in record.fields.items())
    unit = born.get("work_unit")
    shown = record.shown
    if shown is not None:
        content = record.texts[shown].text
    else:
        content = TEXT_NOT_SENT if old is None else old.content
    elements = {name: tuple(ordered(record, name)) for name in SETS[MEMORY]}
    return Memory(
        id=record.id,
        space_id=space_id,
        type=MemoryType(said["type"]),
        content=content,
        confidence=float(said["confidence"]),
        importance=float(said["importance"]),
        audience=Audience(
            born["owner"],
            Visibility(born["visibility"]),
            born.get("team"),
            born.get("organisation"),
            born.get("stream"),
        ),
        provenance=Provenance(
            Source(born["source"]),
            born["created_by"],
            born.get("session_id"),
            elements["sessions"],
            elements["events"],
            born.get("commit"),
            elements["outside"],
            _phase(born.get("phase")),
        ),
        created_at=from_microseconds(born["created_at"]),
        updated_at=now,
        valid_from=from_microseconds(said["valid_from"]),
        valid_to=_moment(said["valid_to"]),
        scope=Scope(said["scope"]),
        tags=elements["tags"],
        files=elements["files"],
        modules=elements["modules"],
        levels=Levels(*said["levels"]) if said["levels"] else Levels(),
        work_unit=None if unit is None else WorkUnit(unit[0], tuple(unit[1]), unit[2]),
        extras=said["extras"] or {},
        citation=said["citation"],
        half_life_days=said["half_life_days"],
        supersedes=born.get("supersedes"),
        superseded_by=said["superseded_by"],
        pinned=bool(said["pinned"]),
        manually_saved=bool(said["manually_saved"]),
        needs_review=bool(said["needs_review"]),
        user_verified=bool(said["user_verified"]),
        disputed=bool(said["disputed"]),
        archived_at=_moment(said["archived_at"]),
        stale_at=_moment(said["stale_at"]),
        last_accessed_at=_moment(record.used_at or None),
        counts=Counts(*(record.total(place) for place in range(4))),
        revision=1 if old is None else old.revision + 1,
        times_told=max(1, record.total(4)),
    )


def _phase(value: object) -> Phase | None:
    """The phase of a record; one that a newer version names is unknown here."""
    return Phase(str(value)) if value in _PHASES else None


def ordered(record: SyncRecord, name: str) -> list[Any]:
    """The elements of a set in an order that is the same on every machine."""
    there = [one for one in record.sets.get(name, {}).values() if one.present]
    if len(there) < 2:
        return [one.value for one in there]
    return [one.value for one in sorted(there, key=lambda one: (one.stamp, str(one.value)))]


def relations_in(record: SyncRecord) -> dict[tuple[str, ...], tuple[float, bool]]:
    """Confidence and kind of each relation, by type, target kind and target; the latest counts."""
    return {
        (str(type), str(kind), str(target)): (float(confidence), bool(automatic))
        for type, kind, target, confidence, automatic in ordered(record, "relations")
    }


def event_values(rows: EventRows) -> CurrentValues:
    """Current values of an event, from its rows."""
    event = rows.event
    changed = event.edited_at or event.recorded_at
    return CurrentValues(
        EVENT,
        event.event_id,
        _without_empty(
            {
                "stream": event.stream_id,
                "kind": event.kind,
                "author": event.author,
                "occurred_at": to_microseconds(event.occurred_at),
                "recorded_at": to_microseconds(event.recorded_at),
                "reply_to": event.reply_to,
            }
        ),
        {
            "text": event.text,
            "payload": dict(event.payload) or None,
            "edited_at": _micros(event.edited_at),
        },
        {
            "reactions": [
                [row.user_id, row.emoji, to_microseconds(row.at)] for row in rows.reactions
            ],
            "revisions": [
                [to_microseconds(row.at), row.editor, row.text] for row in rows.revisions
            ],
        },
        to_microseconds(changed),
        field_times={
            "reactions": max((to_microseconds(row.at) for row in rows.reactions), default=0)
        },
    )


def stream_values(rows: StreamRows, name: str, now: int) -> CurrentValues:
    """Current values of a stream, from its rows."""
    stream = rows.stream
    return CurrentValues(
        STREAM,
        stream.stream_id,
        _without_empty(
            {
                "kind": stream.kind,
                "name": name,
                "owner": stream.owner,
                "parent": stream.parent_id,
                "created_at": to_microseconds(stream.created_at),
            }
        ),
        {"access": stream.access, "purpose": stream.purpose},
        {"members": [[row.user_id, to_microseconds(row.added_at)] for row in rows.members]},
        now,
    )


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
    """The immutable fields of an item, without those that are empty."""
    return {name: value for name, value in values.items() if value is not None}


def _micros(value: datetime | None) -> int | None:
    return None if value is None else to_microseconds(value)


def _moment(value: int | None) -> datetime | None:
    return None if value is None else from_microseconds(value)
