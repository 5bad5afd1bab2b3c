"""Row-level security of PostgreSQL: read and write policies on every table.

Its functions are hardened, so that nobody can turn them against their owner. SQLite has no
row-level security, and nothing changes there.
"""

from alembic import context, op

from recollect.storage.dialects.protocol import StoreDialect

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    dialect.finish_schema(op.get_bind())
