"""A store as one replica: captures local changes as records, and merges records from others.

``capture`` turns noted row changes into records with stamps; ``outgoing`` reads records to send;
``take`` merges received records and writes the result. Each runs inside one system transaction, so
a process that dies leaves either all of a page or nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from recollect.index.indexer import Indexed, Indexer
from recollect.memories.inserter import searched_words
from recollect.memories.writer import MemoryWriter
from recollect.storage.memories import reads
from recollect.storage.pages import streams as stream_table
from recollect.storage.space_clock import tick
from recollect.storage.sync import item_rows, items
from recollect.sync import conversions
from recollect.sync.records import (
    EVENT,
    KINDS,
    MEMORY,
    STREAM,
    CurrentValues,
    SyncRecord,
    erased_record,
    merge,
    observe,
    read_stamp,
    stamp_after,
)
from recollect.sync.replica_writer import (
    PageResult,
    PageWrite,
    PreparedMemory,
    RefusedRecord,
    ReplicaWriter,
    SyncedSpace,
)
from recollect.sync.wire import decoded_state, state_of
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory

#: Returns the record to store, or the reason for refusal. Given the local, the received and the
#: merged record.
Judge = Callable[[SyncRecord | None, SyncRecord, SyncRecord], SyncRecord | str]

PAGE: Final = 500
#: For more records than this it pays to load the faster bulk scanner.
FEW_RECORDS: Final = 50


@dataclass(frozen=True, slots=True)
class Incoming:
    """Received records, their sender, and how far the sender is trusted."""

    records: Sequence[SyncRecord]
    peer: str
    #: User who is recorded as the author of the changes.
    by: str
    judge: Judge | None = None
    prepared: Mapping[str, PreparedMemory] = field(default_factory=dict)
    #: The only device whose counts are accepted; None for all.
    counts_of: str | None = None
    #: Whether the records replace what is here instead of being merged.
    force: bool = False


class _StoredItems(NamedTuple):
    """What this store has of some items of one kind."""

    kind: str
    rows: Mapping[str, Any]
    values: Mapping[str, CurrentValues]
    gone: frozenset[str] = frozenset()

    def known(self, item_id: str) -> SyncRecord | None:
        row = self.rows.get(item_id)
        return None if row is None else decoded_state(row.state)

    def record(self, item_id: str, device: str, now: int) -> SyncRecord | None:
        """The record of an item; None if it is gone and was never recorded."""
        values, known = self.values.get(item_id), self.known(item_id)
        if known is not None and known.erased:
            return known
        if values is not None and item_id not in self.gone:
            return observe(known, values, device)
        if known is None:
            return None
        return erased_record(self.kind, item_id, stamp_after(now, known.latest, device))


def _without_levels(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state without the entries about shorter forms of a memory."""
    state_kept = {**state}
    for part in ("fields", "stamps"):
        state_kept[part] = {
            name: one for name, one in state.get(part, {}).items() if name != "levels"
        }
    return state_kept


