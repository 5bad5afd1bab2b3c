"""Key-value facts about the store as a whole, such as which analyser built its index."""

from typing import Final

from sqlalchemy import Connection, Text, bindparam, delete, insert, select

from recollect.storage.prepared import Prepared
from recollect.storage.schema import store_facts

#: Present while texts of something erased may remain in the database files.
ERASING: Final = "erasing"
_FACT: Final = Prepared(
    lambda: select(store_facts.c.value).where(store_facts.c.name == bindparam("wanted", type_=Text))
)


def fact(connection: Connection, name: str) -> str | None:
    """The fact of that name."""
    found: str | None = _FACT.value(connection, wanted=name)
    return found


def put_fact(connection: Connection, name: str, value: str) -> None:
    """Set a fact."""
    connection.execute(delete(store_facts).where(store_facts.c.name == name))
    connection.execute(insert(store_facts).values(name=name, value=value))


def drop_fact(connection: Connection, name: str, value: str) -> None:
    """Delete a fact if it still has this value."""
    connection.execute(
        delete(store_facts).where(store_facts.c.name == name, store_facts.c.value == value)
    )
