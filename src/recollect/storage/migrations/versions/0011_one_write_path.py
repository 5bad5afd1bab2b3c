"""Every memory has a SimHash and a repeat count; only personal entries had them before.

Existing repeat counts are kept.
"""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_COUNTED = """
    UPDATE memories SET times_told = 1 + (
        SELECT e.repeat_count FROM entries e
        WHERE e.space_id = memories.space_id AND e.memory_id = memories.memory_id)
    WHERE EXISTS (
        SELECT 1 FROM entries e
        WHERE e.space_id = memories.space_id AND e.memory_id = memories.memory_id)
"""
_HASHED = """
    INSERT INTO memory_simhashes (space_id, band, bits, memory_id, simhash)
    SELECT b.space_id, b.band, b.bits, b.memory_id, e.simhash
    FROM entry_bands b
    JOIN entries e ON e.space_id = b.space_id AND e.memory_id = b.memory_id
"""


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    op.add_column(
        "memories", sa.Column("times_told", sa.Integer(), nullable=False, server_default="1")
    )
    op.create_table(
        "memory_simhashes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("band", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bits", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("memory_id", PlainText, nullable=False),
        sa.Column("simhash", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "memory_id"],
            ["memories.space_id", "memories.memory_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "band", "bits", "memory_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "memory_simhashes_by_memory", "memory_simhashes", ["space_id", "memory_id"], unique=False
    )
    if spread:  # rows can only be written once the partitions exist
        dialect.finish_schema(bind)
    if bind.dialect.name == "postgresql":  # needs system access where policies bind the owner
        bind.exec_driver_sql("SELECT set_config('recollect.space', '*', true)")
    op.execute(_COUNTED)
    op.execute(_HASHED)
    op.drop_table("entry_bands")
    for column in ("simhash", "repeat_count", "base_importance"):
        op.drop_column("entries", column)
    dialect.finish_schema(bind)
