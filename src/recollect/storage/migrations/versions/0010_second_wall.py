"""The second wall of PostgreSQL: functions that nobody can turn against their owner, and rules for
reading and writing on every table. A file has no such wall, and nothing changes there."""

from alembic import context, op

from recollect.storage.dialects.protocol import StoreDialect

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    dialect.finish_schema(op.get_bind())
