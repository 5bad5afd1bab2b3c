"""User controls over personal memory: pin, forget, settings, incognito sessions, open questions.

Each action is one transaction with a row in the audit log. Forgetting erases at once and for good:
the text is removed from the rows, the index, the journal and the file. For 15 minutes it can be
undone with the key that forgetting returned; the key is never written to disk. A message of which
other entries are kept loses every sentence with a word that only the forgotten entry tells: what is
kept has its own words, so a sentence too many costs nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from recollect.chat.entries.audit import note
from recollect.chat.entries.entry_writer import entry_of
from recollect.chat.entries.member_transaction import deciding
from recollect.chat.entries.sealed_rows import kept_rows, purpose_of
from recollect.chat.entries.undo_keys import UNDO_FOR, UndoKeys
from recollect.chat.language.sentences import sentence_spans
from recollect.index.analyser import analyse
from recollect.index.indexer import Indexer
from recollect.jobs.queue import enqueue
from recollect.memories.text_comparison import read
from recollect.memories.tombstones import LIFETIME, tombstone_of
from recollect.memories.undo_expiry import CHAT_UNSEAL, Seals
from recollect.memories.writer import MemoryUpdate, MemoryWriter, found
from recollect.pages.events import Events
from recollect.storage.chat import audit, personal_settings
from recollect.storage.database import Database, Transaction
from recollect.storage.masked_notes import FORGOTTEN
from recollect.storage.memories import contradictions, entries, questions, reads, tombstones
from recollect.storage.pages import events
from recollect.trust.authorisation import authorise
from recollect.trust.sealed_text import new_key, seal
from recollect.trust.secrets import safe_name
from recollect.vocabulary.arguments import checked_name, flag, whole
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.contradictions import Resolution
from recollect.vocabulary.errors import Conflict, InvalidInput, NotAllowed, NotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.ids import AUDIT, MEMORY, TOMBSTONE, new_id
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.pagination import Page, check_page, page_of
from recollect.vocabulary.personal import (
    AuditEntry,
    Entry,
    Forgotten,
    MemorySettings,
    Question,
)
from recollect.vocabulary.spaces import Space

LARGEST_CAP: Final = 1_000_000
LONGEST_RETENTION: Final = 36_500


class Control:
    """Actions of a person on their own entries."""

    def __init__(
        self,
        database: Database,
        *,
        writer: MemoryWriter,
        pages: Events,
        indexer: Indexer,
        undo_keys: UndoKeys,
        seals: Seals,
        clock: Clock,
    ) -> None:
        self._database = database
        self._writer = writer
        self._seals = seals
        self._events = pages
        self._indexer = indexer
        self._clock = clock
        self._undo_keys = undo_keys

    # --- reading ----------------------------------------------------------------------------------

    def page(
        self,
        viewer: Viewer,
        space: Space,
        *,
        cursor: str | None,
        limit: int,
        pinned: bool | None,
        manually_saved: bool | None,
    ) -> Page[Entry]:
        """One page of the viewer's entries, newest first."""
        check_page(cursor, limit, MEMORY)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            ids = entries.list_entries(
                transaction,
                access,
                before=cursor,
                limit=limit + 1,
                pinned=pinned,
                manually_saved=manually_saved,
            )
            known = reads.get_memories(transaction, access, ids)
            rows = entries.rows_of(transaction, access, ids) if ids else {}
        page = tuple(entry_of(known[i], rows[i]) for i in ids[:limit] if i in known and i in rows)
        return Page(page, ids[limit - 1] if len(ids) > limit else None)

    def get(self, viewer: Viewer, space: Space, memory_id: str) -> Entry:
        """One of the viewer's entries."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return self._entry(transaction, access, memory_id)

    def settings(self, viewer: Viewer, space: Space) -> MemorySettings:
        """The viewer's settings in a space."""
        with self._database.reading() as transaction:
            return personal_settings.settings_of(transaction, authorise(transaction, viewer, space))

    def is_incognito(self, viewer: Viewer, space: Space, session: str) -> bool:
        """Whether a session is incognito."""
        name = checked_name(session, "session")
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            state = personal_settings.session_state(transaction, access, name)
            if state is None:
                state = personal_settings.settings_of(transaction, access).incognito_default
            return state

    def audit(
        self, viewer: Viewer, space: Space, *, cursor: str | None, limit: int
    ) -> Page[AuditEntry]:
        """One page of the viewer's actions in a space, newest first."""
        check_page(cursor, limit, AUDIT)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            rows = audit.list_audit(transaction, access, before=cursor, limit=limit + 1)
        return page_of(rows, limit)

    def questions(self, viewer: Viewer, space: Space) -> tuple[Question, ...]:
        """Open questions to the viewer, newest first."""
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            return tuple(questions.unanswered_questions(transaction, access))

    # --- deciding ---------------------------------------------------------------------------------

    def pin(
        self, viewer: Viewer, space: Space, memory_id: str, *, pinned: bool, session: str | None
    ) -> tuple[Entry, AuditEntry]:
        """Pin an entry, so that it is never trimmed, or unpin it."""

        def work(transaction: Transaction, access: Access) -> tuple[Entry, AuditEntry]:
            old = self._entry(transaction, access, memory_id).memory
            now = self._clock()
            if old.pinned != pinned:
                new = replace(old, pinned=pinned, updated_at=now, revision=old.revision + 1)
                change = MemoryUpdate(old, new, Action.UPDATED)
                if self._writer.change_within(transaction, access, change) is None:
                    raise Conflict("Somebody changed the entry first.", hint="Try again.")
                kept = pinned or old.manually_saved
                entries.set_protected(transaction, access, memory_id, kept)
            done = note(
                transaction,
                access,
                "pin" if pinned else "unpin",
                memory_id,
                session=session,
                detail={"was": old.pinned},
                now=now,
            )
            return self._entry(transaction, access, memory_id), done

        return deciding(self._database, viewer, space, "pin memories", work)

    def forget(
        self,
        viewer: Viewer,
        space: Space,
        ids: Sequence[str],
        *,
        session: str | None,
        may_return: bool = False,
    ) -> Forgotten:
        """Erase entries for good, with the viewer's own messages that they came from.

        They are not learned again for a day, unless ``may_return`` is set.
        """
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            lost = tuple(found(transaction, access, memory_id) for memory_id in ids)
        for memory in lost:
            if memory.audience.owner != viewer.user:
                raise NotAllowed("Only the owner of an entry may have it forgotten.")
        vectors = self._vectors(lost)
        key = new_key()

        def work(
            transaction: Transaction, access: Access
        ) -> tuple[AuditEntry, list[str], list[str]]:
            now = self._clock()
            sources = own_sources(transaction, access, lost)
            masked = masked_sources(transaction, access, lost)
            stones = [
                tombstone_of(memory.content, vector, now)
                for memory, vector in zip(lost, vectors, strict=True)
                if not may_return
            ]
            kept = kept_rows(
                transaction,
                access,
                lost,
                sources=sources,
                masked=masked,
                stones=[stone.id for stone in stones],
            )
            seal_id = new_id(TOMBSTONE, now)
            sealed = seal(kept, key, purpose_of(access, seal_id))
            tombstones.put_seal(transaction, access, seal_id, sealed, now + UNDO_FOR)
            texts: list[str] = []
            for memory in lost:
                texts += self._writer.erase_within(transaction, access, memory.id)
            for stone in stones:
                tombstones.put_tombstone(transaction, access, stone)
            for event_id in sources:
                texts += self._events.erase_within(transaction, access, event_id)
            for event_id, words in masked.items():
                texts += self._events.mask_within(transaction, access, event_id, words)
            enqueue(transaction, access.space_id, CHAT_UNSEAL, {}, now=now, delay=UNDO_FOR)
            done = note(
                transaction,
                access,
                "forget",
                lost[0].id if len(lost) == 1 else None,
                session=session,
                detail={
                    "ids": [memory.id for memory in lost],
                    "events": len(sources),
                    "seal": seal_id,
                },
                now=now,
            )
            return done, texts, [*sources, *masked]

        done, texts, changed = deciding(self._database, viewer, space, "forget memories", work)
        ids_gone = tuple(memory.id for memory in lost)
        self._seals.expect(done.at + UNDO_FOR)
        traces = self._database.erasure.finish(
            space.id, texts, [*ids_gone, *changed], analyse=analyse, waits=True
        )
        self._undo_keys.hold(done.id, key)
        return Forgotten(ids_gone, len(changed), done.at + LIFETIME, traces, f"{done.id}.{key}")

    def set(
        self, viewer: Viewer, space: Space, *, session: str | None = None, **changes: Any
    ) -> tuple[MemorySettings, AuditEntry]:
        """Change the viewer's settings in a space."""
        checked = _checked_settings(changes)

        def work(transaction: Transaction, access: Access) -> tuple[MemorySettings, AuditEntry]:
            old = personal_settings.settings_of(transaction, access)
            new = replace(old, **checked)
            personal_settings.put_settings(transaction, access, new)
            before = {name: getattr(old, name) for name in checked}
            done = note(
                transaction,
                access,
                "settings",
                session=session,
                detail={"before": before, "after": checked},
                now=self._clock(),
            )
            return new, done

        return deciding(self._database, viewer, space, "change settings", work)

    def incognito(
        self, viewer: Viewer, space: Space, session: str, *, on: bool
    ) -> tuple[bool, AuditEntry]:
        """Begin or end an incognito session. While it lasts, nothing said in it is kept."""
        name = safe_name(session, "session")

        def work(transaction: Transaction, access: Access) -> tuple[bool, AuditEntry]:
            now = self._clock()
            personal_settings.put_session(transaction, access, name, incognito=on, now=now)
            action = "incognito_start" if on else "incognito_end"
            return on, note(transaction, access, action, session=name, now=now)

        return deciding(self._database, viewer, space, "go incognito", work)

    def answer(
        self, viewer: Viewer, space: Space, question_id: str, *, replaces: bool
    ) -> tuple[Question, AuditEntry]:
        """Answer whether the newer of two claims replaces the older; both stay readable."""

        def work(transaction: Transaction, access: Access) -> tuple[Question, AuditEntry]:
            question = questions.get_question(transaction, access, question_id)
            if question is None:
                raise NotFound(f"No question {question_id!r} is open here.")
            if question.answer is not None:
                raise Conflict(f"That question was answered already: {question.answer}.")
            now = self._clock()
            if replaces:
                old = found(transaction, access, question.old_id)
                new = found(transaction, access, question.new_id)
                if old.superseded_by is None:
                    self._writer.succeed_within(transaction, access, old, new, now)
                    entries.drop_entry(transaction, access, old.id)
            said = "replaced" if replaces else "both"
            questions.answer_question(transaction, access, question_id, said, now)
            contradictions.settle_pair(
                transaction,
                access.space_id,
                (question.old_id, question.new_id),
                resolution=Resolution.B_WINS if replaces else Resolution.BOTH,
                by=viewer.user,
                at=now,
            )
            done = note(
                transaction,
                access,
                "supersede" if replaces else "keep_both",
                question.new_id,
                detail={"old": question.old_id, "question": question_id},
                now=now,
            )
            return replace(question, answer=said), done

        return deciding(self._database, viewer, space, "answer", work)

    # --- helping ----------------------------------------------------------------------------------

    def _entry(self, transaction: Transaction, access: Access, memory_id: str) -> Entry:
        memory = found(transaction, access, memory_id)
        row = entries.rows_of(transaction, access, [memory_id]).get(memory_id)
        if row is None:
            raise NotFound(f"{memory_id} is not one of your entries.")
        return entry_of(memory, row)

    def _vectors(self, lost: Sequence[Memory]) -> Sequence[Any]:
        if self._indexer.embedder is None or not self._indexer.embedder.local:
            return [None] * len(lost)
        return list(self._indexer.embedder.embed([memory.content for memory in lost]))


