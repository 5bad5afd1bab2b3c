"""The phase of work in which a memory was made; nobody knows it of older ones."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    op.add_column("memories", sa.Column("phase", PlainText))
    dialect.finish_schema(op.get_bind())
