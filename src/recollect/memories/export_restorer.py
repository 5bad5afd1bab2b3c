"""Restores a JSON export into a space with the same ids, times, history and relations.

Anything that exists already stays as it is, so an interrupted import can simply be started again.
Only an owner of the space may do this, because a file can claim that anybody said anything.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from recollect.index.indexer import Indexed, Indexer
from recollect.memories.drafts import everything_in
from recollect.memories.entry_scores import scores
from recollect.memories.exporter import ENTRY, VERSION
from recollect.memories.inserter import IndexSlot, MemoryIndexWriter, enqueue_levels
from recollect.memories.metadata import notice
from recollect.pages.append import append
from recollect.pages.prepared import PreparedEvent, index_all, outside_mark
from recollect.storage.access.visibility_filter import acquire_locks, audience_id, sources_of
from recollect.storage.columns import dump
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads, relations, rows
from recollect.storage.pages import events, streams
from recollect.storage.space_clock import tick
from recollect.trust.authorisation import authorise, require_role
from recollect.trust.origins import declared_origin, origin_of
from recollect.trust.prompt_injection import marked
from recollect.trust.secrets import redacted, redacted_values, refuse_secrets
from recollect.vocabulary.arguments import NAME_LIMIT, is_commit, shown
from recollect.vocabulary.audiences import Access, Audience, Viewer, Visibility
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.errors import ImportFailed, RecollectError
from recollect.vocabulary.events import Event, Reaction, Revision
from recollect.vocabulary.json_depth import DEEPEST, is_too_deep
from recollect.vocabulary.memory import HistoryEntry, Memory, Relation
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import Stream

MARK: Final = "recollect_export"
_BATCH: Final = 200
_PROBLEMS: Final = 20

Progress = Callable[[int, int, int], None]
T = TypeVar("T")


@dataclass(slots=True)
class _RestoreCounts:
    """Counts of restored and skipped items so far."""

    total: int
    read: int = 0
    added: int = 0
    skipped: int = 0
    streams: int = 0
    problems: list[str] = field(default_factory=list)

    def problem(self, sentence: str) -> None:
        self.skipped += 1
        self.note(sentence)

    def note(self, sentence: str) -> None:
        """Report something that was not restored exactly."""
        if len(self.problems) < _PROBLEMS:
            self.problems.append(sentence)


@dataclass(frozen=True, slots=True)
class _StoredMemory:
    """A memory as stored in a file, with its history and its outgoing relations."""

    memory: Memory
    history: tuple[HistoryEntry, ...]
    relations_read: tuple[Relation, ...]
    #: Whether an assistant keeps the memory for its owner.
    is_entry: bool = False


class ExportRestorer:
    """Restores JSON exports of Recollect."""

    def __init__(self, database: Database, indexer: Indexer) -> None:
        self._database = database
        self._indexer = indexer
        self._index_writer = MemoryIndexWriter(database, indexer)

    def run(
        self,
        viewer: Viewer,
        space: Space,
        path: str | PathLike[str],
        progress: Progress | None = None,
        *,
        origin: str | None = None,
    ) -> ImportReport:
        """Restore a whole file; anything restored before an error stays.

        ``origin`` marks the whole file as outside text: its memories count for less and wait.
        """
        mark = None if origin is None else declared_origin(origin)
        document = _document(Path(path))
        with self._database.reading() as transaction:
            require_role(authorise(transaction, viewer, space), Role.OWNER, "bring an export back")
        homes = document["streams"]
        events_in_all = sum(len(home.get("events", ())) for home in homes)
        tally = _RestoreCounts(events_in_all + len(document["memories"]))

        def source_document() -> None:
            if progress is not None:
                progress(tally.read, tally.total, tally.read)

        moved = self._streams(viewer, space, homes, tally)
        for home in homes:
            for part in _parts(home.get("events", ())):
                self._events(viewer, space, moved, _labelled(part, mark), tally)
                source_document()
        relations_read: list[Relation] = []
        for part in _parts(document["memories"]):
            read = _all_kept(part, space, moved, tally, mark)
            relations_read += self._memories(viewer, space, read, tally)
            source_document()
        for some in _parts(relations_read):
            self._database.write(partial(_restore_relations, viewer, space, some))
        known = tally.read - tally.added - tally.skipped
        return ImportReport(
            tally.read, tally.added, known, tally.skipped, tally.streams, tuple(tally.problems)
        )

    def _streams(
        self, viewer: Viewer, space: Space, homes: Sequence[Any], tally: _RestoreCounts
    ) -> dict[str, str]:
        """Open every missing stream; return the ids here by the ids in the file."""
        found = [
            replace(one, name=_cleaned_name(one.name), owner=_cleaned_name(one.owner))
            for home in homes
            if (one := _read(Stream, home, tally)) is not None
        ]
        found.sort(key=lambda one: one.parent_id is not None)  # a thread after what it is part of

        def work(transaction: Transaction) -> tuple[dict[str, str], int]:
            access = authorise(transaction, viewer, space)
            moved: dict[str, str] = {}
            opened = 0
            for stream in found:
                existing = streams.find_stream(transaction, access, stream_id=stream.id)
                existing = existing or streams.find_stream(transaction, access, name=stream.name)
                if existing is None:
                    _open(transaction, space, stream, moved)
                    opened += 1
                moved[stream.id] = stream.id if existing is None else existing.id
            return moved, opened

        moved, tally.streams = self._database.write(work)
        return moved

    def _events(
        self,
        viewer: Viewer,
        space: Space,
        moved: dict[str, str],
        part: Sequence[Any],
        tally: _RestoreCounts,
    ) -> None:
        tally.read += len(part)
        read = [
            (one, source_document)
            for source_document in part
            if (one := _read(Event, source_document, tally)) is not None
        ]
        kept = {
            event.id: (
                _cleaned(event, space.id, moved[event.stream_id]),
                tuple(
                    replace(one, user=_cleaned_name(one.user), emoji=_cleaned_name(one.emoji))
                    for one in _list(Reaction, source_document.get("reactions"))
                ),
                tuple(
                    replace(one, text=redacted(one.text), editor=_cleaned_name(one.editor))
                    for one in _list(Revision, source_document.get("revisions"))
                ),
            )
            for event, source_document in read
            if event.stream_id in moved
        }
        batch = index_all([_prepared(event) for event, _, _ in kept.values()], self._indexer)

        def work(transaction: Transaction) -> int:
            authorise(transaction, viewer, space)
            homes = {event.stream_id for event, _, _ in kept.values()}
            fresh = append(
                transaction,
                self._database,
                self._indexer,
                space.id,
                audiences={
                    home: streams.audience_of(transaction, space.id, home) for home in homes
                },
                batch=batch,
            )
            for one in fresh:
                events.restore_reactions(transaction, *kept[one.id])
            return len(fresh)

        tally.added += self._database.write(work)

    def _memories(
        self,
        viewer: Viewer,
        space: Space,
        read: Sequence[_StoredMemory],
        tally: _RestoreCounts,
    ) -> list[Relation]:
        """Restore some memories; return their outgoing relations, to be added once all exist."""
        indexed = {
            one.memory.id: self._index_writer.indexed(one.memory)
            for one in read
            if not one.memory.archived
        }

        def work(transaction: Transaction) -> int:
            access = authorise(transaction, viewer, space)
            known = reads.existing_ids(transaction, space.id, [one.memory.id for one in read])
            fresh = [one for one in read if one.memory.id not in known]
            for one in fresh:
                self._add(transaction, access, one, indexed.get(one.memory.id))
            return len(fresh)

        tally.added += self._database.write(work)
        return [relation for one in read for relation in one.relations_read]

    def _add(
        self, transaction: Transaction, access: Access, kept: _StoredMemory, indexed: Indexed | None
    ) -> None:
        memory = kept.memory
        acquire_locks(transaction, [access.space_id])
        number, slot = tick(transaction, access.space_id, 2)
        sources = sources_of(transaction, access.space_id, memory.provenance.events)
        audience = audience_id(transaction, access.space_id, memory.audience, slot + 1, sources)
        rows.add_memory(transaction, memory, audience, None if indexed is None else slot)
        if indexed is not None:
            self._index_writer.put(transaction, memory, IndexSlot(number, slot, audience), indexed)
        if kept.is_entry and memory.audience.visibility is Visibility.PERSONAL:
            entries.add_entry(
                transaction,
                (access.space_id, memory.id, memory.audience.owner),
                noticed=notice(memory.content, memory.tags),
                scores=scores(memory.importance, memory.updated_at, memory.updated_at),
                kept=memory.pinned or memory.manually_saved,
            )
        for entry in kept.history:
            rows.add_history(transaction, access.space_id, entry)
        if memory.levels.full_tokens is None:
            enqueue_levels(transaction, memory)


def is_export(path: Path) -> bool:
    """Whether a file begins like a Recollect export."""
    try:
        with path.open("r", encoding="utf-8") as file:
            return file.read(200).lstrip().startswith(f'{{"{MARK}"')
    except (OSError, UnicodeDecodeError):
        return False


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ImportFailed(f"{path} is not JSON: {error}.", hint="Was it cut off?") from error
    if not isinstance(document, dict) or document.get(MARK) != VERSION:
        raise ImportFailed(
            f"{path} is not an export of this version.",
            hint="'recollect export' writes one that can be imported.",
        )
    for name in ("memories", "streams"):
        if not isinstance(document.get(name), list):
            raise ImportFailed(f"{path} has no list of {name}. Nothing was changed.")
    return document


@cache
def _adapter(kind: Hashable) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(cast("Any", kind))


def _read(kind: type[T], source_document: Any, tally: _RestoreCounts) -> T | None:
    """Parse a value from a file; None, and a reported problem, when it does not fit."""
    from pydantic import ValidationError

    try:
        value: T = _adapter(cast("Hashable", kind)).validate_python(source_document)
    except (ValidationError, RecollectError) as error:
        named = source_document.get("id", "?") if isinstance(source_document, dict) else "?"
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        tally.problem(f"{kind.__name__.lower()} {named}: {why}")
        return None
    beside = value.payload if isinstance(value, Event) else getattr(value, "extras", {})
    if is_too_deep(beside):
        named = getattr(value, "id", "?")
        tally.problem(f"{kind.__name__.lower()} {named}: it is nested deeper than {DEEPEST} levels")
        return None
    return value


def _list(kind: type[T], source_document: Any) -> tuple[T, ...]:
    return tuple(
        _adapter(cast("Hashable", kind)).validate_python(one) for one in source_document or ()
    )


def _kept(
    source_document: Any, space: Space, moved: dict[str, str], tally: _RestoreCounts
) -> _StoredMemory | None:
    memory = _read(Memory, source_document, tally)
    if memory is None:
        return None
    audience = memory.audience
    if audience.stream is not None and audience.stream not in moved:
        tally.problem(f"memory {memory.id}: its stream is not in the file")
        return None
    if audience.stream is not None:
        audience = replace(audience, stream=moved[audience.stream])
    memory = replace(memory, space_id=space.id, audience=audience)
    commit = memory.provenance.commit
    if commit is not None and not is_commit(commit):
        tally.note(f"memory {memory.id}: its commit {shown(commit)} is none and was left out")
        memory = replace(memory, provenance=replace(memory.provenance, commit=None))
    try:
        history = tuple(
            replace(one, actor=_cleaned_name(one.actor), changes=redacted_values(one.changes))
            for one in _list(HistoryEntry, source_document.get("history"))
        )
        relations_read = _list(Relation, source_document.get("relations"))
        refuse_secrets(
            [*everything_in(memory), *(one.target_path for one in relations_read)], "memory"
        )
    except (RecollectError, ValueError) as error:
        tally.problem(f"memory {memory.id}: {error}")
        return None
    begun = tuple(one for one in relations_read if one.source_id == memory.id)
    return _StoredMemory(memory, history, begun, source_document.get(ENTRY) is True)


def _open(transaction: Transaction, space: Space, stream: Stream, moved: dict[str, str]) -> None:
    """Write a stream as it was."""
    new = replace(stream, space_id=space.id)
    if new.parent_id is not None and new.parent_id in moved:
        new = replace(new, parent_id=moved[new.parent_id])
        audience = streams.audience_of(transaction, space.id, str(new.parent_id))
    else:
        new = replace(new, parent_id=None)
        _, fresh = tick(transaction, space.id)
        wanted = Audience(new.owner, Visibility.STREAM, stream=new.id)
        audience = audience_id(transaction, space.id, wanted, fresh)
    streams.add_stream(transaction, new, audience)


def _cleaned(event: Event, space_id: str, stream_id: str) -> Event:
    """The event in its new stream; text from another store passes this store's secret check too."""
    return replace(
        event,
        space_id=space_id,
        stream_id=stream_id,
        author=_cleaned_name(event.author),
        text=redacted(event.text),
        payload=redacted_values(event.payload),
    )