def own_sources(transaction: Transaction, access: Access, lost: Sequence[Memory]) -> list[str]:
    """The viewer's own events that these memories came from and that no other memory cites."""
    return [event.id for event, others in _own_events(transaction, access, lost) if not others]


def masked_sources(
    transaction: Transaction, access: Access, lost: Sequence[Memory]
) -> dict[str, str]:
    """The viewer's own events that other memories cite too, each with its words without those that
    only these memories tell; events in which there are none are left out.
    """
    words: dict[str, str] = {}
    for event, others in _own_events(transaction, access, lost):
        told = [memory.content for memory in lost if event.id in memory.provenance.events]
        without = without_forgotten(event.text, told, [other.content for other in others])
        if others and without != event.text:
            words[event.id] = without
    return words


def _own_events(
    transaction: Transaction, access: Access, lost: Sequence[Memory]
) -> Iterator[tuple[Event, list[Memory]]]:
    """The viewer's own events that these memories came from, each with the others that cite it."""
    wanted = {event for memory in lost for event in memory.provenance.events}
    seen = events.get_events(transaction, access, sorted(wanted)) if wanted else {}
    gone = {memory.id for memory in lost}
    for event in seen.values():
        if event.author == access.viewer.user and event.deleted_at is None:
            citing = reads.pointing_at(transaction, access, event.id)
            yield event, [memory for memory in citing if memory.id not in gone]


