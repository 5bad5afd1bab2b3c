"""Rows of import progress, and of reactions and edits that come with imported events.

A checkpoint is written in the transaction of its batch, so it never claims more than the store has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, bindparam, insert, select, update

from recollect.storage.columns import Instant
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import event_reactions, events, imports
from recollect.vocabulary.clock import to_microseconds

_EDITED = Prepared(
    lambda: (
        update(events)
        .where(
            events.c.space_id == bindparam("space", type_=Text),
            events.c.event_id == bindparam("event", type_=Text),
        )
        .values(edited_at=bindparam("at", type_=Instant))
    )
)
_CHECKPOINTED = ("source", "position", "read", "added", "finished_at", "updated_at")
_IMPORT = (
    imports.c.space_id == bindparam("of_space", type_=Text),
    imports.c.import_id == bindparam("of_import", type_=Text),
)
_CHECKPOINT = Prepared(lambda: select(imports).where(*_IMPORT))
_ADVANCE = Prepared(
    lambda: (
        update(imports).where(*_IMPORT).values({name: bindparam(name) for name in _CHECKPOINTED})
    )
)
_BEGIN = Prepared(lambda: insert(imports))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Progress of an import: where to continue, and what was imported before."""

    source: str
    position: Mapping[str, Any]
    read: int
    added: int
    finished_at: datetime | None = None


def get_checkpoint(connection: Connection, space_id: str, import_id: str) -> Checkpoint | None:
    """The checkpoint of an import, if it was ever begun."""
    row = _CHECKPOINT.first(connection, of_space=space_id, of_import=import_id)
    if row is None:
        return None
    return Checkpoint(row.source, row.position, row.read, row.added, row.finished_at)


def put_checkpoint(
    connection: Connection, space_id: str, import_id: str, checkpoint: Checkpoint, at: datetime
) -> None:
    """Store the checkpoint of an import, replacing the earlier one."""
    values = {
        "source": checkpoint.source,
        "position": checkpoint.position,
        "read": checkpoint.read,
        "added": checkpoint.added,
        "finished_at": checkpoint.finished_at,
        "updated_at": at,
    }
    if not _ADVANCE.run(connection, of_space=space_id, of_import=import_id, **values):
        _BEGIN.run(connection, space_id=space_id, import_id=import_id, **values)


def add_reactions(
    connection: Connection, space_id: str, rows: Sequence[tuple[str, str, str, datetime]]
) -> None:
    """Add reactions to new events: event, person, emoji, time."""
    insert_rows(
        connection,
        event_reactions,
        ("space_id", "event_id", "user_id", "emoji", "at"),
        [(space_id, event, user, sign, to_microseconds(at)) for event, user, sign, at in rows],
    )


def mark_edited(
    connection: Connection, space_id: str, edits: Sequence[tuple[str, datetime]]
) -> None:
    """Record when new events were edited before the import."""
    _EDITED.run_many(
        connection,
        [{"space": space_id, "event": event, "at": at} for event, at in edits],
    )
