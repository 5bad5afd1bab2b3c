"""Filters on memories as SQL: all fields that are set must match."""

from typing import Any

from sqlalchemy import Column, ColumnElement, Select, Table, or_, select

from recollect.storage.code_in_text import holds_code
from recollect.storage.schema import (
    audiences,
    memories,
    memory_files,
    memory_modules,
    memory_tags,
    streams,
)
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.clock import from_microseconds
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.results import Filters


def narrow(query: Select[Any], filters: Filters, now: int) -> Select[Any]:
    """The query with every filter that is set."""
    for condition in (*_listed(filters), *_flags(filters), *_times(filters, now)):
        query = query.where(condition)
    return query


def _listed(filters: Filters) -> list[ColumnElement[bool]]:
    columns: tuple[tuple[frozenset[str], Column[Any]], ...] = (
        (filters.types, memories.c.type),
        (filters.sources, memories.c.source),
        (filters.scopes, memories.c.scope),
        (filters.authors, memories.c.created_by),
    )
    links: tuple[tuple[frozenset[str], Table, str], ...] = (
        (filters.tags, memory_tags, "tag"),
        (filters.files, memory_files, "path"),
        (filters.modules, memory_modules, "module"),
    )
    conditions: list[ColumnElement[bool]] = [
        column.in_(sorted(wanted)) for wanted, column in columns if wanted
    ]
    if filters.streams:
        conditions.append(_on_streams(filters.streams))
    for wanted, table, column in links:
        if wanted:
            linked = select(table.c.memory_id).where(
                table.c.space_id == memories.c.space_id,
                table.c.memory_id == memories.c.memory_id,
                table.c[column].in_(sorted(wanted)),
            )
            conditions.append(linked.exists())
    return conditions


def _on_streams(named: frozenset[str]) -> ColumnElement[bool]:
    """On a stream with one of these ids or names."""
    wanted = sorted(named)
    linked = select(streams.c.stream_id).where(
        streams.c.space_id == memories.c.space_id, streams.c.name.in_(wanted)
    )
    return or_(
        audiences.c.stream_id.in_(wanted), audiences.c.stream_id.in_(linked.correlate(memories))
    )


def _flags(filters: Filters) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [
        memories.c.archived_at.is_not(None)
        if filters.archived
        else memories.c.archived_at.is_(None)
    ]
    if filters.pinned is not None:
        conditions.append(memories.c.pinned.is_(filters.pinned))
    if filters.needs_review is not None:
        conditions.append(memories.c.needs_review.is_(filters.needs_review))
    if filters.has_code is not None:
        conditions.append(holds_code(memories.c.content, filters.has_code))
    if filters.minimum_confidence is not None:
        conditions.append(memories.c.confidence >= filters.minimum_confidence)
    if filters.for_work:
        personal = audiences.c.visibility == Visibility.PERSONAL.value
        conditions.append(or_(~personal, memories.c.type == MemoryType.PREFERENCE.value))
    return conditions


def _times(filters: Filters, now: int) -> list[ColumnElement[bool]]:
    moment = filters.as_of or from_microseconds(now)
    conditions: list[ColumnElement[bool]] = []
    if not (filters.archived or filters.superseded):
        conditions.append(or_(memories.c.valid_to.is_(None), memories.c.valid_to > moment))
    if filters.as_of:
        conditions.append(memories.c.valid_from <= moment)
    if filters.created_after:
        conditions.append(memories.c.created_at >= filters.created_after)
    if filters.created_before:
        conditions.append(memories.c.created_at < filters.created_before)
    return conditions
