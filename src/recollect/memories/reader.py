"""Reads memories: single ones, lists, their history, and their state at an earlier time."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from recollect.memories.short_forms import derived_forms
from recollect.memories.writer import found
from recollect.storage import unreadable_rows
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads, relations
from recollect.storage.pages import events
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, aware, to_microseconds
from recollect.vocabulary.errors import EventNotFound, InvalidInput, MemoryNotFound
from recollect.vocabulary.ids import EVENT, MEMORY, is_id
from recollect.vocabulary.memory import HistoryEntry, Levels, Memory, Relation
from recollect.vocabulary.memory_types import ListOrder, MemoryType, Scope
from recollect.vocabulary.pagination import PAGE_LIMIT, Page, check_page, page_of
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

_STARTS: Final = re.compile(r"m(e(m(_[0-9a-z]{0,25})?)?)?\Z")
_ENDS: Final = re.compile(r"[0-9a-hjkmnp-tv-z]{6,25}\Z")


class MemoryReader:
    """Read operations on memories."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def get(
        self, viewer: Viewer, space: Space, memory_id: str, as_of: datetime | None = None
    ) -> Memory:
        """One memory, as it is or as it was at a time."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            memory = found(transaction, access, memory_id)
            if as_of is None:
                return memory
            moment = aware(as_of, "as_of")
            if moment < memory.created_at:
                raise MemoryNotFound(f"{memory_id} did not exist yet at {moment.isoformat()}.")
            return as_it_stood(memory, reads.history_of(transaction, memory), moment)

    def complete_id(self, viewer: Viewer, space: Space, start: str) -> str:
        """Full id of the only visible memory whose id begins or ends with the given part."""
        if is_id(start, MEMORY):
            return start
        tail = _is_end(start)
        if not tail and not _is_start(start):
            raise MemoryNotFound(f"No memory {shown(start)} is visible here.")
        look_up = reads.ids_ending_with if tail else reads.ids_starting_with
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            ids = look_up(transaction, access, start, 2)
        if not ids:
            raise MemoryNotFound(f"No memory {start!r} is visible here.")
        if len(ids) > 1:
            side = "ends" if tail else "begins"
            raise InvalidInput(f"More than one id {side} with {start!r}.", hint="Type more of it.")
        return ids[0]

    def list(
        self,
        viewer: Viewer,
        space: Space,
        filters: Filters,
        *,
        cursor: str | None,
        limit: int,
        order: ListOrder = ListOrder.NEWEST,
    ) -> Page[Memory]:
        """Page of memories in an order; the cursor is the last memory of the previous page."""
        check_page(cursor, limit, MEMORY)
        now = to_microseconds(self._clock())
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            found_ones = reads.list_memories(
                transaction,
                access,
                filters,
                now=now,
                before=cursor,
                limit=limit + 1,
                order=order,
            )
            if filters.as_of is not None:
                found_ones = all_as_they_stood(transaction, found_ones, filters.as_of)
        return page_of(found_ones, limit)

    def surviving(self, viewer: Viewer, space: Space) -> tuple[Sequence[str], Sequence[str]]:
        """Ids of readable visible memories, newest first, and ids of unreadable ones."""
        kept: list[str] = []
        bad: list[str] = []
        with self._database.reading() as transaction:
            ids = unreadable_rows.memory_ids(transaction, authorise(transaction, viewer, space))

        def read(some: Sequence[str]) -> dict[str, Memory]:
            with self._database.reading() as transaction:
                return reads.get_memories(transaction, authorise(transaction, viewer, space), some)

        for start in range(0, len(ids), PAGE_LIMIT):
            found_ones, unread = unreadable_rows.readable(read, ids[start : start + PAGE_LIMIT])
            kept += [one for one in ids[start : start + PAGE_LIMIT] if one in found_ones]
            bad += unread
        return kept, bad

    def history(self, viewer: Viewer, space: Space, memory_id: str) -> tuple[HistoryEntry, ...]:
        """Changes of a memory, oldest first, without the short forms generated after a change."""
        with self._database.reading() as transaction:
            memory = found(transaction, authorise(transaction, viewer, space), memory_id)
            changes = reads.history_of(transaction, memory)
        return tuple(_without_derived(entry, memory) for entry in changes)

    def is_entry(self, viewer: Viewer, space: Space, memory_id: str) -> bool:
        """Whether a memory is an entry that an assistant keeps for the viewer."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return bool(entries.rows_of(transaction, access, [memory_id]))

    def relations(self, viewer: Viewer, space: Space, memory_id: str) -> tuple[Relation, ...]:
        """Relations from or to a memory whose other end is visible too."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            memory = found(transaction, access, memory_id)
            found_relations = relations.relations_of(transaction, memory)
            ends = {relation.source_id for relation in found_relations}
            ends |= {relation.target_id for relation in found_relations if relation.target_id}
            visible = reads.get_memories(transaction, access, sorted(ends))
        return tuple(
            relation
            for relation in found_relations
            if relation.source_id in visible
            and (relation.target_id is None or relation.target_id in visible)
        )

    def pointing_at(self, viewer: Viewer, space: Space, event_id: str) -> tuple[Memory, ...]:
        """The memories that refer to an event."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            if not is_id(event_id, EVENT) or not events.get_events(transaction, access, [event_id]):
                raise EventNotFound(f"No event {shown(event_id)} is visible here.")
            return tuple(reads.pointing_at(transaction, access, event_id))


