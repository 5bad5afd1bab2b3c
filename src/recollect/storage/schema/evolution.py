"""The tables of contradictions, and of nightly runs."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
)

from recollect.storage.columns import Document, Instant, PlainText
from recollect.storage.schema.base import metadata, within

contradictions = Table(
    "contradictions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("contradiction_id", PlainText, nullable=False),
    Column("first_id", PlainText, nullable=False),
    Column("second_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("score", Float, nullable=False),
    Column("judged_by", PlainText, nullable=False),
    Column("detected_at", Instant, nullable=False),
    Column("resolution", PlainText),
    Column("note", PlainText),
    Column("resolved_at", Instant),
    Column("resolved_by", PlainText),
    Column("merged_id", PlainText),
    PrimaryKeyConstraint("space_id", "contradiction_id"),
    within("memories", "first_id=memory_id"),
    within("memories", "second_id=memory_id"),
    Index("contradictions_by_first", "space_id", "first_id", "second_id"),
    Index("contradictions_by_second", "space_id", "second_id"),
    Index("contradictions_open", "space_id", "resolution", "contradiction_id"),
)

contradiction_judgements = Table(
    "contradiction_judgements",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("first_id", PlainText, nullable=False),
    Column("second_id", PlainText, nullable=False),
    Column("digest", PlainText, nullable=False),
    Column("contradicts", Boolean, nullable=False),
    Column("judged_by", PlainText, nullable=False),
    Column("at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "first_id", "second_id"),
    within("memories", "first_id=memory_id"),
    within("memories", "second_id=memory_id"),
    Index("contradiction_judgements_by_second", "space_id", "second_id"),
    sqlite_with_rowid=False,
)

evolution_runs = Table(
    "evolution_runs",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("run_id", PlainText, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("finished_at", Instant),
    Column("step", PlainText, nullable=False),
    Column("position", PlainText),
    Column("counts", Document),
    PrimaryKeyConstraint("space_id", "run_id"),
    within("spaces"),
)

evolution_changes = Table(
    "evolution_changes",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("run_id", PlainText, nullable=False),
    Column("change_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("step", PlainText, nullable=False),
    Column("before", Document),
    Column("revision", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    Column("undone_at", Instant),
    PrimaryKeyConstraint("space_id", "run_id", "change_id"),
    within("memories", "memory_id"),
    Index("evolution_changes_by_memory", "space_id", "memory_id"),
    sqlite_with_rowid=False,
)

memory_uses = Table(
    "memory_uses",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("counted", BigInteger, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)
