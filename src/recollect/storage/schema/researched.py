"""The tables of research: what became of a question in the log, and each of its rounds.

The question and what was cited stand in the log of questions; here are figures, and no words.
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
