"""Audit log of people's actions on their memory: action, entry and time, never the text."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.storage.chat.audit import add_audit
from recollect.storage.database import Transaction
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.ids import AUDIT, new_id
from recollect.vocabulary.personal import AuditEntry


def note(
    transaction: Transaction,
    access: Access,
    action: str,
    subject: str | None = None,
    *,
    session: str | None = None,
    detail: Mapping[str, Any] | None = None,
    now: datetime,
) -> AuditEntry:
    """Write one row of the audit log, in the same transaction as the action itself."""
    entry = AuditEntry(
        new_id(AUDIT, now), access.viewer.user, action, subject, session, detail or {}, now
    )
    add_audit(transaction, access.space_id, entry)
    return entry
