"""Writes merged sync records into the database: new items, changed items and erasures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from recollect.index.indexer import Indexed, Indexer
from recollect.memories.changes import differences
from recollect.memories.inserter import needs_embedding, searched_words
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.pages.append import append
from recollect.pages.events import Events
from recollect.pages.prepared import PreparedEvent, index_all, outside_mark
from recollect.storage import person_rows
from recollect.storage.access.visibility_filter import audience_id
from recollect.storage.columns import dump
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import streams as stream_table
from recollect.storage.space_clock import tick
from recollect.storage.sync import item_rows, items
from recollect.sync import conversions
from recollect.sync.records import EVENT, MEMORY, STREAM, SyncRecord
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.memory import Action, Levels, Memory
from recollect.vocabulary.streams import Stream, StreamAccess, StreamKind


class RefusedRecord(NamedTuple):
    """A record that was refused, and why."""

    kind: str
    id: str
    reason: str


@dataclass(slots=True)
class PageResult:
    """Result of applying a page of records."""

    changed: int = 0
    refused: list[RefusedRecord] = field(default_factory=list)
    #: Memories that now have more than one content.
    conflicts: list[str] = field(default_factory=list)
    #: Texts and ids of erased items, to be erased from the database files after the transaction.
    erased_texts: list[str] = field(default_factory=list)
    erased_ids: list[str] = field(default_factory=list)
    #: Captured local changes with their texts, in this transaction.
    captured: dict[tuple[str, str], SyncRecord] = field(default_factory=dict)


class SyncedSpace(NamedTuple):
    """A space in a system transaction, and this store's device name in it."""

    transaction: Transaction
    space_id: str
    device: str


class PreparedMemory(NamedTuple):
    """The memory of a record, with its index entry."""

    record: SyncRecord
    memory: Memory
    #: The text that the index entry was made from.
    words: str
    indexed: Indexed


def prepared_memory(
    prepared: Mapping[str, PreparedMemory], record: SyncRecord
) -> PreparedMemory | None:
    """The prepared memory of a record, unless merging changed the record."""
    found = prepared.get(record.id)
    return found if found is not None and found.record is record else None


class PageWrite(NamedTuple):
    """Context of writing a page: the space, the author, and the prepared index entries."""

    where: SyncedSpace
    page: PageResult
    prepared: Mapping[str, PreparedMemory]
    by: str


#: A record as it was here, if any, and as it will be.
Pair = tuple[SyncRecord | None, SyncRecord]


