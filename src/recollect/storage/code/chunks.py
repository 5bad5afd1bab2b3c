"""Rows of chunks: searchable pieces of source files, and their metadata."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, Connection, Text, and_, bindparam, select

from recollect.storage.access.visibility_filter import VISIBLE, seen_by
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import code_chunks, code_files
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.code import number_of
from recollect.vocabulary.results import Chunk

_FILES_AT_ONCE: Final = 500
COLLECTION: Final = "chunks"
#: Number of characters at the beginning of a chunk that its embedding is computed from.
EMBEDDED: Final = 600
_MANY: Final = 5_000

_SPACE: Final = bindparam("space", type_=Text)
_COLUMNS: Final = (
    "chunk_id",
    "file_id",
    "audience_id",
    "slot",
    "kind",
    "name",
    "heading",
    "start_line",
    "end_line",
    "text",
)
_OF_FILE: Final = and_(
    code_files.c.space_id == code_chunks.c.space_id, code_files.c.file_id == code_chunks.c.file_id
)
_BY_ID = Prepared(
    lambda: (
        select(
            code_chunks.c.chunk_id,
            code_chunks.c.kind,
            code_chunks.c.name,
            code_chunks.c.heading,
            code_chunks.c.start_line,
            code_chunks.c.end_line,
            code_chunks.c.text,
            code_files.c.path,
            code_files.c.role,
        )
        .join(code_files, _OF_FILE)
        .where(
            code_chunks.c.space_id == bindparam("seen_space", type_=Text),
            code_chunks.c.chunk_id.in_(bindparam("ids", type_=Text, expanding=True)),
            code_chunks.c.audience_id.in_(VISIBLE),
        )
    )
)
_locations = (
    select(
        code_chunks.c.slot,
        code_chunks.c.kind,
        code_files.c.path,
        code_files.c.role,
    )
    .join(code_files, _OF_FILE)
    .where(code_chunks.c.space_id == _SPACE)
    .order_by(code_chunks.c.slot)
)
_LOCATIONS_AFTER = Prepared(
    lambda: _locations.where(code_chunks.c.slot > bindparam("after", type_=BigInteger))
)
_LOCATIONS_OF = Prepared(
    lambda: _locations.where(
        code_chunks.c.chunk_id.in_(bindparam("ids", type_=Text, expanding=True))
    )
)
_SLOTS = Prepared(
    lambda: select(code_chunks.c.slot).where(
        code_chunks.c.space_id == _SPACE,
        code_chunks.c.file_id.in_(bindparam("numbers", type_=BigInteger, expanding=True)),
    )
)
_TO_INDEX = Prepared(
    lambda: (
        select(
            code_chunks.c.chunk_id,
            code_chunks.c.audience_id,
            code_chunks.c.slot,
            code_chunks.c.kind,
            code_chunks.c.name,
            code_chunks.c.heading,
            code_chunks.c.text,
        )
        .where(
            code_chunks.c.space_id == _SPACE,
            code_chunks.c.chunk_id > bindparam("after", type_=Text),
            code_chunks.c.slot.is_not(None),
        )
        .order_by(code_chunks.c.chunk_id)
        .limit(2_000)
    )
)
_TEXTS = Prepared(
    lambda: select(code_chunks.c.chunk_id, code_chunks.c.heading, code_chunks.c.text).where(
        code_chunks.c.space_id == _SPACE,
        code_chunks.c.chunk_id.in_(bindparam("ids", type_=Text, expanding=True)),
    )
)


class ChunkToIndex(NamedTuple):
    """A chunk with the data needed to rebuild its index entry."""

    chunk_id: str
    audience_id: int
    slot: int
    words: str


def searched_words(name: str, text: str) -> str:
    """The text that a chunk is searched by."""
    return f"{name}\n{text}" if name else text


def embedded_text(heading: str, text: str) -> str:
    """The text that a chunk is embedded from: its heading and its beginning."""
    return f"{heading}\n{text[:EMBEDDED]}"


def put_chunks(connection: Connection, space_id: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert chunks, their values in the order of the table's columns."""
    insert_rows(
        connection, code_chunks, ("space_id", *_COLUMNS), [(space_id, *row) for row in rows]
    )


def slots_of(connection: Connection, space_id: str, numbers: Sequence[int]) -> list[int]:
    """The index slots of the chunks of files, by file number."""
    found: list[int] = []
    for start in range(0, len(numbers), _MANY):
        part = numbers[start : start + _MANY]
        found += _SLOTS.column(connection, space=space_id, numbers=part)
    return found


def slots_in_files(connection: Connection, access: Access, paths: Iterable[str]) -> list[int]:
    """The index slots of the chunks of files, by path."""
    return slots_of(connection, access.space_id, [number_of(path) for path in paths])


def get_chunks(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, Chunk]:
    """The chunks with these ids that the access may see."""
    if not ids:
        return {}
    return {
        row.chunk_id: Chunk(
            row.chunk_id,
            access.space_id,
            row.path,
            row.kind,
            row.name,
            row.heading,
            row.start_line,
            row.end_line,
            row.text,
            row.role,
        )
        for row in _BY_ID.rows(connection, ids=list(ids), **seen_by(access))
    }


def chunk_locations(
    connection: Connection, space_id: str, after: int
) -> list[tuple[int, str, str, str]]:
    """Slot, kind, path and role of the chunks after a slot."""
    return _LOCATIONS_AFTER.raw(connection, space=space_id, after=after)


def chunk_metadata_of(
    connection: Connection, space_id: str, ids: Sequence[str]
) -> list[tuple[int, str, str, str]]:
    """Slot, kind, path and role of a few chunks."""
    return _LOCATIONS_OF.raw(connection, space=space_id, ids=list(ids))


def chunks_to_index(connection: Connection, space_id: str, after: str) -> list[ChunkToIndex]:
    """Chunks in the order of their ids, for rebuilding the index."""
    return [
        ChunkToIndex(row[0], row[1], row[2], searched_words(row[4], row[6]))
        for row in _TO_INDEX.raw(connection, space=space_id, after=after)
    ]


def texts_for_jobs(connection: Connection, space_id: str, ids: Sequence[str]) -> dict[str, str]:
    """The texts to embed, by id."""
    if not ids:
        return {}
    rows = _TEXTS.raw(connection, space=space_id, ids=list(ids))
    return {row[0]: embedded_text(row[1], row[2]) for row in rows}


def texts_of_files(
    connection: Connection, access: Access, numbers: Sequence[int]
) -> list[tuple[str, str, str]]:
    """The chunks of files that are functions or classes: path, name, text."""
    found: list[tuple[str, str, str]] = []
    for start in range(0, len(numbers) if access.member else 0, _FILES_AT_ONCE):
        rows = connection.execute(
            select(code_files.c.path, code_chunks.c.name, code_chunks.c.text)
            .join(code_files, _OF_FILE)
            .where(
                code_chunks.c.space_id == access.space_id,
                code_chunks.c.file_id.in_(numbers[start : start + _FILES_AT_ONCE]),
                code_chunks.c.name != "",
            )
            .order_by(code_files.c.path, code_chunks.c.start_line, code_chunks.c.chunk_id)
        )
        found += [(path, name, text) for path, name, text in rows]
    return found
