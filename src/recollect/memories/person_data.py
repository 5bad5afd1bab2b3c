"""All data of one person across spaces: counted, exported, or deleted for good.

Anyone with direct access to the store (its file, its database) may do this for anybody. A viewer
with a token may do it for themselves only, in the spaces that the token opens. Deletion removes the
person's memories, words, questions, settings and sessions with their index entries; memories of
others lose the words taken from them; rows that must stay lose the name.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from recollect.index.analyser import analyse
from recollect.memories.exporter import PRIVATE, UNTOLD_TIME, ExportFormat, bullet
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.pages.event_erasure import erase_row
from recollect.storage import person_rows
from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks, clear_cache
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import groups, spaces
from recollect.vocabulary.arguments import checked_name, choice
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.events import TIME_UNKNOWN
from recollect.vocabulary.ids import MEMORY, new_id
from recollect.vocabulary.memory import Action, Levels, Memory
from recollect.vocabulary.memory_types import INFERRED, MemoryType
from recollect.vocabulary.plain import plain
from recollect.vocabulary.rights import DELETED_PERSON, PersonDeleted, PersonSummary
from recollect.vocabulary.spaces import Role, Space

VERSION: Final = 1
MARK: Final = "recollect_person_export"
_PAGE: Final = 500
#: Number of consecutive words that count as a quotation, whoever says them.
_QUOTED: Final = 3
_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?\n])\s+")


@dataclass(slots=True)
class _PersonErasure:
    """Data erased in one space: counts for the logs, and texts to remove from the files."""

    texts: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    memories: int = 0
    events: int = 0
    streams: int = 0
    rows: int = 0
    rewritten: int = 0
    derived: int = 0


class PersonData:
    """Counts, exports and deletes all data of a person."""

    def __init__(self, database: Database, writer: MemoryWriter, clock: Clock) -> None:
        self._database = database
        self._writer = writer
        self._clock = clock

    def summary(self, viewer: Viewer, user: str | None) -> PersonSummary:
        """Number of rows of each kind, in each space."""
        person = _person(viewer, user)
        self._database.erasure.write_notes()
        with self._database.reading(all_spaces=True) as transaction:
            found = _spaces(transaction, viewer, person)
            names = {
                name: None
                for space in found
                for name in person_rows.names_of(transaction, space.id, person)
            }
            counted = {
                space.name: person_rows.counts_of(
                    transaction, space.id, person_rows.names_of(transaction, space.id, person)
                )
                for space in found
            }
            groups_found = groups.groups_of(transaction, person)
        return PersonSummary(
            person,
            tuple(names) or (person,),
            counted,
            tuple(f"{one.kind.value} {one.name}" for one in groups_found),
        )

    # --- export -----------------------------------------------------------------------------------

    def export(self, viewer: Viewer, user: str | None, format: str) -> Iterator[str]:
        """All data of a person in every space, as pieces of JSON or Markdown."""
        wanted = choice(ExportFormat, format, "format")
        person = _person(viewer, user)
        self._database.erasure.write_notes()
        with self._database.reading(all_spaces=True) as transaction:
            found = _spaces(transaction, viewer, person)
            groups_found = groups.groups_of(transaction, person)
        now = self._clock()
        if wanted is ExportFormat.MARKDOWN:
            return self._markdown(person, found, now)
        head = {
            MARK: VERSION,
            "user": person,
            "exported_at": now,
            "groups": [{"kind": one.kind, "name": one.name} for one in groups_found],
        }
        return self._json(head, person, found)

    def _json(self, head: dict[str, Any], person: str, found: Sequence[Space]) -> Iterator[str]:
        yield _text(head)[:-1] + ',\n"spaces": [\n'
        for number, space in enumerate(found):
            yield ("" if number == 0 else ",\n") + "{" + f'"space": {_text(space)}'
            with self._database.reading(all_spaces=True) as transaction:
                names = person_rows.names_of(transaction, space.id, person)
                yield f',\n"names": {_text(names)},\n"memories": [\n'
                for at, (memory, history) in enumerate(_memories(transaction, space, names)):
                    groups_found = {**plain(memory), "history": plain(history)}
                    yield ("" if at == 0 else ",\n") + _text(groups_found)
                yield '\n],\n"events": [\n'
                for at, row in enumerate(person_rows.event_rows(transaction, space.id, names)):
                    yield ("" if at == 0 else ",\n") + _text(_event(row))
                yield "\n]"
                for table, rows in person_rows.rows_of(transaction, space.id, names):
                    yield f',\n"{table}": {_text(rows)}'
            yield "\n}"
        yield "\n]}\n"

    def _markdown(self, person: str, found: Sequence[Space], now: datetime) -> Iterator[str]:
        """The data as Markdown; 'recollect import' reads the memories and messages back."""
        yield f"# Everything of {person}\n\nExported {now:%Y-%m-%d %H:%M} UTC.\n"
        for space in found:
            yield f"\n# Space: {space.name}\n"
            with self._database.reading(all_spaces=True) as transaction:
                names = person_rows.names_of(transaction, space.id, person)
                kind: MemoryType | None = None
                kept = [memory for memory, _ in _memories(transaction, space, names)]
                for memory in sorted(kept, key=lambda one: (one.type.value, one.id)):
                    if memory.type is not kind:
                        kind = memory.type
                        yield f"\n## {kind.value.replace('_', ' ').capitalize()}\n\n"
                    yield bullet(memory)
                stream: str | None = None
                said = person_rows.event_rows(transaction, space.id, names)
                titles = _stream_names(transaction, space.id, said)
                for row in sorted(said, key=lambda one: (one.stream_id, one.occurred_at)):
                    if row.stream_id != stream:
                        stream = row.stream_id
                        yield f"\n## Stream: {titles[row.stream_id]}\n\n"
                    line = " ".join(row.text.split())
                    untold = UNTOLD_TIME * (row.payload.get(TIME_UNKNOWN) is True)
                    at = f"{row.occurred_at:%Y-%m-%d %H:%M}{untold}"
                    yield f"- {at} **{row.author}**: {line}\n"

    # --- deleting ---------------------------------------------------------------------------------

    def delete(self, viewer: Viewer, user: str) -> PersonDeleted:
        """Delete all data of a person; spaces that belong to them alone are deleted as a whole."""
        person = _person(viewer, user)
        self._database.erasure.write_notes()
        with self._database.reading(all_spaces=True) as transaction:
            found = _spaces(transaction, viewer, person)
            alone = [space for space in found if _is_alone(transaction, space, person)]
            _require_other_owner(transaction, [one for one in found if one not in alone], person)
            servers = person_rows.servers_of(transaction, [space.id for space in found])
        total = _PersonErasure()
        for space in found:
            if space in alone:
                self._delete_space(space)
            else:
                self._delete_within(space, person, total)
        if viewer.opens is None:
            total.rows += self._database.write(
                lambda transaction: person_rows.delete_from_groups(
                    transaction, person, DELETED_PERSON
                ),
                all_spaces=True,
            )
        left = self._database.erasure.scrub_whole_files()
        return PersonDeleted(
            person,
            total.memories,
            total.events,
            total.streams,
            total.rows,
            total.rewritten,
            total.derived,
            tuple(space.name for space in alone),
            (
                *((left,) if left else ()),
                *(
                    f"{address}, which this was synced with: delete it there too"
                    for address in servers
                ),
                "copies, backups and exports that somebody made",
            ),
        )

    def _delete_space(self, space: Space) -> None:
        def work(transaction: Transaction) -> None:
            acquire_locks(transaction, [EVERY_SPACE, space.id])
            spaces.delete_space(transaction, space.id)
            self._database.erasure.mark(transaction, self._clock())

        self._database.write(work, all_spaces=True)

    def _delete_within(self, space: Space, person: str, total: _PersonErasure) -> None:
        """Delete a person's data in a space shared with others, in one transaction."""

        def work(transaction: Transaction) -> _PersonErasure:
            done = _PersonErasure()
            acquire_locks(transaction, [space.id])
            names = person_rows.names_of(transaction, space.id, person)
            self._delete_memories_and_events(transaction, space, names, done)
            done.rows = person_rows.delete_rows(transaction, space.id, names, person)
            person_rows.anonymise(transaction, space.id, names, DELETED_PERSON)
            clear_cache(transaction)
            self._database.erasure.mark(transaction, self._clock())
            return done

        done = self._database.write(work, all_spaces=True)
        self._database.erasure.finish(
            space.id, [*done.texts, person], done.ids, analyse=analyse, waits=False
        )
        for name in ("memories", "events", "streams", "rows", "rewritten", "derived"):
            setattr(total, name, getattr(total, name) + getattr(done, name))

    def _delete_memories_and_events(
        self, transaction: Transaction, space: Space, names: Sequence[str], done: _PersonErasure
    ) -> None:
        own_streams = person_rows.own_streams(transaction, space.id, names)
        streams = [row.stream_id for row in own_streams]
        said = {
            row.event_id: row
            for row in (
                *person_rows.event_rows(transaction, space.id, names),
                *person_rows.events_on(transaction, space.id, streams),
            )
        }
        memory_ids = person_rows.memory_ids(transaction, space.id, names)
        others = person_rows.derived_memories(transaction, space.id, memory_ids, list(said))
        for row in said.values():
            done.texts += erase_row(transaction, self._database, row, self._clock())
        done.events = len(said)
        for memory in _by_ids(transaction, space.id, memory_ids):
            done.texts += self._writer.remove_within(transaction, memory)
            done.memories += 1
        person_rows.remove_content_authors(transaction, space.id, memory_ids)
        done.ids = [*memory_ids, *said]
        quoted = _Quotations(done.texts)
        for memory in _by_ids(transaction, space.id, others):
            self._remove_quotations(transaction, space, memory, quoted, done)
        done.streams = person_rows.delete_streams(transaction, space.id, own_streams)

    def _remove_quotations(
        self,
        transaction: Transaction,
        space: Space,
        memory: Memory,
        quoted: "_Quotations",
        done: _PersonErasure,
    ) -> None:
        """Remove a person's words from others' memory; erase one that a program made of them."""
        made = memory.provenance.source in INFERRED or memory.type is MemoryType.MEMO
        kept = "" if made else quoted.without(memory.content)
        done.ids.append(memory.id)
        if not kept:
            done.texts += self._writer.remove_within(transaction, memory)
            done.derived += 1
            return
        new = replace(
            memory,
            content=kept,
            levels=self._writer.forms(kept, Levels(), memory.type, {}),
            extras={},
            citation=None,
            updated_at=self._clock(),
            revision=memory.revision + 1,
        )
        if person_rows.is_synced(transaction, space.id):
            self._replace_everywhere(transaction, memory, new, done)
            return
        if kept != memory.content:
            done.texts.append(memory.content)
            access = Access(space.id, Viewer("night"), Role.STEWARD)
            change = MemoryUpdate(memory, new, Action.UPDATED, self._writer.indexed(new))
            self._writer.write(transaction, access, change)
            done.rewritten += 1
        person_rows.empty_history(transaction, space.id, memory.id)

    def _replace_everywhere(
        self, transaction: Transaction, old: Memory, new: Memory, done: _PersonErasure
    ) -> None:
        """Erase the old memory, because other devices have it and its history too: the erasure is
        synced and cleans their files. The rest of its content becomes a new memory."""
        if new.content == old.content and old.revision == 1:
            return
        done.texts += self._writer.remove_within(transaction, old)
        fresh = replace(new, id=new_id(MEMORY, new.updated_at), revision=1)
        self._writer.insert_all(transaction, [fresh], [self._writer.indexed(fresh)])
        done.rewritten += new.content != old.content


