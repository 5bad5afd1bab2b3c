"""Access tokens for the server: a role in each space, and a digest instead of the secret."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    op.create_table(
        "access_tokens",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("token_id", PlainText, nullable=False),
        sa.Column("digest", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("role", PlainText, nullable=False),
        sa.Column("shown", PlainText, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", PlainText, nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "token_id"),
        **dialect.table_options(op.get_bind()),
    )
    op.create_index("access_tokens_by_digest", "access_tokens", ["digest"], unique=False)
    dialect.finish_schema(op.get_bind())
