"""Tables of agents: sessions, the memories served to each, people's reviews, trust levels."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Table

from recollect.storage.columns import Instant, PlainText
from recollect.storage.schema.base import metadata, within

agent_sessions = Table(
    "agent_sessions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("session_id", PlainText, nullable=False),
    Column("agent", PlainText, nullable=False),
    Column("task", PlainText, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("last_at", Instant),
    Column("ended_at", Instant),
    Column("reviewed_at", Instant),
    Column("steps", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("injected_tokens", Integer, nullable=False),
    PrimaryKeyConstraint("space_id", "session_id"),
    within("spaces"),
    Index("agent_sessions_by_time", "space_id", "started_at"),
)

agent_served = Table(
    "agent_served",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("session_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("point", PlainText, nullable=False),
    Column("served_at", Instant, nullable=False),
    Column("tokens", Integer, nullable=False),
    PrimaryKeyConstraint("space_id", "session_id", "memory_id"),
    within("agent_sessions", "session_id"),
    within("memories", "memory_id"),
    Index("agent_served_by_memory", "space_id", "memory_id"),
)

agent_reviews = Table(
    "agent_reviews",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("decision", PlainText, nullable=False),
    Column("actor", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id"),
    within("memories", "memory_id"),
)

agent_trust = Table(
    "agent_trust",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("level", Integer, nullable=False),
    Column("chosen_by", PlainText),
    Column("changed_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id"),
    within("spaces"),
)
