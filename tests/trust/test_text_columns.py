"""A column that can hold text is declared with what keeps secrets out of it, or this fails."""

import re

from recollect.storage.schema import metadata
from tests.stores import StoreMaker
from tests.trust.text_columns import COLUMNS

_NO_TEXT = re.compile(r"INT|REAL|FLOAT|DOUBLE|BOOL|NUMERIC|vector", re.IGNORECASE)
_PARTITION = re.compile(r"_\d{4}$")
_COLUMNS = {
    "postgresql": "SELECT table_name, column_name, data_type || udt_name"
    " FROM information_schema.columns WHERE table_schema = current_schema()",
    "sqlite": "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_xinfo(m.name) c"
    " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
}


def columns_with_text(stores: StoreMaker) -> set[tuple[str, str]]:
    """Every column of every table, as the database itself tells it, that could hold words: all but
    those of numbers."""
    with stores.database().reading() as connection:
        rows = connection.exec_driver_sql(_COLUMNS[stores.backend.name])
        return {
            (table, column)
            for table, column, kind in rows
            if not _NO_TEXT.search(kind) and not _PARTITION.search(table)
        }


def test_every_column_that_can_hold_text_says_how_it_is_protected(stores: StoreMaker) -> None:
    undeclared = sorted(
        f"{table}.{column}"
        for table, column in columns_with_text(stores)
        if column not in COLUMNS.get(table, {})
    )

    assert undeclared == [], "declare them in tests/trust/text_columns.py"


def test_no_column_is_declared_that_is_not_there() -> None:
    of_ours = {table.name: set(table.columns.keys()) for table in metadata.sorted_tables}

    assert [
        f"{table}.{column}"
        for table, columns in COLUMNS.items()
        if table in of_ours
        for column in columns
        if column not in of_ours[table]
    ] == []
    assert sorted(of_ours.keys() - COLUMNS.keys()) == []
