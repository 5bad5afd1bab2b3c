"""Core tables: spaces, streams and events, memories, index places, jobs."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from recollect.storage.columns import Document, HalfVectors, Instant, PlainText
from recollect.storage.schema.base import metadata, within

spaces = Table(
    "spaces",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("organisation", PlainText),
    Column("team", PlainText),
    Column("created_at", Instant, nullable=False),
    Column("clock", BigInteger, nullable=False),
    Column("archived_at", Instant),
    Column("retention_days", Integer),
    PrimaryKeyConstraint("space_id"),
    UniqueConstraint("number"),
    UniqueConstraint("name"),
)

space_members = Table(
    "space_members",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("joined_at", Instant, nullable=False),
    Column("welcomed_at", Instant),
    PrimaryKeyConstraint("space_id", "user_id"),
    within("spaces"),
    sqlite_with_rowid=False,
)

audiences = Table(
    "audiences",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False, autoincrement=False),
    Column("owner", PlainText, nullable=False),
    Column("visibility", PlainText, nullable=False),
    Column("team", PlainText),
    Column("organisation", PlainText),
    Column("stream_id", PlainText),
    Column("sources", PlainText),
    Column("source_count", Integer),
    PrimaryKeyConstraint("space_id", "audience_id"),
    within("spaces"),
    Index("audiences_by_owner", "space_id", "owner", "visibility", "stream_id", "sources"),
)

audience_sources = Table(
    "audience_sources",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False, autoincrement=False),
    Column("stream_id", PlainText, nullable=False),
    PrimaryKeyConstraint("space_id", "audience_id", "stream_id"),
    within("audiences", "audience_id"),
    sqlite_with_rowid=False,
)

author_aliases = Table(
    "author_aliases",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("alias", PlainText, nullable=False),
    Column("confirmed_by", PlainText, nullable=False),
    Column("confirmed_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "user_id", "alias"),
    within("spaces"),
    sqlite_with_rowid=False,
)

streams = Table(
    "streams",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("stream_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("access", PlainText, nullable=False),
    Column("owner", PlainText, nullable=False),
    Column("parent_id", PlainText),
    Column("audience_id", BigInteger, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("purpose", PlainText),
    PrimaryKeyConstraint("space_id", "stream_id"),
    UniqueConstraint("space_id", "name"),
    within("spaces"),
)

stream_members = Table(
    "stream_members",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("stream_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("added_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "stream_id", "user_id"),
    within("streams", "stream_id"),
    sqlite_with_rowid=False,
)

events = Table(
    "events",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("event_id", PlainText, nullable=False),
    Column("stream_id", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False),
    Column("arrival", BigInteger, nullable=False),
    Column("slot", BigInteger),
    Column("kind", PlainText, nullable=False),
    Column("author", PlainText, nullable=False),
    Column("text", PlainText, nullable=False),
    Column("payload", Document),
    Column("reply_to", PlainText),
    Column("occurred_at", Instant, nullable=False),
    Column("recorded_at", Instant, nullable=False),
    Column("edited_at", Instant),
    Column("deleted_at", Instant),
    PrimaryKeyConstraint("space_id", "event_id"),
    within("streams", "stream_id"),
)
Index(
    "events_in_order", events.c.space_id, events.c.stream_id, events.c.occurred_at, events.c.arrival
)
Index(
    "events_by_reply",
    events.c.space_id,
    events.c.reply_to,
    sqlite_where=events.c.reply_to.is_not(None),
)

event_revisions = Table(
    "event_revisions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("event_id", PlainText, nullable=False),
    Column("revision", Integer, nullable=False, autoincrement=False),
    Column("text", PlainText, nullable=False),
    Column("editor", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "event_id", "revision"),
    within("events", "event_id"),
)

event_reactions = Table(
    "event_reactions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("event_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("emoji", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "event_id", "user_id", "emoji"),
    within("events", "event_id"),
    sqlite_with_rowid=False,
)

imports = Table(
    "imports",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("import_id", PlainText, nullable=False),
    Column("source", PlainText, nullable=False),
    Column("position", Document),
    Column("read", BigInteger, nullable=False),
    Column("added", BigInteger, nullable=False),
    Column("finished_at", Instant),
    Column("updated_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "import_id"),
    within("spaces"),
)

memories = Table(
    "memories",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False),
    Column("slot", BigInteger),
    Column("type", PlainText, nullable=False),
    Column("content", PlainText, nullable=False),
    Column("summary", PlainText),
    Column("compressed", PlainText),
    Column("index_line", PlainText),
    Column("full_tokens", Integer),
    Column("summary_tokens", Integer),
    Column("compressed_tokens", Integer),
    Column("index_tokens", Integer),
    Column("confidence", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("scope", PlainText, nullable=False),
    Column("source", PlainText, nullable=False),
    Column("created_by", PlainText, nullable=False),
    Column("session_id", PlainText),
    Column("commit_sha", PlainText),
    Column("methodology", PlainText),
    Column("work_unit", PlainText),
    Column("work_unit_label", PlainText),
    Column("extras", Document),
    Column("citation", PlainText),
    Column("half_life_days", Float),
    Column("valid_from", Instant, nullable=False),
    Column("valid_to", Instant),
    Column("supersedes", PlainText),
    Column("superseded_by", PlainText),
    Column("pinned", Boolean, nullable=False),
    Column("manually_saved", Boolean, nullable=False),
    Column("needs_review", Boolean, nullable=False),
    Column("user_verified", Boolean, nullable=False),
    Column("disputed", Boolean, nullable=False),
    Column("archived_at", Instant),
    Column("stale_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("last_accessed_at", Instant),
    Column("access_count", BigInteger, nullable=False),
    Column("retrieval_count", BigInteger, nullable=False),
    Column("citation_count", BigInteger, nullable=False),
    Column("ignore_count", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("times_told", Integer, nullable=False, server_default="1"),
    Column("phase", PlainText),
    PrimaryKeyConstraint("space_id", "memory_id"),
    within("audiences", "audience_id"),
)

memory_simhashes = Table(
    "memory_simhashes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("band", Integer, nullable=False, autoincrement=False),
    Column("bits", Integer, nullable=False, autoincrement=False),
    Column("memory_id", PlainText, nullable=False),
    Column("simhash", BigInteger, nullable=False),
    PrimaryKeyConstraint("space_id", "band", "bits", "memory_id"),
    within("memories", "memory_id"),
    Index("memory_simhashes_by_memory", "space_id", "memory_id"),
    sqlite_with_rowid=False,
)


def _memory_link(name: str, column: str) -> Table:
    """A table that links memories to one kind of value, indexed from both sides."""
    return Table(
        name,
        metadata,
        Column("space_id", PlainText, nullable=False),
        Column("memory_id", PlainText, nullable=False),
        Column(column, PlainText, nullable=False),
        Column("position", Integer, nullable=False),
        PrimaryKeyConstraint("space_id", "memory_id", column),
        within("memories", "memory_id"),
        Index(f"{name}_by_{column}", "space_id", column, "memory_id"),
        sqlite_with_rowid=False,
    )


memory_tags = _memory_link("memory_tags", "tag")
memory_files = _memory_link("memory_files", "path")
memory_modules = _memory_link("memory_modules", "module")
memory_sessions = _memory_link("memory_sessions", "session_id")
memory_events = _memory_link("memory_events", "event_id")

memory_relations = Table(
    "memory_relations",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("source_id", PlainText, nullable=False),
    Column("type", PlainText, nullable=False),
    Column("target_kind", PlainText, nullable=False),
    Column("target", PlainText, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("automatic", Boolean, nullable=False),
    PrimaryKeyConstraint("space_id", "source_id", "type", "target_kind", "target"),
    within("memories", "source_id=memory_id"),
    Index("memory_relations_by_target", "space_id", "target_kind", "target"),
)

memory_history = Table(
    "memory_history",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("revision", Integer, nullable=False, autoincrement=False),
    Column("action", PlainText, nullable=False),
    Column("actor", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    Column("changes", Document),
    PrimaryKeyConstraint("space_id", "memory_id", "revision"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)

places = Table(
    "places",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("slot", BigInteger, nullable=False, autoincrement=False),
    Column("collection", PlainText, nullable=False),
    Column("item_id", PlainText, nullable=False),
    Column("audience_id", BigInteger, nullable=False),
    Column("length", Integer, nullable=False),
    Column("valid_from", BigInteger),
    Column("valid_to", BigInteger),
    PrimaryKeyConstraint("space_id", "slot"),
    within("spaces"),
    sqlite_with_rowid=False,
)

vectors = Table(
    "vectors",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("slot", BigInteger, nullable=False, autoincrement=False),
    Column("model_id", PlainText, nullable=False),
    Column("collection", PlainText, nullable=False),
    Column("dims", Integer, nullable=False),
    Column("data", HalfVectors, nullable=False),
    PrimaryKeyConstraint("space_id", "slot", "model_id"),
    within("places", "slot"),
    sqlite_with_rowid=False,
)

place_changes = Table(
    "place_changes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("version", BigInteger, nullable=False, autoincrement=False),
    Column("collection", PlainText, nullable=False),
    Column("slot", BigInteger, nullable=False, autoincrement=False),
    Column("model_id", PlainText),
    PrimaryKeyConstraint("space_id", "version", "slot"),
    within("spaces"),
    sqlite_with_rowid=False,
)

jobs = Table(
    "jobs",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("job_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("payload", Document),
    Column("state", PlainText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("run_at", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("leased_until", Instant),
    Column("worker", PlainText),
    Column("last_error", PlainText),
    PrimaryKeyConstraint("space_id", "job_id"),
    within("spaces"),
    Index("jobs_due", "state", "run_at"),
)

schedules = Table(
    "schedules",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("every_seconds", Integer, nullable=False),
    Column("next_run_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "name"),
    within("spaces"),
)

store_facts = Table(
    "store_facts",
    metadata,
    Column("name", PlainText, nullable=False),
    Column("value", PlainText, nullable=False),
    PrimaryKeyConstraint("name"),
)
