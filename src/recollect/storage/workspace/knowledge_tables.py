"""Reads a knowledge table of another database, for import; writes nothing to it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import MetaData, Table, create_engine, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from recollect.vocabulary.errors import InvalidInput

_AT_ONCE: Final = 500


def knowledge_rows(address: str, table: str) -> Iterator[Mapping[str, Any]]:
    """Every row of a table, as names with values; ``address`` is a file or a postgresql:// URL."""
    postgres = address.startswith(("postgresql://", "postgres://"))
    rest = address.partition("://")[2]
    url = (
        f"postgresql+psycopg://{rest}" if postgres else f"sqlite:///file:{address}?mode=ro&uri=true"
    )
    try:
        engine = create_engine(url)
        try:
            with engine.connect() as connection:
                if table not in inspect(connection).get_table_names():
                    raise InvalidInput(f"There is no table {table!r} there.")
                found = Table(table, MetaData(), autoload_with=connection)
                for row in connection.execute(select(found)).yield_per(_AT_ONCE).mappings():
                    yield dict(row)
        finally:
            engine.dispose()
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", error)).splitlines()[0]
        raise InvalidInput(f"The table {table!r} could not be read: {said}.") from None
