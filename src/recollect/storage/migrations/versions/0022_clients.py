"""Which program a question came from, beside who asked it; nobody knows it of older ones."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    op.add_column("retrievals", sa.Column("client", PlainText))
    dialect.finish_schema(op.get_bind())
