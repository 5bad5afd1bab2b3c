"""Writes personal entries: the general write path with a person's policy, plus the entry row.

The write path decides whether a text is new, a repeat or a contradiction; a repeat is deduplicated
into the entry that says the same. This module adds the personal part: extracted metadata,
importance, the audit log, the soft cap, and the answer.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple

from recollect.chat.entries.audit import note
from recollect.chat.entries.cap import Headroom, trim
from recollect.chat.entries.model_metadata import UNDERSTAND
from recollect.jobs.queue import enqueue
from recollect.memories.contradictions.judge import judge_pair
from recollect.memories.drafts import Draft
from recollect.memories.entry_scores import scores
from recollect.memories.importance import importance, kind_of
from recollect.memories.metadata import merged, notice
from recollect.memories.text_comparison import read
from recollect.memories.write_path import (
    PendingWrite,
    WriteOutcome,
    WritePath,
    Written,
    refuse_suspect,
)
from recollect.memories.write_policy import PERSONAL
from recollect.memories.writer import MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads
from recollect.storage.prepared import batched_inserts
from recollect.trust.authorisation import authorise, closed, require_role
from recollect.vocabulary.audiences import Access, Viewer, Visibility
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import OnRepeat
from recollect.vocabulary.personal import Entry, Kept, Noticed, Outcome
from recollect.vocabulary.spaces import Role, Space

_COMMON: Final = 2  # minimum number of neighbours with a tag before it is proposed
_PROPOSED: Final = 3


@dataclass(frozen=True, slots=True)
class NewEntryText:
    """A text that may be worth an entry, with the circumstances in which it was said."""

    text: str
    tags: tuple[str, ...] = ()
    manually_saved: bool = False
    pinned: bool = False
    speaker: str = "user"
    source: str = "user_taught"
    session: str | None = None
    events: tuple[str, ...] = ()
    anyway: bool = False  # keep it even if it was recently forgotten
    kind: str | None = None  # the memory type, if the caller knows it
    since: datetime | None = None  # when it was said; now otherwise
    replaces: str | None = None  # id of the entry that no longer holds
    also_replaces: tuple[str, ...] = ()  # ids of others that told the same and end with it
    contradicts: str | None = None  # id of the entry that it contradicts
    surely: bool = False  # both plainly tell something that one has one of
    whose: tuple[str, ...] = ()  # tags: only an entry that has all of them is compared
    extras: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_echo(self) -> bool:
        """Whether an assistant said it: a repeat by an assistant does not count as a repeat."""
        return self.speaker != "user" and not self.manually_saved


class _Replaced(NamedTuple):
    """A replacement: its undo code, and the texts of the entries that no longer hold."""

    undo: str
    texts: tuple[str, ...]


class EntryWriter:
    """Writes the entries of what people tell."""

    def __init__(
        self,
        database: Database,
        *,
        path: WritePath,
        writer: MemoryWriter,
        understands: bool = False,
    ) -> None:
        self._understands = understands  # whether a model reads the text later
        self._database = database
        self._path = path
        self._writer = writer
        self._headroom = Headroom()

    def add(
        self,
        viewer: Viewer,
        space: Space,
        telling: NewEntryText,
        *,
        before: Callable[[Transaction], object] | None = None,
    ) -> Kept:
        """Keep a text, merge it with the entry that it repeats, or return why it was not kept.

        ``before`` runs first, in the same transaction.
        """
        noticed = notice(telling.text, telling.tags)
        repeats = OnRepeat.SKIP if telling.is_echo else OnRepeat.MERGE
        policy = replace(
            PERSONAL,
            repeats=repeats,
            anyway=telling.anyway,
            tags=telling.whose,
            dated=telling.since is not None,
        )
        pending = self._path.prepare(viewer, space, [_draft(telling, noticed)], policy)
        with self._database.reading() as transaction:
            access = _member(transaction, viewer, space)
            why = closed(transaction, access, telling.session)
            if why is not None:
                return Kept(Outcome.NOT_KEPT, None, f"Nothing was kept: {why}.")
            (compared,) = self._path.compare(transaction, access, pending)
            rows = entries.rows_of(transaction, access, list(compared.near))
            compared = self._related(transaction, access, telling, compared)
        tags = {one: entries.noticed_of(row).tags for one, row in rows.items()}
        noticed = with_neighbours(noticed, telling.text, compared.near, tags)

        def work(transaction: Transaction) -> Kept | Written:
            if before is not None:
                before(transaction)
            access = _member(transaction, viewer, space)
            written = self._path.write(transaction, access, compared)
            if written.outcome is WriteOutcome.STORED:
                return self._stored(transaction, access, telling, noticed, written)
            if written.outcome is WriteOutcome.MERGED:
                return self._merged(transaction, access, telling, noticed, written)
            return written

        done = self._database.write(work)
        return done if isinstance(done, Kept) else self._not_kept(viewer, space, done, noticed)

    def _related(
        self, transaction: Transaction, access: Access, telling: NewEntryText, one: PendingWrite
    ) -> PendingWrite:
        """Apply the caller's knowledge about the entry that the text replaces or contradicts."""
        if telling.replaces is not None:
            return replace(one, against={}, same=())
        if telling.contradicts is None or one.against or one.same:
            return one
        old = reads.get_memories(transaction, access, [telling.contradicts])
        if telling.contradicts not in old:
            return one
        known = old[telling.contradicts]
        near = {**one.near, known.id: known.content}
        against = {known.id: judge_pair(known.content, telling.text)}
        told = (known.id,) if telling.surely else ()
        return replace(one, near=near, against=against, told=told)

    def _replace(
        self, transaction: Transaction, access: Access, telling: NewEntryText, new: Memory
    ) -> "_Replaced | None":
        """End the entries that a new one replaces; all stay readable as of their time."""
        if telling.replaces is None:
            return None
        wanted = (telling.replaces, *telling.also_replaces)
        known = reads.get_memories(transaction, access, wanted)
        ended = [
            known[one]
            for one in wanted
            if one in known and known[one].superseded_by is None and one != new.id
        ]
        if not ended or ended[0].id != telling.replaces:
            return None
        now = new.created_at
        for old in ended:
            self._writer.succeed_within(transaction, access, old, new, now)
            entries.drop_entry(transaction, access, old.id)
        done = note(
            transaction,
            access,
            "supersede",
            new.id,
            session=telling.session,
            detail={"old": ended[0].id, "others": [one.id for one in ended[1:]], "question": ""},
            now=now,
        )
        return _Replaced(done.id, tuple(old.content for old in ended))

    def _stored(
        self,
        transaction: Transaction,
        access: Access,
        telling: NewEntryText,
        noticed: Noticed,
        written: Written,
    ) -> Kept:
        """Add the entry of a new memory and archive entries above the person's cap."""
        memory = _memory(written)
        now, question = memory.created_at, written.question
        detail: dict[str, object] = {"restored": True} if telling.anyway else {}
        if question is not None:
            detail["question"] = question.id
        with batched_inserts(transaction):
            entry = put_entry(transaction, access, memory, noticed)
            undo = note(
                transaction,
                access,
                "remember",
                memory.id,
                session=telling.session,
                detail=detail,
                now=now,
            )
            if self._understands:
                asked = {"memory": memory.id, "user": access.viewer.user}
                enqueue(transaction, access.space_id, UNDERSTAND, asked, now=now)
        replaced = self._replace(transaction, access, telling, memory)
        trimmed = trim(transaction, access, self._writer, self._headroom, now)
        outcome = Outcome.KEPT if question is None else Outcome.ASKED
        reason = "I will remember that." if question is None else question.reason
        if replaced is not None:
            outcome, reason = Outcome.REPLACED, "It takes the place of what you had told me."
        kept = None if memory.id in trimmed else entry
        return Kept(
            outcome,
            kept,
            reason,
            question,
            trimmed,
            undo.id if replaced is None else replaced.undo,
            () if replaced is None else replaced.texts,
        )

    def _merged(
        self,
        transaction: Transaction,
        access: Access,
        telling: NewEntryText,
        noticed: Noticed,
        written: Written,
    ) -> Kept:
        """Record what a repeat adds to the entry; a memory without an entry gets one."""
        memory, before = _memory(written), written.before or _memory(written)
        row = entries.rows_of(transaction, access, [memory.id]).get(memory.id)
        if row is None:
            entry = put_entry(transaction, access, memory, noticed)
        else:
            entries.repeated(
                transaction,
                row,
                importance=memory.importance,
                noticed=merged(entries.noticed_of(row), noticed),
                kept=memory.pinned or memory.manually_saved,
            )
            fresh = entries.rows_of(transaction, access, [memory.id])[memory.id]
            entry = entry_of(memory, fresh)
        undo = note(
            transaction,
            access,
            "repeat",
            memory.id,
            session=telling.session,
            detail={
                "importance": before.importance,
                "pinned": before.pinned,
                "manually_saved": before.manually_saved,
            },
            now=memory.updated_at,
        )
        reason = f"You had told me this already; I count it {memory.times_told} times now."
        return Kept(Outcome.MERGED, entry, reason, undo=undo.id)

    def _not_kept(self, viewer: Viewer, space: Space, written: Written, noticed: Noticed) -> Kept:
        """Result, with its reason, for a text that made no entry and counted as no repeat."""
        if written.suspect is not None:
            refuse_suspect(written.suspect)
        if written.outcome is WriteOutcome.KNOWN:
            memory = _memory(written)
            with self._database.reading() as transaction:
                access = _member(transaction, viewer, space)
                row = entries.rows_of(transaction, access, [memory.id]).get(memory.id)
            reason = "Nothing was counted: the assistant only repeated what it had recalled."
            return Kept(Outcome.ECHO, row and entry_of(memory, row), reason)
        if written.forgotten_until is not None:
            reason = (
                "you had this forgotten, and it is not learned again before "
                f"{written.forgotten_until:%Y-%m-%d %H:%M} UTC"
            )
            return Kept(Outcome.NOT_KEPT, None, f"Nothing was kept: {reason}.")
        return Kept(Outcome.NOT_KEPT, None, f"Nothing was kept: {written.reason}.")