class Replica:
    """The sync records of one store."""

    def __init__(
        self, rows: ReplicaWriter, writer: MemoryWriter, indexer: Indexer, clock: Clock
    ) -> None:
        self._rows = rows
        self._writer = writer
        self._indexer = indexer
        self._clock = clock

    # --- local changes ----------------------------------------------------------------------------

    def capture(self, where: SyncedSpace, most: int) -> PageResult:
        """Capture up to ``most`` changed items as records."""
        page = PageResult()
        found = items.pending_changes(where.transaction, where.space_id, most)
        for kind in KINDS:
            self._capture_these(where, kind, [id for one, id in found if one == kind], page)
        return page

    def count_changed(self, where: SyncedSpace, most: int) -> int:
        """How many of the items touched since the last sync differ from what was sent.

        The shorter forms of a memory, which a job writes, are sent with the next sync; no person
        changed anything, so they do not count as waiting.
        """
        found = items.pending_changes(where.transaction, where.space_id, most)
        if len(found) == most:  # too many to compare each
            return items.count_pending(where.transaction, where.space_id)
        now, count = to_microseconds(self._clock()), 0
        for kind in KINDS:
            ids = [id for one, id in found if one == kind]
            here = self._stored_items(where, kind, ids, history=True)
            for item_id in ids:
                row, record = here.rows.get(item_id), here.record(item_id, where.device, now)
                if record is not None:
                    known = None if row is None else _without_levels(row.state)
                    count += known != _without_levels(state_of(record))
        return count

    def capture_one(self, where: SyncedSpace, kind: str, item_id: str) -> None:
        """Capture one item, if it changed."""
        if items.pending_among(where.transaction, where.space_id, kind, [item_id]):
            self._capture_these(where, kind, [item_id], PageResult())

    def _capture_these(
        self, where: SyncedSpace, kind: str, ids: Sequence[str], page: PageResult
    ) -> None:
        if not ids:
            return
        here = self._stored_items(where, kind, ids, history=True)
        now = to_microseconds(self._clock())
        changed: list[tuple[Any, str, dict[str, Any]]] = []
        returned: list[str] = []
        for item_id in ids:
            row, record = here.rows.get(item_id), here.record(item_id, where.device, now)
            if record is None:
                continue
            page.captured[kind, item_id] = record
            if record.erased and row is not None and "erased" in row.state:
                if item_id in here.values and item_id not in here.gone:
                    returned.append(item_id)
                continue
            state = state_of(record)
            if row is None or row.state != state:
                changed.append((row, item_id, state))
        self._rows.erase(where, kind, returned, page)
        if changed:
            _, first = tick(where.transaction, where.space_id, len(changed))
            items.put_items(
                where.transaction,
                where.space_id,
                [
                    items.ItemRow(
                        kind,
                        item_id,
                        version,
                        None,
                        None if row is None else row.shared_with,
                        items.as_state(state),
                    )
                    for version, (row, item_id, state) in enumerate(changed, first)
                ],
            )
        page.changed += len(changed)
        items.clear_pending(where.transaction, where.space_id, kind, ids)

    # --- outgoing records -------------------------------------------------------------------------

    def outgoing(
        self,
        where: SyncedSpace,
        rows: Iterable[Any],
        captured: Mapping[tuple[str, str], SyncRecord] = MappingProxyType({}),
    ) -> list[SyncRecord]:
        """The records of rows of ``sync_items``, with their values, in the order of their kinds;
        those that were captured in this transaction are not read again.
        """
        wanted = list(rows)
        now = to_microseconds(self._clock())
        found: list[SyncRecord] = []
        for kind in KINDS:
            of_kind = {row.item_id: row for row in wanted if row.kind == kind}
            unread = [item_id for item_id in of_kind if (kind, item_id) not in captured]
            here = self._stored_items(where, kind, unread, rows=of_kind)
            for item_id in of_kind:
                ready = captured.get((kind, item_id))
                record = here.record(item_id, where.device, now) if ready is None else ready
                if record is not None:
                    found.append(record)
        return found

    def _stored_items(
        self,
        where: SyncedSpace,
        kind: str,
        ids: Sequence[str],
        *,
        rows: Mapping[str, Any] | None = None,
        history: bool = False,
    ) -> _StoredItems:
        """Rows of some items. With ``history``, also when each field was changed, which is needed
        to detect changes.
        """
        if not ids:
            return _StoredItems(kind, {}, {})
        transaction, space_id, _ = where
        if rows is None:
            rows = items.items_of(transaction, space_id, kind, ids)
        if kind == MEMORY:
            # A new item has one stamp for everything, so its history is not needed.
            known = [one for one in ids if one in rows] if history else []
            return _StoredItems(kind, rows, self._memories(where, ids, rows, known))
        if kind == EVENT:
            found = item_rows.event_rows(transaction, space_id, ids)
            gone = {id for id, one in found.items() if one.event.deleted_at is not None}
            values = {id: conversions.event_values(one) for id, one in found.items()}
            return _StoredItems(kind, rows, values, frozenset(gone))
        now = to_microseconds(self._clock())
        homes = {
            id: conversions.stream_values(one, stream_table.plain_name(one.stream.name), now)
            for id, one in item_rows.stream_rows(transaction, space_id, ids).items()
        }
        return _StoredItems(kind, rows, homes)

    @staticmethod
    def _memories(
        where: SyncedSpace, ids: Sequence[str], rows: Mapping[str, Any], known: Sequence[str]
    ) -> dict[str, CurrentValues]:
        transaction, space_id, _ = where
        relations = item_rows.relation_rows(transaction, space_id, ids)
        histories = item_rows.history_rows(transaction, space_id, known)
        torn = [id for id, row in rows.items() if len(row.state.get("texts", ())) > 1]
        others = items.texts_of(transaction, space_id, torn) if torn else {}
        return {
            memory.id: conversions.memory_values(
                memory,
                relations.get(memory.id, ()),
                histories.get(memory.id, ()),
                {read_stamp(at): text for at, text in others.get(memory.id, {}).items()},
            )
            for memory in reads.memories_for_jobs(transaction, space_id, ids)
        }

    # --- incoming records -------------------------------------------------------------------------

    def prepare(
        self,
        space_id: str,
        records: Iterable[SyncRecord],
        vectors: Mapping[str, bytes] | None = None,
    ) -> dict[str, PreparedMemory]:
        """Build received memories and their index entries, which is slow, so before the
        transaction. ``vectors`` are the embeddings of those that came without text. What cannot be
        built into a memory is left for the judge to refuse.
        """
        made = [
            (record, memory)
            for record in records
            if (memory := self._memory_in(record, space_id)) is not None
        ]
        memories = [memory for _, memory in made]
        given = vectors or {}
        length = 2 * self._indexer.model.dims if given else 0  # half precision
        fitting = {id: vector for id, vector in given.items() if len(vector) == length}
        return {
            memory.id: PreparedMemory(
                record,
                memory,
                searched_words(memory),
                Indexed("", 0, fitting[memory.id], kept.summary) if memory.id in fitting else kept,
            )
            for (record, memory), kept in zip(made, self._writer.indexed_all(memories), strict=True)
        }

    def _memory_in(self, record: SyncRecord, space_id: str) -> Memory | None:
        if record.kind != MEMORY or record.erased:
            return None
        try:
            return conversions.memory_of(record, space_id, self._clock(), None)
        except (ValueError, KeyError, TypeError, AttributeError, InvalidInput):
            return None

    def take(self, where: SyncedSpace, incoming: Incoming) -> PageResult:
        """Merge received records into this store."""
        page = PageResult()
        write = PageWrite(where, page, incoming.prepared, incoming.by)
        for kind, some in _groups(incoming.records):
            ids = list(some)
            noted = items.pending_among(where.transaction, where.space_id, kind, ids)
            self._capture_these(where, kind, [id for id in ids if id in noted], page)
            rows = items.items_of(where.transaction, where.space_id, kind, ids)
            mine = {one.id: one for one in self.outgoing(where, rows.values())}
            kept = _merged(incoming, mine, some, page)
            done = self._rows.write(write, kind, [(mine.get(one.id), one) for one, _ in kept])
            self._keep(where, [pair for pair in kept if pair[0].id in done], incoming.peer)
            page.changed += len(done)
            items.clear_pending(where.transaction, where.space_id, kind, ids)
        return page

    @staticmethod
    def _keep(where: SyncedSpace, kept: Sequence[tuple[SyncRecord, SyncRecord]], peer: str) -> None:
        """Store the new state of items, and whether the peer has exactly this state."""
        if not kept:
            return
        _, first = tick(where.transaction, where.space_id, len(kept))
        items.put_items(
            where.transaction,
            where.space_id,
            [
                items.ItemRow(
                    merged.kind,
                    merged.id,
                    version,
                    peer if merged == theirs else None,
                    peer,
                    items.as_state(state_of(merged)),
                )
                for version, (merged, theirs) in enumerate(kept, first)
            ],
        )

    def settle_conflict(self, where: SyncedSpace, record: SyncRecord, *, by: str) -> None:
        """Write a record whose conflict a person resolved here; the next sync sends it to all
        peers.
        """
        transaction, space_id, _ = where
        row = items.items_of(transaction, space_id, MEMORY, [record.id])[record.id]
        (old,) = self.outgoing(where, [row])
        self._rows.write(PageWrite(where, PageResult(), {}, by), MEMORY, [(old, record)])
        _, version = tick(transaction, space_id)
        state = items.as_state(state_of(record))
        new = items.ItemRow(MEMORY, record.id, version, None, row.shared_with, state)
        items.put_items(transaction, space_id, [new])
        items.clear_pending(transaction, space_id, MEMORY, [record.id])


