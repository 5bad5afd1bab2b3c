"""The tables of research: the outcome of a query in the log, and each of its rounds.

The query and its citations are in the retrieval log; here are only figures, no text.
"""

from sqlalchemy import Boolean, Column, Float, Integer, PrimaryKeyConstraint, Table

from recollect.storage.columns import PlainText
from recollect.storage.schema.base import metadata, within

researches = Table(
    "researches",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("retrieval_id", PlainText, nullable=False),
    Column("requester", PlainText, nullable=False),
    Column("known", Boolean, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("answered_by", PlainText, nullable=False),
    Column("memo_id", PlainText),
    PrimaryKeyConstraint("space_id", "retrieval_id"),
    within("retrievals", "retrieval_id"),
)

research_rounds = Table(
    "research_rounds",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("retrieval_id", PlainText, nullable=False),
    Column("number", Integer, nullable=False, autoincrement=False),
    Column("queries", Integer, nullable=False),
    Column("gathered", Integer, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("reflected_by", PlainText, nullable=False),
    PrimaryKeyConstraint("space_id", "retrieval_id", "number"),
    within("researches", "retrieval_id"),
    sqlite_with_rowid=False,
)