def entry_of(memory: Memory, row: entries.EntryRow) -> Entry:
    """Combine a memory and its entry row into an entry."""
    return Entry(memory, entries.noticed_of(row), entries.scores_of(row))


def with_neighbours(
    noticed: Noticed, text: str, near: Mapping[str, str], tags: Mapping[str, Iterable[str]]
) -> Noticed:
    """Metadata with proposed tags: those shared by several entries on the same topic."""
    about = read(text).stems
    counts: Counter[str] = Counter()
    for memory_id, content in near.items():
        if memory_id in tags and read(content).stems & about:
            counts.update(set(tags[memory_id]))
    proposed = [tag for tag, count in counts.most_common() if count >= _COMMON]
    new = tuple(tag for tag in sorted(proposed) if tag not in noticed.tags)[:_PROPOSED]
    return replace(noticed, proposed=new) if new else noticed


def _draft(telling: NewEntryText, noticed: Noticed) -> Draft:
    """Draft of the memory of a text; its type and importance follow from the content."""
    saved = telling.manually_saved or telling.pinned
    return Draft(
        telling.text,
        type=telling.kind or kind_of(telling.text),
        importance=importance(telling.text, saved=saved, certainty=noticed.confidence),
        source=telling.source,
        visibility=Visibility.PERSONAL,
        tags=(*telling.whose, *(tag for tag in noticed.tags if tag not in telling.whose)),
        extras=telling.extras,
        events=telling.events,
        session=telling.session,
        valid_from=telling.since,
        pinned=telling.pinned,
        manually_saved=telling.manually_saved,
    )


def put_entry(transaction: Transaction, access: Access, memory: Memory, noticed: Noticed) -> Entry:
    """Write the entry of a memory and return it."""
    scored = scores(memory.importance, memory.updated_at, memory.updated_at)
    entries.add_entry(
        transaction,
        (access.space_id, memory.id, access.viewer.user),
        noticed=noticed,
        scores=scored,
        kept=memory.pinned or memory.manually_saved,
    )
    return Entry(memory, noticed, scored)


def _member(transaction: Transaction, viewer: Viewer, space: Space) -> Access:
    return require_role(authorise(transaction, viewer, space), Role.MEMBER, "keep memories")


def _memory(written: Written) -> Memory:
    if written.memory is None:
        raise ValueError(f"A text that was {written.outcome.value} is in no memory.")
    return written.memory
