"""Progress of a move, stored in the target: which store is copied, and how far the copy is.

Both notes are facts of the target. They are deleted when the move is done, so a store with a note
is incomplete.
"""

import json
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, delete, update

from recollect.storage.schema import store_facts
from recollect.storage.store_facts import fact, put_fact
from recollect.vocabulary.errors import Conflict

_SOURCE: Final = "move:source"
_POSITION: Final = "move:position"
NOTES: Final = (_SOURCE, _POSITION)


class MoveInventory(NamedTuple):
    """Inventory of a move: each space with its clock, oldest first, and the size of each part."""

    spaces: dict[str, int]
    sizes: dict[str, int]

    @property
    def identity(self) -> str:
        """Identity of a store: its first space."""
        return next(iter(self.spaces))

    @property
    def rows(self) -> int:
        """Total number of rows."""
        return sum(self.sizes.values())


class Position(NamedTuple):
    """Progress of a move: the part, the last key, and the number of copied rows."""

    part: str
    after: list[Any] | None
    done: int


def begin_notes(connection: Connection, survey: MoveInventory, position: Position) -> None:
    """Store the inventory and the first position."""
    put_fact(connection, _SOURCE, json.dumps(survey))
    put_fact(connection, _POSITION, json.dumps(position))


def stored_inventory(connection: Connection) -> MoveInventory | None:
    """The inventory of the source; None if no move is under way."""
    noted = fact(connection, _SOURCE)
    return MoveInventory(*json.loads(noted)) if noted else None


def stored_position(connection: Connection) -> Position | None:
    """The progress of the move; None if it must start again."""
    noted = json.loads(fact(connection, _POSITION) or "null")
    return Position(*noted) if noted else None


def advance(connection: Connection, old: Position, new: Position | None) -> None:
    """Store the new position, unless another process stored one since."""
    done = connection.execute(
        update(store_facts)
        .where(store_facts.c.name == _POSITION, store_facts.c.value == json.dumps(old))
        .values(value=json.dumps(new))
    )
    if done.rowcount != 1:
        raise Conflict(
            "Another process is moving into the target too, so this one stops.",
            hint="Let one of them finish.",
        )


def end_notes(connection: Connection) -> None:
    """Delete the notes: the move is done."""
    connection.execute(delete(store_facts).where(store_facts.c.name.in_(NOTES)))


def refuse_unfinished(connection: Connection) -> None:
    """Raise an error for a store that is still being filled."""
    if fact(connection, _SOURCE) is not None:
        raise Conflict(
            "This store is the target of a move that has not ended. Nothing was changed.",
            hint="Run the same 'recollect move' again; it continues where it stopped.",
        )
