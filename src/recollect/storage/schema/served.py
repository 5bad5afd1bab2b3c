"""Tables of the retrieval log and of usage.

The log has the queries, their results and the feedback on them; the ledger counts how each memory
was used; and predictions name the memories expected to be needed.
"""

from sqlalchemy import BigInteger, Column, Float, Index, Integer, PrimaryKeyConstraint, Table

from recollect.storage.columns import Instant, PlainText
from recollect.storage.schema.base import metadata, within

retrievals = Table(
    "retrievals",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("retrieval_id", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("query", PlainText, nullable=False),
    Column("profile", PlainText, nullable=False),
    Column("phase", PlainText),
    Column("at", Instant, nullable=False),
    Column("client", PlainText),
    PrimaryKeyConstraint("space_id", "retrieval_id"),
    within("spaces"),
    Index("retrievals_by_user", "space_id", "user_id", "retrieval_id"),
    Index("retrievals_by_age", "space_id", "at"),
)

retrieval_items = Table(
    "retrieval_items",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("retrieval_id", PlainText, nullable=False),
    Column("position", Integer, nullable=False, autoincrement=False),
    Column("item_id", PlainText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("score", Float, nullable=False),
    PrimaryKeyConstraint("space_id", "retrieval_id", "position"),
    within("retrievals", "retrieval_id"),
    Index("retrieval_items_by_item", "space_id", "item_id"),
    sqlite_with_rowid=False,
)

retrieval_feedback = Table(
    "retrieval_feedback",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("feedback_id", PlainText, nullable=False),
    Column("retrieval_id", PlainText, nullable=False),
    Column("item_id", PlainText),
    Column("verdict", PlainText, nullable=False),
    Column("note", PlainText),
    Column("at", Instant, nullable=False),
    Column("applied_at", Instant),
    PrimaryKeyConstraint("space_id", "feedback_id"),
    within("retrievals", "retrieval_id"),
    Index("retrieval_feedback_by_retrieval", "space_id", "retrieval_id"),
    Index("retrieval_feedback_to_apply", "space_id", "applied_at", "feedback_id"),
)

use_ledger = Table(
    "use_ledger",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("channel", PlainText, nullable=False),
    Column("served", BigInteger, nullable=False),
    Column("cited", BigInteger, nullable=False),
    Column("ignored", BigInteger, nullable=False),
    Column("edited", BigInteger, nullable=False),
    Column("last_at", Instant, nullable=False),
    PrimaryKeyConstraint("space_id", "memory_id", "channel"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)

predictions = Table(
    "predictions",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("memory_id", PlainText, nullable=False),
    Column("signal", PlainText, nullable=False),
    Column("predicted", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=False),
    Column("pending_at", Instant),
    PrimaryKeyConstraint("space_id", "memory_id", "signal"),
    within("memories", "memory_id"),
    sqlite_with_rowid=False,
)
