"""The tables of code: facts of each file, its nodes and edges, its chunks, and its history.

A file's id is the digest of its path and a node's that of its path and name, so they are the same
in every index of the same code. Deleting a file's row deletes everything of it.
"""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, Table
from sqlalchemy import PrimaryKeyConstraint as Key

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

code_indexes = Table(
    "code_indexes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("root", PlainText, nullable=False),
    Column("identity", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("commit_sha", PlainText),
    Column("history_sha", PlainText),
    Column("settings", Document),
    Column("updated_at", Instant, nullable=False),
    Key("space_id"),
    within("audiences", "audience_id"),
)

code_files = Table(
    "code_files",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("file_id", BigInteger, nullable=False, autoincrement=False),
    Column("path", PlainText, nullable=False),
    Column("language", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("digest", PlainText, nullable=False),
    Column("interface", PlainText, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("changed_ns", BigInteger, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("facts", PlainText, nullable=False),
    Column("stale", Boolean, nullable=False),
    Column("problem", PlainText),
    Key("space_id", "file_id"),
    within("code_indexes"),
    Index("code_files_by_path", "space_id", "path"),
)

code_nodes = Table(
    "code_nodes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("file_id", BigInteger, nullable=False, autoincrement=False),
    Column("node_id", BigInteger, nullable=False, autoincrement=False),
    Column("kind", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("start_line", Integer, nullable=False),
    Column("end_line", Integer, nullable=False),
    Key("space_id", "file_id", "node_id"),
    within("code_files", "file_id"),
    Index("code_nodes_by_id", "space_id", "node_id"),
    sqlite_with_rowid=False,
)

code_edges = Table(
    "code_edges",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("file_id", BigInteger, nullable=False, autoincrement=False),
    Column("source", BigInteger, nullable=False, autoincrement=False),
    Column("target", BigInteger, nullable=False, autoincrement=False),
    Column("kind", PlainText, nullable=False),
    Column("how", PlainText, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("line", Integer, nullable=False),
    Key("space_id", "file_id", "source", "target", "kind"),
    within("code_files", "file_id"),
    sqlite_with_rowid=False,
)

code_needs = Table(
    "code_needs",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("need", BigInteger, nullable=False, autoincrement=False),
    Column("file_id", BigInteger, nullable=False, autoincrement=False),
    Key("space_id", "need", "file_id"),
    within("code_files", "file_id"),
    Index("code_needs_by_file", "space_id", "file_id"),
    sqlite_with_rowid=False,
)

code_chunks = Table(
    "code_chunks",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("chunk_id", PlainText, nullable=False),
    Column("file_id", BigInteger, nullable=False),
    Column("audience_id", BigInteger, nullable=False),
    Column("slot", BigInteger),
    Column("kind", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("heading", PlainText, nullable=False),
    Column("start_line", Integer, nullable=False),
    Column("end_line", Integer, nullable=False),
    Column("text", PlainText, nullable=False),
    Key("space_id", "chunk_id"),
    within("code_files", "file_id"),
    Index("code_chunks_by_file", "space_id", "file_id"),
)

code_cochanges = Table(
    "code_cochanges",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("first", PlainText, nullable=False),
    Column("second", PlainText, nullable=False),
    Column("weight", Float, nullable=False),
    Column("commits", Integer, nullable=False),
    Key("space_id", "first", "second"),
    within("code_indexes"),
    Index("code_cochanges_by_second", "space_id", "second"),
    sqlite_with_rowid=False,
)

#: How much the files of a memory changed since it was made; computed when code is indexed.
memory_staleness = Table(
    "memory_staleness",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("changed", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("newer_days", Integer, nullable=False),
    Column("checked_at", Instant, nullable=False),
    Key("space_id", "memory_id"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)

#: The semantic layer: relations between the parts of a folder, inferred by a model or by rules.
code_meanings = Table(
    "code_meanings",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("module", PlainText, nullable=False),
    Column("source", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("target", PlainText, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("made_by", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    Key("space_id", "module", "source", "kind", "target"),
    within("code_indexes"),
    sqlite_with_rowid=False,
)
