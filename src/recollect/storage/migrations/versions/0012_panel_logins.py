"""A login to the panel is a token of its own that expires with the token it was made from."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    op.add_column("access_tokens", sa.Column("parent_id", PlainText))
    dialect.finish_schema(op.get_bind())