def _groups(records: Iterable[SyncRecord]) -> list[tuple[str, dict[str, SyncRecord]]]:
    """Records by kind, each after those it refers to: a thread after its channel."""
    groups: dict[tuple[str, bool], dict[str, SyncRecord]] = {}
    for record in records:
        part = record.kind == STREAM and record.born.get("parent") is not None
        groups.setdefault((record.kind, part), {})[record.id] = record
    order = sorted(groups, key=lambda key: (KINDS.index(key[0]), key[1]))
    return [(key[0], groups[key]) for key in order]


def _merged(
    incoming: Incoming,
    mine: Mapping[str, SyncRecord],
    some: Mapping[str, SyncRecord],
    page: PageResult,
) -> list[tuple[SyncRecord, SyncRecord]]:
    """Merged records, each with the received record, where the merge changes anything."""
    kept: list[tuple[SyncRecord, SyncRecord]] = []
    for id, theirs in some.items():
        local = mine.get(id)
        if local is None and theirs.erased:
            continue  # nothing is here to erase
        sent = _own_counts(theirs, incoming.counts_of)
        merged = sent if local is None or incoming.force else merge(local, sent)
        taken = merged if incoming.judge is None else incoming.judge(local, theirs, merged)
        if isinstance(taken, str):
            page.refused.append(RefusedRecord(theirs.kind, id, taken))
        elif taken != local:
            kept.append((taken, theirs))
    return kept


def _own_counts(record: SyncRecord, device: str | None) -> SyncRecord:
    if device is None or record.counts.keys() <= {device}:
        return record
    return replace(
        record, counts={one: counted for one, counted in record.counts.items() if one == device}
    )
