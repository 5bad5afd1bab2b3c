"""Tables of observations of agents' sessions: facts, sightings of signals, file pairs."""

from sqlalchemy import Column, Float, Index, Integer, PrimaryKeyConstraint, Table

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

observed_sessions = Table(
    "observed_sessions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("session_id", PlainText, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("facts", Document),
    PrimaryKeyConstraint("space_id", "session_id"),
    within("spaces"),
)
Index("observed_sessions_in_order", observed_sessions.c.space_id, observed_sessions.c.started_at)

sightings = Table(
    "sightings",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("signal", PlainText, nullable=False),
    Column("sign", PlainText, nullable=False),
    Column("session_id", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "signal", "sign", "session_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

co_access = Table(
    "co_access",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("first_path", PlainText, nullable=False),
    Column("second_path", PlainText, nullable=False),
    Column("source", PlainText, nullable=False),
    Column("weight", Float, nullable=False),
    Column("times", Integer, nullable=False),
    Column("forward", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("last_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "first_path", "second_path", "source"),
    within("spaces"),
    sqlite_with_rowid=False,
)
Index("co_access_by_second", co_access.c.space_id, co_access.c.second_path, co_access.c.first_path)

observed_modules = Table(
    "observed_modules",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("module", PlainText, nullable=False),
    Column("sessions", Integer, nullable=False),
    Column("synthesised", Integer, nullable=False),
    Column("last_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "module"),
    within("spaces"),
    sqlite_with_rowid=False,
)

commit_files = Table(
    "commit_files",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("commit_id", PlainText, nullable=False),
    Column("path", PlainText, nullable=False),
    Column("committed_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "commit_id", "path"),
    within("spaces"),
    sqlite_with_rowid=False,
)
Index("commit_files_in_order", commit_files.c.space_id, commit_files.c.committed_at)

file_sketches = Table(
    "file_sketches",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("path", PlainText, nullable=False),
    Column("names", Document),
    Column("seen_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "path"),
    within("spaces"),
)
