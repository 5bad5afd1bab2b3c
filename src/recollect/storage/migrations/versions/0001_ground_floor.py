"""First tables: spaces, streams and events, memories, index places, jobs."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import HalfVectors, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

COLLECTIONS = ("memories", "events")
SCOPE_COLUMNS = {
    "audiences": (
        "space_id",
        "audience_id",
        "owner",
        "visibility",
        "team",
        "organisation",
        "stream_id",
    ),
    "streams": ("space_id", "stream_id", "owner", "parent_id", "audience_id"),
    "events": ("space_id", "event_id", "stream_id", "audience_id", "arrival"),
    "memories": ("space_id", "memory_id", "audience_id"),
    "places": ("space_id", "slot", "item_id", "audience_id"),
    "vectors": ("space_id", "slot", "model_id"),
}


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    dialect.begin_schema(op.get_bind())
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "spaces",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("organisation", PlainText, nullable=True),
        sa.Column("team", PlainText, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("clock", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("number"),
    )
    op.create_table(
        "store_facts",
        sa.Column("name", PlainText, nullable=False),
        sa.Column("value", PlainText, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "audiences",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("owner", PlainText, nullable=False),
        sa.Column("visibility", PlainText, nullable=False),
        sa.Column("team", PlainText, nullable=True),
        sa.Column("organisation", PlainText, nullable=True),
        sa.Column("stream_id", PlainText, nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "audience_id"),
        **spread,
    )
    op.create_index(
        "audiences_by_owner",
        "audiences",
        ["space_id", "owner", "visibility", "stream_id"],
        unique=False,
    )
    op.create_table(
        "imports",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("import_id", PlainText, nullable=False),
        sa.Column("source", PlainText, nullable=False),
        sa.Column("position", sa.Text(), nullable=True),
        sa.Column("read", sa.BigInteger(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "import_id"),
        **spread,
    )
    op.create_table(
        "jobs",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("job_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.Column("state", PlainText, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("run_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("worker", PlainText, nullable=True),
        sa.Column("last_error", PlainText, nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "job_id"),
        **spread,
    )
    op.create_index("jobs_due", "jobs", ["state", "run_at"], unique=False)
    op.create_table(
        "place_changes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("collection", PlainText, nullable=False),
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("model_id", PlainText, nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "version", "slot"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "places",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("collection", PlainText, nullable=False),
        sa.Column("item_id", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "slot"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "schedules",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("every_seconds", sa.Integer(), nullable=False),
        sa.Column("next_run_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "name"),
        **spread,
    )
    op.create_table(
        "space_members",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("role", PlainText, nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "streams",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("stream_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("access", PlainText, nullable=False),
        sa.Column("owner", PlainText, nullable=False),
        sa.Column("parent_id", PlainText, nullable=True),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "stream_id"),
        sa.UniqueConstraint("space_id", "name"),
        **spread,
    )
    op.create_table(
        "events",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("stream_id", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("arrival", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=True),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("author", PlainText, nullable=False),
        sa.Column("text", PlainText, nullable=False),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.Column("reply_to", PlainText, nullable=True),
        sa.Column("occurred_at", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("edited_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "stream_id"], ["streams.space_id", "streams.stream_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "event_id"),
        **spread,
    )
    op.create_index(
        "events_by_reply",
        "events",
        ["space_id", "reply_to"],
        unique=False,
        sqlite_where=sa.text("reply_to IS NOT NULL"),
    )
    op.create_index(
        "events_in_order",
        "events",
        ["space_id", "stream_id", "occurred_at", "arrival"],
        unique=False,
    )
    op.create_table(
        "memories",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=True),
        sa.Column("type", PlainText, nullable=False),
        sa.Column("content", PlainText, nullable=False),
        sa.Column("summary", PlainText, nullable=True),
        sa.Column("compressed", PlainText, nullable=True),
        sa.Column("index_line", PlainText, nullable=True),
        sa.Column("full_tokens", sa.Integer(), nullable=True),
        sa.Column("summary_tokens", sa.Integer(), nullable=True),
        sa.Column("compressed_tokens", sa.Integer(), nullable=True),
        sa.Column("index_tokens", sa.Integer(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("importance", sa.Float(), nullable=False),
        sa.Column("scope", PlainText, nullable=False),
        sa.Column("source", PlainText, nullable=False),
        sa.Column("created_by", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=True),
        sa.Column("commit_sha", PlainText, nullable=True),
        sa.Column("methodology", PlainText, nullable=True),
        sa.Column("work_unit", PlainText, nullable=True),
        sa.Column("work_unit_label", PlainText, nullable=True),
        sa.Column("extras", sa.Text(), nullable=True),
        sa.Column("citation", PlainText, nullable=True),
        sa.Column("half_life_days", sa.Float(), nullable=True),
        sa.Column("valid_from", sa.BigInteger(), nullable=False),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        sa.Column("supersedes", PlainText, nullable=True),
        sa.Column("superseded_by", PlainText, nullable=True),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("manually_saved", sa.Boolean(), nullable=False),
        sa.Column("needs_review", sa.Boolean(), nullable=False),
        sa.Column("user_verified", sa.Boolean(), nullable=False),
        sa.Column("disputed", sa.Boolean(), nullable=False),
        sa.Column("archived_at", sa.BigInteger(), nullable=True),
        sa.Column("stale_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("last_accessed_at", sa.BigInteger(), nullable=True),
        sa.Column("access_count", sa.BigInteger(), nullable=False),
        sa.Column("retrieval_count", sa.BigInteger(), nullable=False),
        sa.Column("citation_count", sa.BigInteger(), nullable=False),
        sa.Column("ignore_count", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "audience_id"],
            ["audiences.space_id", "audiences.audience_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id"),
        **spread,
    )
    op.create_table(
        "stream_members",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("stream_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "stream_id"], ["streams.space_id", "streams.stream_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "stream_id", "user_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "vectors",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("slot", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("model_id", PlainText, nullable=False),
        sa.Column("collection", PlainText, nullable=False),
        sa.Column("dims", sa.Integer(), nullable=False),
        sa.Column("data", HalfVectors(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "slot"], ["places.space_id", "places.slot"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "slot", "model_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "event_reactions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("emoji", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "event_id"], ["events.space_id", "events.event_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "event_id", "user_id", "emoji"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "event_revisions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", PlainText, nullable=False),
        sa.Column("editor", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "event_id"], ["events.space_id", "events.event_id"], ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("space_id", "event_id", "revision"),
        **spread,
    )
    op.create_table(
        "memory_events",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("event_id", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "event_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_events_by_event_id",
        "memory_events",
        ["space_id", "event_id", "memory_id"],
        unique=False,
    )
    op.create_table(
        "memory_files",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("path", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "path"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_files_by_path", "memory_files", ["space_id", "path", "memory_id"], unique=False
    )
    op.create_table(
        "memory_history",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("revision", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("action", PlainText, nullable=False),
        sa.Column("actor", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("changes", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "revision"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "memory_modules",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("module", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "module"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_modules_by_module",
        "memory_modules",
        ["space_id", "module", "memory_id"],
        unique=False,
    )
    op.create_table(
        "memory_relations",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("source_id", PlainText, nullable=False),
        sa.Column("type", PlainText, nullable=False),
        sa.Column("target_kind", PlainText, nullable=False),
        sa.Column("target", PlainText, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("automatic", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "source_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "source_id", "type", "target_kind", "target"),
        **spread,
    )
    op.create_index(
        "memory_relations_by_target",
        "memory_relations",
        ["space_id", "target_kind", "target"],
        unique=False,
    )
    op.create_table(
        "memory_sessions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "session_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_sessions_by_session_id",
        "memory_sessions",
        ["space_id", "session_id", "memory_id"],
        unique=False,
    )
    op.create_table(
        "memory_tags",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("tag", PlainText, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "tag"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_tags_by_tag", "memory_tags", ["space_id", "tag", "memory_id"], unique=False
    )
    dialect.create_keyword_tables(op.get_bind(), COLLECTIONS)
    dialect.protect_columns(op.get_bind(), SCOPE_COLUMNS)
    dialect.finish_schema(op.get_bind())
