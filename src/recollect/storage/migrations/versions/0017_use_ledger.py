"""The ledger of how each served memory was used, and which memories were predicted.

Earlier counts stay on the memories; the ledger begins empty.
"""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import Instant, PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    for name, own in (
        (
            "use_ledger",
            (
                sa.Column("channel", PlainText, nullable=False),
                sa.Column("served", sa.BigInteger(), nullable=False),
                sa.Column("cited", sa.BigInteger(), nullable=False),
                sa.Column("ignored", sa.BigInteger(), nullable=False),
                sa.Column("edited", sa.BigInteger(), nullable=False),
                sa.Column("last_at", Instant, nullable=False),
                sa.PrimaryKeyConstraint("space_id", "memory_id", "channel"),
            ),
        ),
        (
            "predictions",
            (
                sa.Column("signal", PlainText, nullable=False),
                sa.Column("predicted", sa.BigInteger(), nullable=False),
                sa.Column("used", sa.BigInteger(), nullable=False),
                sa.Column("pending_at", Instant),
                sa.PrimaryKeyConstraint("space_id", "memory_id", "signal"),
            ),
        ),
    ):
        op.create_table(
            name,
            sa.Column("space_id", PlainText, nullable=False),
            sa.Column("memory_id", PlainText, nullable=False),
            *own,
            sa.ForeignKeyConstraint(
                ["space_id", "memory_id"],
                ["memories.space_id", "memories.memory_id"],
                ondelete="CASCADE",
            ),
            sqlite_with_rowid=False,
            **spread,
        )
    dialect.finish_schema(bind)
