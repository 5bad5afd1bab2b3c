"""Messages count how often they were cited and called helpful, and streams have a purpose."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    for column in ("cited", "helpful"):
        op.add_column(
            "event_signals", sa.Column(column, sa.Integer(), nullable=False, server_default="0")
        )
    op.add_column("streams", sa.Column("purpose", PlainText))
    dialect.finish_schema(op.get_bind())
