"""Undo of a person's actions on their memory: each kind of action has its inverse."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from recollect.chat.entries.audit import note
from recollect.chat.entries.control import Control
from recollect.chat.entries.entry_writer import put_entry
from recollect.chat.entries.member_transaction import deciding
from recollect.chat.entries.sealed_rows import kept_of, purpose_of, put_back
from recollect.chat.entries.undo_keys import UNDO_FOR, UndoKeys
from recollect.memories.metadata import notice
from recollect.memories.writer import MemoryUpdate, MemoryWriter, found
from recollect.pages.events import Events
from recollect.storage.chat import audit
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import contradictions, entries, questions, tombstones
from recollect.trust.authorisation import authorise
from recollect.trust.sealed_text import unseal
from recollect.vocabulary.arguments import shown
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import NotAllowed, NotFound
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.personal import AuditEntry
from recollect.vocabulary.spaces import Space

_RECENT: Final = 20


class Undone(NamedTuple):
    """A sentence that says what was undone, and the code that redoes it, if any."""

    sentence: str
    code: str | None = None


class Undo:
    """Undoes actions from the audit log."""

    def __init__(
        self,
        database: Database,
        *,
        control: Control,
        writer: MemoryWriter,
        pages: Events,
        undo_keys: UndoKeys,
        clock: Clock,
    ) -> None:
        self._database = database
        self._control = control
        self._writer = writer
        self._pages = pages
        self._undo_keys = undo_keys
        self._clock = clock

    def undo(self, viewer: Viewer, space: Space, code: str) -> Undone:
        """Undo an action.

        The code is the id of the action; for a forgetting, a point and a key follow.
        """
        audit_id, _, key = code.partition(".")
        with self._database.reading() as transaction:
            done = audit.get_audit(transaction, authorise(transaction, viewer, space), audit_id)
        if done is None:
            raise NotFound(f"There is no action {shown(audit_id)} to undo here.")
        undone = _UNDONE.get(done.action)
        if undone is None:
            raise NotAllowed(f"The action {done.action} cannot be undone.")
        return undone(self, viewer, space, done, key)

    def last_undoable(self, viewer: Viewer, space: Space, session: str | None) -> AuditEntry | None:
        """The viewer's last action that can be undone, whichever process did it.

        The audit log decides. If the last such action was itself an undo, the result is None: going
        further back would undo something that the viewer did not mean.
        """
        page = self._control.audit(viewer, space, cursor=None, limit=_RECENT)
        for entry in page.items:
            if session is not None and entry.session not in (None, session):
                continue
            if entry.action == "undo":
                return None
            if entry.action in _UNDONE and not entry.detail.get("restored"):
                return entry
        return None

    def is_gone(self, done: AuditEntry) -> bool:
        """Whether the action was a forgetting whose time for undo is over."""
        return done.action == "forget" and self._clock() > done.at + UNDO_FOR

    def is_sealed(self, done: AuditEntry) -> bool:
        """Whether undoing the action needs a key that this process does not hold."""
        return done.action == "forget" and not self._undo_keys.holds(done.id)

    def _undo_forget(self, viewer: Viewer, space: Space, done: AuditEntry, key: str) -> Undone:
        recent = self._control.audit(viewer, space, cursor=None, limit=_RECENT).items
        if any(one.detail.get("undid") == done.id for one in recent):
            raise NotAllowed("That was undone already: it is remembered again.")
        key = key or self._undo_keys.take(done.id) or ""
        if not key and self._clock() <= done.at + UNDO_FOR:
            raise NotAllowed(
                "What was forgotten is encrypted, and this code does not hold its key.",
                hint="Give the whole code that forgetting gave: its id, a point and a key.",
            )

        def work(transaction: Transaction, access: Access) -> int:
            now = self._clock()
            seal_id = str(done.detail.get("seal", ""))
            sealed = tombstones.get_seal(transaction, access, seal_id, now)
            if sealed is None or now > done.at + UNDO_FOR:
                raise NotAllowed(
                    "What was forgotten is erased.", hint="It can be undone for 15 minutes only."
                )
            text = unseal(sealed, key, purpose_of(access, seal_id))
            if text is None:
                raise NotAllowed(
                    "That key does not fit. Nothing was changed.",
                    hint="Give the whole code that forgetting gave: its id, a point and a key.",
                )
            kept = kept_of(text)
            count = put_back(transaction, access, kept, writer=self._writer, pages=self._pages)
            tombstones.drop_tombstones(transaction, access, [seal_id, *kept.stones])
            self._undid(transaction, access, done)
            return count

        count = deciding(self._database, viewer, space, "take that back", work)
        return Undone("I remember it again." if count == 1 else f"I remember all {count} again.")

    def _undo_remember(self, viewer: Viewer, space: Space, done: AuditEntry, _: str) -> Undone:
        ids = [done.subject or ""]
        gone = self._control.forget(viewer, space, ids, session=done.session, may_return=True)
        return Undone("I have forgotten it.", gone.undo)

    def _undo_pin(self, viewer: Viewer, space: Space, done: AuditEntry, _: str) -> Undone:
        was, subject = bool(done.detail.get("was")), done.subject or ""
        back = self._control.pin(viewer, space, subject, pinned=was, session=done.session)[1]
        return Undone("It is pinned again." if was else "It is not pinned any more.", back.id)

    def _undo_settings(self, viewer: Viewer, space: Space, done: AuditEntry, _: str) -> Undone:
        before = done.detail["before"]
        back = self._control.set(viewer, space, session=done.session, **before)[1]
        said = "The settings are as they were."
        if "memory_enabled" in before:
            said = f"Memory is {'on' if before['memory_enabled'] else 'off'} again."
        return Undone(said, back.id)

    def _undo_incognito(self, viewer: Viewer, space: Space, done: AuditEntry, _: str) -> Undone:
        on = done.action == "incognito_end"
        back = self._control.incognito(viewer, space, done.session or "", on=on)[1]
        said = "This session is incognito again." if on else "This session is not incognito."
        return Undone(said, back.id)

    def _undo_supersede(self, viewer: Viewer, space: Space, done: AuditEntry, _: str) -> Undone:
        def work(transaction: Transaction, access: Access) -> None:
            now = self._clock()
            for one in (done.detail["old"], *done.detail.get("others", ())):
                old = found(transaction, access, str(one))
                self._reinstate(transaction, access, old, now)
                contradictions.reopen_pair(transaction, space.id, (old.id, str(done.subject)))
            if done.detail["question"]:
                asked = str(done.detail["question"])
                questions.answer_question(transaction, access, asked, None, now)
            self._undid(transaction, access, done)

        deciding(self._database, viewer, space, "take that back", work)
        if done.detail["question"]:
            return Undone("Both stand again, and the question is open.")
        gone = self._control.forget(viewer, space, [done.subject or ""], session=done.session)
        return Undone("What you had told me before stands again.", gone.undo)

    def _reinstate(
        self, transaction: Transaction, access: Access, old: Memory, now: datetime
    ) -> None:
        """Make a replaced entry hold again."""
        new = replace(
            old, superseded_by=None, valid_to=None, updated_at=now, revision=old.revision + 1
        )
        self._writer.change_within(transaction, access, MemoryUpdate(old, new, Action.RESTORED))
        if old.id not in entries.rows_of(transaction, access, [old.id]):
            put_entry(transaction, access, new, notice(new.content, new.tags))

    def _undid(self, transaction: Transaction, access: Access, done: AuditEntry) -> None:
        note(
            transaction,
            access,
            "undo",
            done.subject,
            session=done.session,
            detail={"undid": done.id},
            now=self._clock(),
        )


_UNDONE: Final[dict[str, Callable[[Undo, Viewer, Space, AuditEntry, str], Undone]]] = {
    "forget": Undo._undo_forget,
    "remember": Undo._undo_remember,
    "pin": Undo._undo_pin,
    "unpin": Undo._undo_pin,
    "settings": Undo._undo_settings,
    "incognito_start": Undo._undo_incognito,
    "incognito_end": Undo._undo_incognito,
    "supersede": Undo._undo_supersede,
}
