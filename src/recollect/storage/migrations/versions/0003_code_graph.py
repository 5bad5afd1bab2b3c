"""Code graph: facts of each file, its nodes, edges and chunks, and files that change together."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COLLECTIONS = ("chunks",)
SCOPE_COLUMNS = {
    "code_indexes": ("space_id", "audience_id"),
    "code_chunks": ("space_id", "chunk_id", "audience_id"),
}


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "code_indexes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("root", PlainText, nullable=False),
        sa.Column("identity", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("commit_sha", PlainText),
        sa.Column("history_sha", PlainText),
        sa.Column("settings", sa.Text()),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "audience_id"],
            ["audiences.space_id", "audiences.audience_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id"),
        **spread,
    )
    op.create_table(
        "code_files",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("file_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("path", PlainText, nullable=False),
        sa.Column("language", PlainText, nullable=False),
        sa.Column("role", PlainText, nullable=False),
        sa.Column("digest", PlainText, nullable=False),
        sa.Column("interface", PlainText, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("changed_ns", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("facts", PlainText, nullable=False),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("problem", PlainText),
        sa.ForeignKeyConstraint(["space_id"], ["code_indexes.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "file_id"),
        **spread,
    )
    op.create_index("code_files_by_path", "code_files", ["space_id", "path"], unique=False)
    op.create_table(
        "code_nodes",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("file_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("node_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("start_line", sa.Integer(), nullable=False),
        sa.Column("end_line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "file_id"],
            ["code_files.space_id", "code_files.file_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "file_id", "node_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index("code_nodes_by_id", "code_nodes", ["space_id", "node_id"], unique=False)
    op.create_table(
        "code_edges",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("file_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("source", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("target", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("how", PlainText, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "file_id"],
            ["code_files.space_id", "code_files.file_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "file_id", "source", "target", "kind"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "code_needs",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("need", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("file_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.ForeignKeyConstraint(
            ["space_id", "file_id"],
            ["code_files.space_id", "code_files.file_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "need", "file_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index("code_needs_by_file", "code_needs", ["space_id", "file_id"], unique=False)
    op.create_table(
        "code_chunks",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("chunk_id", PlainText, nullable=False),
        sa.Column("file_id", sa.BigInteger(), nullable=False),
        sa.Column("audience_id", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger()),
        sa.Column("kind", PlainText, nullable=False),
        sa.Column("name", PlainText, nullable=False),
        sa.Column("heading", PlainText, nullable=False),
        sa.Column("start_line", sa.Integer(), nullable=False),
        sa.Column("end_line", sa.Integer(), nullable=False),
        sa.Column("text", PlainText, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "file_id"],
            ["code_files.space_id", "code_files.file_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "chunk_id"),
        **spread,
    )
    op.create_index("code_chunks_by_file", "code_chunks", ["space_id", "file_id"], unique=False)
    op.create_table(
        "code_cochanges",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("first", PlainText, nullable=False),
        sa.Column("second", PlainText, nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("commits", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["code_indexes.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "first", "second"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "code_cochanges_by_second", "code_cochanges", ["space_id", "second"], unique=False
    )
    dialect.create_keyword_tables(op.get_bind(), COLLECTIONS)
    dialect.protect_columns(op.get_bind(), SCOPE_COLUMNS)
    dialect.finish_schema(op.get_bind())
