"""Pending confirmations: questions that wait for a yes, as audit log rows that any process reads.

A yes answers the question directly before it and no earlier one: any action in between ends it. In
an incognito session nothing is written, so there the question exists in this process only.
"""

import threading
from collections import OrderedDict
from datetime import timedelta
from typing import Final

from recollect.chat.entries.audit import note
from recollect.chat.entries.member_transaction import deciding
from recollect.storage.chat import audit
from recollect.storage.database import Database, Transaction
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.personal import AuditEntry
from recollect.vocabulary.spaces import Space

_ASKED: Final = "forget_asked"
_LEFT: Final = "forget_left"
_WAITS: Final = timedelta(minutes=15)
_HELD: Final = 256
_LOOKED_AT: Final = 20

_Key = tuple[str, str, str | None]


class PendingConfirmations:
    """The questions that wait for a yes, one per person, space and session."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._unwritten: OrderedDict[_Key, tuple[str, ...]] = OrderedDict()

    def ask(self, viewer: Viewer, space: Space, session: str | None, ids: tuple[str, ...]) -> None:
        """Ask for confirmation: the next yes forgets exactly these entries."""
        if self._is_closed(viewer, space, session):
            with self._lock:
                self._unwritten[space.id, viewer.user, session] = ids
                while len(self._unwritten) > _HELD:
                    self._unwritten.popitem(last=False)
            return
        self._write(viewer, space, session, _ASKED, {"ids": list(ids)})

    def take(self, viewer: Viewer, space: Space, session: str | None) -> tuple[str, ...] | None:
        """The entry ids that a yes confirms now; None when nothing waits for one."""
        with self._lock:
            held = self._unwritten.pop((space.id, viewer.user, session), None)
        if held is not None:
            return held
        waiting = self._waiting(viewer, space, session)
        return None if waiting is None else tuple(map(str, waiting.detail.get("ids", ())))

    def drop(self, viewer: Viewer, space: Space, session: str | None) -> None:
        """Cancel the question because something else was said; a later yes has no effect."""
        with self._lock:
            self._unwritten.pop((space.id, viewer.user, session), None)
        if self._waiting(viewer, space, session) is not None:
            self._write(viewer, space, session, _LEFT, {})

    def _waiting(self, viewer: Viewer, space: Space, session: str | None) -> AuditEntry | None:
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            rows = audit.list_audit(transaction, access, before=None, limit=_LOOKED_AT)
        last = next((row for row in rows if row.session == session), None)
        if last is None or last.action != _ASKED or self._clock() > last.at + _WAITS:
            return None
        return last

    def _write(
        self,
        viewer: Viewer,
        space: Space,
        session: str | None,
        action: str,
        detail: dict[str, list[str]],
    ) -> None:
        def work(transaction: Transaction, access: Access) -> None:
            note(transaction, access, action, session=session, detail=detail, now=self._clock())

        deciding(self._database, viewer, space, "forget memories", work)

    def _is_closed(self, viewer: Viewer, space: Space, session: str | None) -> bool:
        with self._database.reading() as transaction:
            return closed(transaction, authorise(transaction, viewer, space), session) is not None