class ReplicaWriter:
    """Writes records into the tables of the packages that own them."""

    def __init__(
        self,
        database: Database,
        writer: MemoryWriter,
        events: Events,
        indexer: Indexer,
        *,
        clock: Clock,
    ) -> None:
        self._database = database
        self._writer = writer
        self._events = events
        self._indexer = indexer
        self._clock = clock

    def write(self, write: PageWrite, kind: str, pairs: Sequence[Pair]) -> set[str]:
        """Write what differs; the ids of the items that now match their records."""
        gone = [new.id for _, new in pairs if new.erased]
        self.erase(write.where, kind, gone, write.page)
        standing = [(old, new) for old, new in pairs if not new.erased]
        writers = {STREAM: self._streams, EVENT: self._event_rows, MEMORY: self._memories}
        return {*gone, *writers[kind](write, standing)}

    def erase(self, where: SyncedSpace, kind: str, ids: Sequence[str], page: PageResult) -> None:
        """Delete items that were erased elsewhere, or were sent again although erased here."""
        if not ids:
            return
        transaction, space_id, _ = where
        if kind == MEMORY:
            for memory in reads.memories_for_jobs(transaction, space_id, ids):
                page.erased_texts += self._writer.remove_within(transaction, memory)
                page.erased_ids.append(memory.id)
        elif kind == EVENT:
            for one in item_rows.event_rows(transaction, space_id, ids).values():
                if one.event.deleted_at is None:
                    page.erased_texts += self._events.erase_row_within(transaction, one.event)
                    page.erased_ids.append(one.event.event_id)
        else:
            self._erase_streams(where, ids, page)

    def _erase_streams(self, where: SyncedSpace, ids: Sequence[str], page: PageResult) -> None:
        """Delete the streams of a deleted person, with everything on them."""
        transaction, space_id, _ = where
        for row in person_rows.events_on(transaction, space_id, ids):
            if row.deleted_at is None:
                page.erased_texts += self._events.erase_row_within(transaction, row)
            page.erased_ids.append(row.event_id)
        found = item_rows.stream_rows(transaction, space_id, ids).values()
        person_rows.delete_streams(transaction, space_id, [one.stream for one in found])

    # --- memories ---------------------------------------------------------------------------------

    def _memories(self, write: PageWrite, pairs: Sequence[Pair]) -> set[str]:
        there = {
            memory.id: memory
            for memory in reads.memories_for_jobs(
                write.where.transaction, write.where.space_id, [new.id for _, new in pairs]
            )
        }
        made: list[Memory] = []
        relation_records: list[SyncRecord] = []
        counts: list[tuple[Any, ...]] = []
        for old, record in pairs:
            memory = there.get(record.id)
            ready = prepared_memory(write.prepared, record) if memory is None else None
            new = (
                conversions.memory_of(record, write.where.space_id, self._clock(), memory)
                if ready is None
                else ready.memory
            )
            if memory is None:
                made.append(new)
            else:
                self._change(write, memory, new)
                counts.append(_counted(new))
            before = {} if old is None else conversions.relations_in(old)
            if conversions.relations_in(record) != before:
                relation_records.append(record)
        self._writer.insert_all(
            write.where.transaction, made, [self._indexed(write, memory) for memory in made]
        )
        for old, record in pairs:
            self._put_texts(write, old, record)
        item_rows.put_counts(write.where.transaction, write.where.space_id, counts)
        for record in relation_records:
            item_rows.put_relations(
                write.where.transaction,
                write.where.space_id,
                record.id,
                conversions.relations_in(record),
            )
        return {record.id for _, record in pairs}

    def _change(self, write: PageWrite, old: Memory, new: Memory) -> None:
        changes = differences(old, new)
        if not changes and old.provenance == new.provenance and old.levels == new.levels:
            return
        if old.levels == new.levels and old.content != new.content:
            forms = self._writer.forms(new.content, Levels(), new.type, new.extras)
            new = replace(new, levels=forms)
        indexed = self._indexed(write, new) if needs_embedding(old, new) else None
        action = Action.UPDATED
        if old.archived != new.archived:
            action = Action.ARCHIVED if new.archived else Action.RESTORED
        elif new.superseded_by and old.superseded_by != new.superseded_by:
            action = Action.SUPERSEDED
        self._writer.replace_within(
            write.where.transaction, MemoryUpdate(old, new, action, indexed), actor=write.by
        )

    def _indexed(self, write: PageWrite, memory: Memory) -> Indexed:
        ready = write.prepared.get(memory.id)
        if ready is not None and (ready.memory is memory or ready.words == searched_words(memory)):
            return ready.indexed
        return self._writer.indexed(memory)

    def _put_texts(self, write: PageWrite, old: SyncRecord | None, record: SyncRecord) -> None:
        """Store the contents that are in conflict with the one that is shown."""
        shown = record.shown
        others = [(str(at), one.text) for at, one in record.texts.items() if at != shown]
        if others or (old is not None and len(old.texts) > 1):
            items.put_texts(write.where.transaction, write.where.space_id, record.id, others)
        if record.in_conflict:
            write.page.conflicts.append(record.id)

    # --- events and streams -----------------------------------------------------------------------

    def _event_rows(self, write: PageWrite, pairs: Sequence[Pair]) -> set[str]:
        ids = [new.id for _, new in pairs]
        there = item_rows.event_rows(write.where.transaction, write.where.space_id, ids)
        fresh = [new for _, new in pairs if new.id not in there]
        done = self._append(write, fresh)
        for _, record in pairs:
            if record.id in there:
                self._change_event(write, there[record.id], record)
                done.add(record.id)
        return done

    def _append(self, write: PageWrite, fresh: Sequence[SyncRecord]) -> set[str]:
        homes = sorted({record.born["stream"] for record in fresh})
        audiences = item_rows.audiences_of(
            write.where.transaction, write.where.space_id, STREAM, homes
        )
        batch = [_prepared(record) for record in fresh if record.born["stream"] in audiences]
        added = append(
            write.where.transaction,
            self._database,
            self._indexer,
            write.where.space_id,
            audiences=audiences,
            batch=index_all(batch, self._indexer),
        )
        done = {event.id for event in added}
        for record in fresh:
            if record.id in done:
                self._put_reactions_and_revisions(write, record)
                if edited := record.fields["edited_at"].value:
                    item_rows.put_event(
                        write.where.transaction,
                        write.where.space_id,
                        record.id,
                        {"edited_at": from_microseconds(edited)},
                    )
        return done

    def _change_event(
        self, write: PageWrite, rows: item_rows.EventRows, record: SyncRecord
    ) -> None:
        text = str(record.fields["text"].value or "")
        if rows.event.text != text:
            self._events.rewrite_within(
                write.where.transaction,
                rows.event,
                text,
                self._events.indexed(text),
                editor=write.by,
                now=self._clock(),
            )
        edited = record.fields["edited_at"].value
        item_rows.put_event(
            write.where.transaction,
            write.where.space_id,
            record.id,
            {"edited_at": None if edited is None else from_microseconds(edited)},
        )
        self._put_reactions_and_revisions(write, record)

    def _put_reactions_and_revisions(self, write: PageWrite, record: SyncRecord) -> None:
        signs = {(user, emoji): at for user, emoji, at in conversions.ordered(record, "reactions")}
        before = sorted(record.elements("revisions"))
        item_rows.put_reactions_and_revisions(
            write.where.transaction,
            write.where.space_id,
            record.id,
            [(user, emoji, at) for (user, emoji), at in signs.items()],
            [(number, text, editor, at) for number, (at, editor, text) in enumerate(before, 1)],
        )

    def _streams(self, write: PageWrite, pairs: Sequence[Pair]) -> set[str]:
        ids = [new.id for _, new in pairs]
        there = item_rows.stream_rows(write.where.transaction, write.where.space_id, ids)
        # A thread after the stream it belongs to.
        for _, record in sorted(pairs, key=lambda pair: pair[1].born.get("parent") is not None):
            if record.id not in there:
                self._open(write, record)
            item_rows.put_stream(
                write.where.transaction,
                write.where.space_id,
                record.id,
                {name: record.fields[name].value for name in ("access", "purpose")},
            )
            members = {user: at for user, at in conversions.ordered(record, "members")}
            item_rows.put_members(
                write.where.transaction,
                write.where.space_id,
                record.id,
                [(user, from_microseconds(at)) for user, at in members.items()],
            )
        return set(ids)

    def _open(self, write: PageWrite, record: SyncRecord) -> None:
        born, parent = record.born, record.born.get("parent")
        stream = Stream(
            record.id,
            write.where.space_id,
            StreamKind(born["kind"]),
            born["name"],
            StreamAccess(record.fields["access"].value),
            born["owner"],
            parent,
            from_microseconds(born["created_at"]),
        )
        if parent is not None:
            audience = stream_table.audience_of(
                write.where.transaction, write.where.space_id, parent
            )
        else:
            _, fresh = tick(write.where.transaction, write.where.space_id)
            wanted = Audience(stream.owner, Visibility.STREAM, stream=stream.id)
            audience = audience_id(write.where.transaction, write.where.space_id, wanted, fresh)
        stream_table.add_stream(write.where.transaction, stream, audience)


def _counted(memory: Memory) -> tuple[Any, ...]:
    counts, used = memory.counts, memory.last_accessed_at
    return (
        memory.id,
        counts.access,
        counts.retrieval,
        counts.citation,
        counts.ignore,
        0 if used is None else to_microseconds(used),
    )


def _prepared(record: SyncRecord) -> PreparedEvent:
    born, payload = record.born, record.fields["payload"].value
    text = str(record.fields["text"].value or "")
    return PreparedEvent(
        record.id,
        born["stream"],
        born["kind"],
        born["author"],
        text,
        dump(payload) if payload else None,
        born.get("reply_to"),
        born["occurred_at"],
        born["recorded_at"],
        *outside_mark(payload or {}, text),
    )