def _is_end(text: object) -> bool:
    return isinstance(text, str) and _ENDS.match(text) is not None


def _is_start(text: object) -> bool:
    return isinstance(text, str) and _STARTS.match(text) is not None


def as_it_stood(memory: Memory, history: Iterable[HistoryEntry], moment: datetime) -> Memory:
    """The memory with every change after the moment undone."""
    for entry in sorted(history, key=lambda entry: entry.revision, reverse=True):
        if entry.at <= moment:
            break
        before = {name: old for name, (old, _) in entry.changes.items()}
        memory = replace(_before_change(memory, before), revision=entry.revision - 1)
    return memory


def all_as_they_stood(
    transaction: Transaction, memories: Iterable[Memory], moment: datetime
) -> list[Memory]:
    """The memories, each as it was at the moment. One that was told later is about that time, and
    stays as it is."""
    known = list(memories)
    told = [one.id for one in known if one.created_at <= moment < one.updated_at]
    if not told:
        return known
    histories = reads.histories_of(transaction, known[0].space_id, told)
    return [as_it_stood(one, histories.get(one.id, ()), moment) for one in known]


_TIMES: Final = ("stale_at", "valid_from", "valid_to", "archived_at")
_LEVELS: Final = ("summary", "compressed", "index")
_LISTS: Final = ("tags", "files", "modules")


def _before_change(memory: Memory, before: dict[str, Any]) -> Memory:
    values: dict[str, Any] = {}
    for name, old in before.items():
        if name in _TIMES:
            values[name] = None if old is None else datetime.fromisoformat(old)
        elif name in _LISTS:
            values[name] = tuple(old)
        elif name == "type":
            values[name] = MemoryType(old)
        elif name == "scope":
            values[name] = Scope(old)
        elif name not in _LEVELS:
            values[name] = old
    short: dict[str, str | None] = {name: before[name] for name in _LEVELS if name in before}
    if short:
        kept: dict[str, str | None] = {name: getattr(memory.levels, name) for name in _LEVELS}
        kept.update(short)
        values["levels"] = Levels(kept["summary"], kept["compressed"], kept["index"])
    return replace(memory, **values)


def _without_derived(entry: HistoryEntry, memory: Memory) -> HistoryEntry:
    """A change without the generated short forms, which follow from the content."""
    if "content" not in entry.changes:
        return entry
    derived = [
        derived_forms(content, memory.type, memory.extras) for content in entry.changes["content"]
    ]
    own_changes = {
        name: values
        for name, values in entry.changes.items()
        if any(
            value and value != forms.get(name) for value, forms in zip(values, derived, strict=True)
        )
        or name not in derived[0]
    }
    return replace(entry, changes=own_changes)