def _cleaned_name(name: str) -> str:
    return redacted(name)[:NAME_LIMIT]


def _prepared(event: Event) -> PreparedEvent:
    return PreparedEvent(
        event.id,
        event.stream_id,
        event.kind.value,
        event.author,
        event.text,
        dump(event.payload) if event.payload else None,
        event.reply_to,
        to_microseconds(event.occurred_at),
        to_microseconds(event.recorded_at),
        *outside_mark(event.payload, event.text),
    )


def _all_kept(
    part: Sequence[Any],
    space: Space,
    moved: dict[str, str],
    tally: _RestoreCounts,
    mark: str | None,
) -> list[_StoredMemory]:
    """Readable memories of a part of a file, with the part's mark where it has one."""
    tally.read += len(part)
    read = [
        one
        for source_document in part
        if (one := _kept(source_document, space, moved, tally)) is not None
    ]
    if mark is None:
        return read
    return [replace(one, memory=marked(one.memory, [mark])) for one in read]


def _labelled(part: Sequence[Any], mark: str | None) -> Sequence[Any]:
    """Events of a file; those that name no origin get the origin of the whole file."""
    if mark is None:
        return part
    return [
        {**source_document, "payload": {**(source_document.get("payload") or {}), "origin": mark}}
        if isinstance(source_document, dict)
        and origin_of(source_document.get("payload") or {}) is None
        else source_document
        for source_document in part
    ]


def _restore_relations(
    viewer: Viewer, space: Space, relations_read: Iterable[Relation], transaction: Transaction
) -> None:
    """Add relations between memories that both exist, and to files."""
    authorise(transaction, viewer, space)
    wanted = list(relations_read)
    ends = {relation.target_id for relation in wanted if relation.target_id}
    existing = reads.existing_ids(
        transaction, space.id, sorted({*ends, *(relation.source_id for relation in wanted)})
    )
    for relation in wanted:
        if relation.source_id in existing and (
            relation.target_id is None or relation.target_id in existing
        ):
            relations.put_relation(transaction, space.id, relation)


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, _BATCH)):
        yield part
