"""Mapping between a memory and its row: fields to columns, and linked tables."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Table

from recollect.storage.schema import (
    memories,
    memory_events,
    memory_files,
    memory_modules,
    memory_outside,
    memory_sessions,
    memory_tags,
)
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.memory import Counts, Levels, Memory, Provenance, WorkUnit
from recollect.vocabulary.memory_types import MemoryType, Scope, Source

#: Columns that count how a memory is served; edits of a memory leave them alone.
COUNTED = (
    "last_accessed_at",
    "access_count",
    "retrieval_count",
    "citation_count",
    "ignore_count",
)
#: Columns for the owner of a memory and its place in the index.
_PLACED = ("space_id", "memory_id", "audience_id", "slot")
#: Columns that a new revision writes.
CHANGED = tuple(column.name for column in memories.c if column.name not in (*COUNTED, *_PLACED))

LINKS: dict[str, tuple[Table, str, Callable[[Memory], tuple[str, ...]]]] = {
    "tags": (memory_tags, "tag", lambda memory: memory.tags),
    "files": (memory_files, "path", lambda memory: memory.files),
    "modules": (memory_modules, "module", lambda memory: memory.modules),
    "sessions": (memory_sessions, "session_id", lambda memory: memory.provenance.sessions),
    "events": (memory_events, "event_id", lambda memory: memory.provenance.events),
    "outside": (memory_outside, "origin", lambda memory: memory.provenance.outside),
}


def values_of(memory: Memory) -> dict[str, Any]:
    """The columns of a memory, without those for its owner and its place in the index."""
    levels, provenance, unit, counts = (
        memory.levels,
        memory.provenance,
        memory.work_unit,
        memory.counts,
    )
    return {
        "type": memory.type.value,
        "content": memory.content,
        "summary": levels.summary,
        "compressed": levels.compressed,
        "index_line": levels.index,
        "full_tokens": levels.full_tokens,
        "summary_tokens": levels.summary_tokens,
        "compressed_tokens": levels.compressed_tokens,
        "index_tokens": levels.index_tokens,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "scope": memory.scope.value,
        "source": provenance.source.value,
        "created_by": provenance.created_by,
        "session_id": provenance.session_id,
        "commit_sha": provenance.commit,
        "methodology": unit.methodology if unit else None,
        "work_unit": json.dumps(unit.hierarchy, ensure_ascii=False) if unit else None,
        "work_unit_label": unit.label if unit else None,
        "extras": memory.extras,
        "citation": memory.citation,
        "half_life_days": memory.half_life_days,
        "valid_from": memory.valid_from,
        "valid_to": memory.valid_to,
        "supersedes": memory.supersedes,
        "superseded_by": memory.superseded_by,
        "pinned": memory.pinned,
        "manually_saved": memory.manually_saved,
        "needs_review": memory.needs_review,
        "user_verified": memory.user_verified,
        "disputed": memory.disputed,
        "archived_at": memory.archived_at,
        "stale_at": memory.stale_at,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_accessed_at": memory.last_accessed_at,
        "access_count": counts.access,
        "retrieval_count": counts.retrieval,
        "citation_count": counts.citation,
        "ignore_count": counts.ignore,
        "revision": memory.revision,
        "times_told": memory.times_told,
    }


def memory_from(row: Row[Any], linked: Mapping[str, tuple[str, ...]]) -> Memory:
    """The memory of a row that was joined with its audience."""
    return Memory(
        id=row.memory_id,
        space_id=row.space_id,
        type=MemoryType(row.type),
        content=row.content,
        confidence=row.confidence,
        importance=row.importance,
        audience=_audience(row.owner, row.visibility, row.team, row.organisation, row.stream_id),
        provenance=Provenance(
            source=Source(row.source),
            created_by=row.created_by,
            session_id=row.session_id,
            sessions=linked["sessions"],
            events=linked["events"],
            commit=row.commit_sha,
            outside=linked["outside"],
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        scope=Scope(row.scope),
        tags=linked["tags"],
        files=linked["files"],
        modules=linked["modules"],
        levels=_levels(row),
        work_unit=_work_unit(row),
        extras=row.extras,
        citation=row.citation,
        half_life_days=row.half_life_days,
        supersedes=row.supersedes,
        superseded_by=row.superseded_by,
        pinned=row.pinned,
        manually_saved=row.manually_saved,
        needs_review=row.needs_review,
        user_verified=row.user_verified,
        disputed=row.disputed,
        archived_at=row.archived_at,
        stale_at=row.stale_at,
        last_accessed_at=row.last_accessed_at,
        counts=Counts(row.access_count, row.retrieval_count, row.citation_count, row.ignore_count),
        revision=row.revision,
        times_told=row.times_told,
    )


@lru_cache(1_024)  # many memories have one audience
def _audience(
    owner: str, visibility: str, team: str | None, organisation: str | None, stream: str | None
) -> Audience:
    return Audience(owner, Visibility(visibility), team, organisation, stream)


def _levels(row: Row[Any]) -> Levels:
    return Levels(
        summary=row.summary,
        compressed=row.compressed,
        index=row.index_line,
        full_tokens=row.full_tokens,
        summary_tokens=row.summary_tokens,
        compressed_tokens=row.compressed_tokens,
        index_tokens=row.index_tokens,
    )


def _work_unit(row: Row[Any]) -> WorkUnit | None:
    if row.methodology is None:
        return None
    return WorkUnit(row.methodology, tuple(json.loads(row.work_unit)), row.work_unit_label)