class _Quotations:
    """Texts, with a check for sentences elsewhere that repeat some of their words in a row."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._shingles: set[tuple[str, ...]] = set()
        for text in texts:
            self._shingles |= _runs(_words(text))

    def without(self, text: str) -> str:
        """The sentences of a text that quote nothing."""
        kept = [one for one in _SENTENCE.split(text) if not self._quotes(one)]
        return " ".join(kept).strip()

    def _quotes(self, sentence: str) -> bool:
        return not self._shingles.isdisjoint(_runs(_words(sentence)))


def _words(text: str) -> list[str]:
    return [found.group().casefold() for found in _WORD.finditer(text)]


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + _QUOTED]) for at in range(len(words) - _QUOTED + 1)}


def _person(viewer: Viewer, user: str | None) -> str:
    """The person concerned: the viewer, or somebody else if the viewer has the store itself."""
    person = viewer.user if user is None else checked_name(user, "user")
    if person != viewer.user and viewer.opens is not None:
        raise NotAllowed(
            "A token gives its own person's data and nobody else's.",
            hint="An administrator of the store can: see docs/privacy.md.",
        )
    return person


def _spaces(transaction: Transaction, viewer: Viewer, person: str) -> list[Space]:
    """The spaces with data of a person that the viewer may enter."""
    found = (
        spaces.space_of(transaction, space_id)
        for space_id in person_rows.spaces_with(transaction, person)
        if viewer.enters(space_id)
    )
    return [space for space in found if space is not None]


def _is_alone(transaction: Transaction, space: Space, person: str) -> bool:
    """Whether a space has no other member."""
    return [one.user for one in spaces.members_of(transaction, space.id)] == [person]


def _require_other_owner(transaction: Transaction, shared: Sequence[Space], person: str) -> None:
    """Refuse to leave a space that others share without an owner."""
    orphans = []
    for space in shared:
        members = spaces.members_of(transaction, space.id)
        owners = [one.user for one in members if one.role is Role.OWNER]
        if owners == [person]:
            orphans.append(space.name)
    if orphans:
        raise NotAllowed(
            f"{person} is the only owner of {', '.join(map(repr, orphans))}. Nothing was deleted.",
            hint="Make somebody else an owner first: 'recollect member add NAME --role owner'.",
        )


def _memories(
    transaction: Transaction, space: Space, names: Sequence[str]
) -> Iterator[tuple[Memory, list[Any]]]:
    ids = person_rows.memory_ids(transaction, space.id, names)
    for memory in _by_ids(transaction, space.id, ids):
        yield memory, reads.history_of(transaction, memory)


def _by_ids(transaction: Transaction, space_id: str, ids: Sequence[str]) -> Iterator[Memory]:
    for start in range(0, len(ids), _PAGE):
        found = reads.memories_for_jobs(transaction, space_id, list(ids[start : start + _PAGE]))
        yield from sorted(found, key=lambda one: one.id)


def _event(row: Any) -> dict[str, Any]:
    kept = ("event_id", "stream_id", "kind", "author", "text", "payload", "reply_to")
    times = ("occurred_at", "recorded_at", "edited_at")
    return {name: getattr(row, name) for name in (*kept, *times)}


def _stream_names(transaction: Transaction, space_id: str, rows: Sequence[Any]) -> dict[str, str]:
    """Names of streams as they appear in headings."""
    ids = sorted({row.stream_id for row in rows})
    found = person_rows.stream_names(transaction, space_id, ids)
    return {one: f"{name}{PRIVATE * closed}" for one, (name, closed) in found.items()}


def _text(value: Any) -> str:
    return json.dumps(plain(value), ensure_ascii=False)
