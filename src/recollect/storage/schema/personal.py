"""Tables of personal memory and its protection: users' settings, quarantine, audit.

Rows that belong to one person name them in ``user_id``, and row-level security hides them from
everyone else.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
)

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

entries = Table(
    "entries",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("metadata", Document),
    Column("metadata_confidence", Float, nullable=False),
    Column("relevance", Float, nullable=False),
    Column("recency", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("total", Float, nullable=False),
    Column("scored_at", Instant, nullable=False),
    Column("kept", Boolean, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id"),
    within("memories", "memory_id"),
    Index("entries_by_total", "space_id", "user_id", "kept", "total"),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("tombstone_id", PlainText, nullable=False),
    Column("simhash", BigInteger, nullable=False),
    Column("digest", PlainText, nullable=False),
    Column("expires_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "user_id", "tombstone_id"),
    within("spaces"),
)

memory_settings = Table(
    "memory_settings",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("memory_enabled", Boolean, nullable=False),
    Column("incognito_default", Boolean, nullable=False),
    Column("soft_cap", Integer, nullable=False),
    Column("retention_days", Integer),
    PrimaryKeyConstraint("space_id", "user_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

incognito_sessions = Table(
    "incognito_sessions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("session_id", PlainText, nullable=False),
    Column("incognito", Boolean, nullable=False),
    Column("since", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "user_id", "session_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

shared_tags = Table(
    "shared_tags",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("tag", PlainText, nullable=False),
    Column("target_id", PlainText, nullable=False),
    Column("since", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "user_id", "tag", "target_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

open_questions = Table(
    "open_questions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("question_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("old_id", PlainText, nullable=False),
    Column("new_id", PlainText, nullable=False),
    Column("reason", PlainText, nullable=False),
    Column("asked_at", Instant, nullable=False),
    Column("answered_at", Instant),
    Column("answer", PlainText),
    PrimaryKeyConstraint("space_id", "question_id"),
    within("memories", "old_id=memory_id"),
    within("memories", "new_id=memory_id"),
    Index("open_questions_by_old", "space_id", "old_id"),
    Index("open_questions_by_new", "space_id", "new_id"),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("audit_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("action", PlainText, nullable=False),
    Column("subject", PlainText),
    Column("session_id", PlainText),
    Column("detail", Document),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "audit_id"),
    within("spaces"),
    Index("audit_log_by_user", "space_id", "user_id", "audit_id"),
)

quarantine = Table(
    "quarantine",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("quarantine_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("origin", PlainText, nullable=False),
    Column("reasons", Document),
    Column("fields", Document),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "quarantine_id"),
    within("spaces"),
    Index("quarantine_by_user", "space_id", "user_id", "quarantine_id"),
)

outside_events = Table(
    "outside_events",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("event_id", PlainText, nullable=False),
    Column("stream_id", PlainText, nullable=False),
    Column("arrival", BigInteger, nullable=False, autoincrement=False),
    Column("origin", PlainText, nullable=False),
    Column("suspect", PlainText),
    PrimaryKeyConstraint("space_id", "event_id"),
    within("events", "event_id"),
    Index("outside_events_by_stream", "space_id", "stream_id", "arrival"),
    sqlite_with_rowid=False,
)

memory_outside = Table(
    "memory_outside",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("origin", PlainText, nullable=False),
    Column("position", Integer, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id", "origin"),
    within("memories", "memory_id"),
    Index("memory_outside_by_origin", "space_id", "origin", "memory_id"),
    sqlite_with_rowid=False,
)

event_signals = Table(
    "event_signals",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("event_id", PlainText, nullable=False),
    Column("reactions", Integer, nullable=False),
    Column("replies", Integer, nullable=False),
    Column("mentions", Integer, nullable=False),
    Column("retrievals", Integer, nullable=False),
    Column("value", Integer, nullable=False),
    Column("tier", Integer, nullable=False),
    Column("header", PlainText),
    Column("updated_at", Instant, nullable=False),
    Column("cited", Integer, nullable=False, server_default="0"),
    Column("helpful", Integer, nullable=False, server_default="0"),
    PrimaryKeyConstraint("space_id", "event_id"),
    within("events", "event_id"),
    sqlite_with_rowid=False,
)

budgets = Table(
    "budgets",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("month", PlainText, nullable=False),
    Column("used", Float, nullable=False),
    Column("allowed", Float),
    PrimaryKeyConstraint("space_id", "kind"),
    within("spaces"),
    sqlite_with_rowid=False,
)

model_calls = Table(
    "model_calls",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("call_id", PlainText, nullable=False),
    Column("task", PlainText, nullable=False),
    Column("model", PlainText, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cents", Float, nullable=False),
    Column("outcome", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "call_id"),
    within("spaces"),
)
