"""Full text on PostgreSQL: the analyser's tokens in a ``tsvector`` under a GIN index.

Each lexeme begins with the number of its space, so the postings of one space are adjacent however
many spaces share the table. A lexeme's positions only encode how often the text contains it: its
rank for a query of that one word depends on the count and nothing else, so the count can be
computed back.

The GIN index cannot be used through row-level security, because PostgreSQL does not trust the
operator with hidden rows. So postings are read by a function that runs with the rights of the
tables' owner and reads only the space that the transaction has entered.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from recollect.storage.dialects.protocol import MAX_COUNTED, Postings, SpaceKey
from recollect.storage.prepared import cursor_of, insert_in_order

_LEXEME: Final = re.compile(r"'\d+\|([^']*)':([\d,]+)")


def create(connection: Connection, collection: str, spread: str = "") -> None:
    """Create the table and its index; ``functions`` has the functions that read them."""
    table = f"{collection}_keywords"
    for statement in (
        f'CREATE TABLE {table} (space_id text COLLATE "C" NOT NULL, slot bigint NOT NULL,'
        " tokens tsvector NOT NULL, PRIMARY KEY (space_id, slot),"
        f" FOREIGN KEY (space_id) REFERENCES spaces (space_id) ON DELETE CASCADE){spread}",
        f"CREATE INDEX {table}_by_token ON {table} USING gin (tokens)",
    ):
        connection.exec_driver_sql(statement)


def put(
    connection: Connection,
    collection: str,
    space: SpaceKey,
    documents: Sequence[tuple[int, str]],
) -> None:
    """Insert the tokens of new slots."""
    if documents:
        space_id, number = space
        insert_in_order(
            connection,
            f"INSERT INTO {collection}_keywords (space_id, slot, tokens)"
            " VALUES (%s, %s, %s::tsvector)",
            3,
            [(space_id, slot, _vector(number, tokens)) for slot, tokens in documents],
        )


def drop(connection: Connection, collection: str, space: SpaceKey, slots: Sequence[int]) -> None:
    """Delete the tokens of slots."""
    connection.exec_driver_sql(
        f"DELETE FROM {collection}_keywords WHERE space_id = %(space)s AND slot = ANY(%(slots)s)",
        {"space": space[0], "slots": list(slots)},
    )


def documents(
    connection: Connection,
    collection: str,
    space: SpaceKey,
    after: int,
    limit: int | None,
) -> Iterable[tuple[int, str]]:
    """Slot and tokens after a slot, in order; equal tokens are adjacent."""
    rows = connection.exec_driver_sql(
        f"SELECT slot, tokens::text FROM {collection}_keywords"
        " WHERE space_id = %(space)s AND slot > %(after)s ORDER BY slot LIMIT %(limit)s",
        {"space": space[0], "after": after, "limit": limit},
    )
    return [(slot, _tokens(vector)) for slot, vector in rows]


def postings(
    connection: Connection, collection: str, space: SpaceKey, terms: Sequence[str]
) -> Postings:
    """The slots that contain the terms and how often, through the function."""
    rows: list[tuple[int, float]] = []
    sizes: list[int] = []
    cursor = cursor_of(connection)
    try:
        for term in terms:
            cursor.execute(
                f"SELECT slot, rank FROM recollect_{collection}_postings(%s)",
                (_lexeme(space[1], term),),
            )
            found = cursor.fetchall()
            rows += found
            sizes.append(len(found))
    finally:
        cursor.close()
    every = np.array(rows, np.float64).reshape(-1, 2)
    return every[:, 0].astype(np.int64), _counts(every[:, 1]), sizes


def problems(connection: Connection, collection: str) -> list[str]:
    """An index that is missing or not valid."""
    name = f"{collection}_keywords_by_token"
    valid = connection.exec_driver_sql(
        "SELECT i.indisvalid FROM pg_index i WHERE i.indexrelid = to_regclass(%(name)s)",
        {"name": name},
    ).scalar()
    return [] if valid else [f"The keyword index of {collection} is missing or not valid."]


def _vector(number: int, tokens: str) -> str:
    """Tokens as the text of a tsvector; each has as many positions as occurrences in the text."""
    return " ".join(
        f"{_lexeme(number, token)}:{_POSITIONS[min(count, MAX_COUNTED)]}"
        for token, count in Counter(tokens.split()).items()
    )


def _tokens(vector: str) -> str:
    """The tokens of a tsvector's text, each repeated once per position."""
    found: list[str] = []
    for token, places in _LEXEME.findall(vector):
        found += [token] * (places.count(",") + 1)
    return " ".join(found)


def _lexeme(number: int, token: str) -> str:
    """The lexeme of a token in a space; the analyser allows no quotes or backslashes in tokens."""
    return f"'{number}|{token}'"


def _ranks() -> NDArray[np.float64]:
    """``ts_rank`` for each count, computed as PostgreSQL does: in single precision."""
    weight, total = np.float32(0.1), np.float32(0)
    ranks = []
    for place in range(1, MAX_COUNTED + 1):
        total += weight / np.float32(place * place)
        ranks.append(float(np.float32(float(total) / 1.64493406685)))
    return np.array(ranks)


def _counts(ranks: NDArray[np.float64]) -> NDArray[np.int64]:
    """How often a text contains a word, from the rank of that word."""
    return (np.searchsorted(_STEPS, ranks) + 1).astype(np.int64)


_POSITIONS: Final = tuple(
    ",".join(str(place) for place in range(1, count + 1)) for count in range(MAX_COUNTED + 1)
)
_RANKS: Final = _ranks()
_STEPS: Final = (_RANKS[:-1] + _RANKS[1:]) / 2
