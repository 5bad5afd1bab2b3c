"""Observer: facts of sessions, sightings of signals, files that are used together, commits."""

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    spread = dialect.table_options(op.get_bind())
    op.create_table(
        "observed_sessions",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("space_id", "session_id"),
        _within(),
        **spread,
    )
    op.create_index(
        "observed_sessions_in_order", "observed_sessions", ["space_id", "started_at"], unique=False
    )
    op.create_table(
        "sightings",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("signal", PlainText, nullable=False),
        sa.Column("sign", PlainText, nullable=False),
        sa.Column("session_id", PlainText, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "signal", "sign", "session_id"),
        _within(),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "co_access",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("first_path", PlainText, nullable=False),
        sa.Column("second_path", PlainText, nullable=False),
        sa.Column("source", PlainText, nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("forward", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "first_path", "second_path", "source"),
        _within(),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "co_access_by_second",
        "co_access",
        ["space_id", "second_path", "first_path"],
        unique=False,
    )
    op.create_table(
        "observed_modules",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("module", PlainText, nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("synthesised", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "module"),
        _within(),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "commit_files",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("commit_id", PlainText, nullable=False),
        sa.Column("path", PlainText, nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "commit_id", "path"),
        _within(),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_index(
        "commit_files_in_order", "commit_files", ["space_id", "committed_at"], unique=False
    )
    op.create_table(
        "file_sketches",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("path", PlainText, nullable=False),
        sa.Column("names", sa.Text(), nullable=True),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space_id", "path"),
        _within(),
        **spread,
    )
    dialect.finish_schema(op.get_bind())


def _within() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE")
