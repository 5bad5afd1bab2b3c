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
    row = connection.execute(
        select(imports).where(imports.c.space_id == space_id, imports.c.import_id == import_id)
    ).first()
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
    done = connection.execute(
        update(imports)
        .where(imports.c.space_id == space_id, imports.c.import_id == import_id)
        .values(**values)
    )
    if not done.rowcount:
        connection.execute(insert(imports).values(space_id=space_id, import_id=import_id, **values))


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
