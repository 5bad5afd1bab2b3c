"""Tables of metrics: daily counters, experiments, proposals for weights."""

from sqlalchemy import BigInteger, Column, Index, Integer, PrimaryKeyConstraint, Table

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

daily_counts = Table(
    "daily_counts",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("day", Integer, nullable=False, autoincrement=False),
    Column("name", PlainText, nullable=False),
    Column("count", BigInteger, nullable=False),
    PrimaryKeyConstraint("space_id", "day", "name"),
    within("spaces"),
    sqlite_with_rowid=False,
)

experiments = Table(
    "experiments",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("experiment_id", PlainText, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("started_by", PlainText, nullable=False),
    Column("ended_at", Instant),
    PrimaryKeyConstraint("space_id", "experiment_id"),
    within("spaces"),
    Index("experiments_running", "space_id", "ended_at"),
)

weight_proposals = Table(
    "weight_proposals",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("proposal_id", PlainText, nullable=False),
    Column("made_at", Instant, nullable=False),
    Column("weights", Document),
    Column("evidence", Document),
    Column("applied_at", Instant),
    Column("applied_by", PlainText),
    Column("undone_at", Instant),
    Column("undone_by", PlainText),
    PrimaryKeyConstraint("space_id", "proposal_id"),
    within("spaces"),
)