def _checked_settings(changes: dict[str, Any]) -> dict[str, Any]:
    """Settings from a caller, each checked; an unknown name is an error."""
    checked: dict[str, Any] = {}
    for name, value in changes.items():
        if name in ("memory_enabled", "incognito_default"):
            checked[name] = flag(value, name)
        elif name == "soft_cap":
            whole(value, 1, LARGEST_CAP, "A cap is")
            checked[name] = value
        elif name == "retention_days":
            if value is not None:
                whole(value, 1, LONGEST_RETENTION, "Retention has")
            checked[name] = value
        else:
            raise InvalidInput(
                f"There is no memory setting {name!r}.",
                hint=f"There are: {', '.join(MemorySettings.__dataclass_fields__)}.",
            )
    if not checked:
        raise InvalidInput("No setting to change was given.")
    return checked


#: The absolute date that was added after a relative one is not in the message.
_DATE_BESIDE: Final = re.compile(r" \([^()]{0,30}\d{4}\)")


def without_forgotten(message: str, forgotten: Iterable[str], kept: Iterable[str]) -> str:
    """A message without the sentences that tell the forgotten entries; ``kept`` are the other
    entries that came from it.
    """
    still_told = _content_terms(kept)
    gone = _content_terms(forgotten)
    only_there = gone - still_told or gone
    masked, end = "", 0
    for begin, stop in sentence_spans(message):
        if _content_terms([message[begin:stop]]) & only_there:
            masked += message[end:begin]
            masked += "" if masked.rstrip().endswith(FORGOTTEN) else FORGOTTEN
        else:
            masked += message[end:stop]
        end = stop
    return masked + message[end:]


def _content_terms(texts: Iterable[str]) -> set[str]:
    """The words of texts that tell something: stems, numbers and names."""
    found: set[str] = set()
    for text in texts:
        words = read(_DATE_BESIDE.sub("", text))
        found |= words.stems | words.numbers
    return found
