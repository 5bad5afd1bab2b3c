"""Research: the outcome of a question in the log, and each of its rounds."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "researches",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("retrieval_id", PlainText, nullable=False),
        sa.Column("requester", PlainText, nullable=False),
        sa.Column("known", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("answered_by", PlainText, nullable=False),
        sa.Column("memo_id", PlainText, nullable=True),
        sa.ForeignKeyConstraint(
            ["space_id", "retrieval_id"],
            ["retrievals.space_id", "retrievals.retrieval_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "retrieval_id"),
        **spread,
    )
    op.create_table(
        "research_rounds",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("retrieval_id", PlainText, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("gathered", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("reflected_by", PlainText, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "retrieval_id"],
            ["researches.space_id", "researches.retrieval_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "retrieval_id", "number"),
        sqlite_with_rowid=False,
        **spread,
    )
    dialect.finish_schema(op.get_bind())
