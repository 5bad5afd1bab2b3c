"""The table of access tokens: one row for each space that a token gives access to."""

from sqlalchemy import Column, Index, PrimaryKeyConstraint, Table

from recollect.storage.columns import Instant, PlainText
from recollect.storage.schema.base import metadata, within

access_tokens = Table(
    "access_tokens",
    metadata,
    Column("space_id", PlainText, nullable=False),
    Column("token_id", PlainText, nullable=False),
    Column("digest", PlainText, nullable=False),
    Column("user_id", PlainText, nullable=False),
    Column("name", PlainText, nullable=False),
    Column("role", PlainText, nullable=False),
    Column("shown", PlainText, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("created_by", PlainText, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
    #: The token that a login was made with, if this token is a login.
    Column("parent_id", PlainText),
    PrimaryKeyConstraint("space_id", "token_id"),
    within("spaces"),
)
Index("access_tokens_by_digest", access_tokens.c.digest)
