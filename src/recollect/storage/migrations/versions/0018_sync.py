"""Sync: which spaces are synced, with which peers, the state of each item, and its changes."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_SPACE = ["space_id"], ["spaces.space_id"]


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    op.create_table(
        "sync_spaces",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("device_id", PlainText, nullable=False),
        sa.Column("since", Instant, nullable=False),
        sa.PrimaryKeyConstraint("space_id"),
        sa.ForeignKeyConstraint(*_SPACE, ondelete="CASCADE"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "sync_peers",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("peer_id", PlainText, nullable=False),
        sa.Column("role", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("address", PlainText),
        sa.Column("pushed", sa.BigInteger(), nullable=False),
        sa.Column("pulled", PlainText),
        sa.Column("options", Document),
        sa.Column("synced_at", Instant),
        sa.PrimaryKeyConstraint("space_id", "peer_id"),
        sa.ForeignKeyConstraint(*_SPACE, ondelete="CASCADE"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "sync_items",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("item_id", PlainText, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("origin", PlainText),
        sa.Column("shared_with", PlainText),
        sa.Column("state", Document),
        sa.Column("refusal", PlainText),
        sa.PrimaryKeyConstraint("space_id", "kind", "item_id"),
        sa.ForeignKeyConstraint(*_SPACE, ondelete="CASCADE"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index("sync_items_by_version", "sync_items", ["space_id", "version"], unique=False)
    op.create_table(
        "sync_changes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("item_id", PlainText, nullable=False),
        sa.Column("noted", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "kind", "item_id"),
        sa.ForeignKeyConstraint(*_SPACE, ondelete="CASCADE"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "sync_texts",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("stamp", PlainText, nullable=False),
        sa.Column("content", PlainText, nullable=False),
        sa.PrimaryKeyConstraint("space_id", "memory_id", "stamp"),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sqlite_with_rowid=False,
        **spread,
    )
    dialect.finish_schema(bind)
