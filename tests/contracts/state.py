"""The whole state of a store as one value, to see whether anything changed."""

from typing import Any

from sqlalchemy import select

from recollect.storage.database import Database
from recollect.storage.pages.spaces import all_space_ids
from recollect.storage.schema import COLLECTIONS, metadata
from recollect.storage.space_clock import number_and_clock

State = dict[str, list[Any]]

#: The tables that have rows, asked for at once: most of them have none in most tests.
_FILLED = " UNION ALL ".join(
    f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in sorted(metadata.tables)
)


def state_of(database: Database) -> State:
    """Every row of every table, and every token of the full text, in an order of its own."""
    with database.reading(all_spaces=True) as transaction:
        filled = set(transaction.exec_driver_sql(_FILLED).scalars())
        state: State = {
            table.name: sorted(map(repr, transaction.execute(select(table)).all()))
            if table.name in filled
            else []
            for table in metadata.sorted_tables
        }
        for space_id in all_space_ids(transaction):
            number, _ = number_and_clock(transaction, space_id)
            for collection in COLLECTIONS:
                state[f"{collection} of {space_id}"] = list(
                    database.dialect.keyword_documents(
                        transaction, collection, (space_id, number), -1
                    )
                )
    return state


def changed(before: State, after: State) -> State:
    """What differs, so that a failing test shows that and not the whole store."""
    found: State = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, []), after.get(name, [])
        if old != new:
            found[name] = [row for row in [*old, *new] if (row in old) != (row in new)]
    return found
