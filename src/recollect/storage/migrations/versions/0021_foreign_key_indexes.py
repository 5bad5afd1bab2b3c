"""Indexes for deleting a memory from the retrieval log and other tables that refer to it.

Without them every deletion scanned all that was ever served in its space.
"""

from alembic import context, op

from recollect.storage.dialects.protocol import StoreDialect

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    op.create_index("agent_served_by_memory", "agent_served", ["space_id", "memory_id"])
    op.create_index("open_questions_by_old", "open_questions", ["space_id", "old_id"])
    op.create_index("open_questions_by_new", "open_questions", ["space_id", "new_id"])
    dialect.finish_schema(op.get_bind())
