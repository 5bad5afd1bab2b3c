"""Audiences name the source streams of a memory; aliases that stewards confirmed.

Every memory that cites events gets an audience with the streams of those events, so that a viewer
who may not read one of them no longer finds it. Nobody sees more than before.
"""

from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from alembic import context, op

from recollect.storage.columns import PlainText
from recollect.storage.dialects.protocol import StoreDialect

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

SCOPE_COLUMNS = {
    "audiences": (
        "space_id",
        "audience_id",
        "owner",
        "visibility",
        "team",
        "organisation",
        "stream_id",
        "sources",
        "source_count",
    ),
    "audience_sources": ("space_id", "audience_id", "stream_id"),
    "memories": ("space_id", "memory_id", "audience_id"),
    "places": ("space_id", "slot", "item_id", "audience_id"),
}

_POINTING = """
    SELECT m.space_id, m.memory_id, m.slot, a.owner, a.visibility, a.team, a.organisation,
        a.stream_id, s.stream_id AS source
    FROM memory_events l
    JOIN memories m ON m.space_id = l.space_id AND m.memory_id = l.memory_id
    JOIN audiences a ON a.space_id = m.space_id AND a.audience_id = m.audience_id
    JOIN events e ON e.space_id = l.space_id AND e.event_id = l.event_id
    JOIN audiences s ON s.space_id = e.space_id AND s.audience_id = e.audience_id
    ORDER BY m.space_id, m.memory_id
"""


def upgrade() -> None:
    dialect: StoreDialect = context.config.attributes["dialect"]
    bind = op.get_bind()
    spread = dialect.table_options(bind)
    for table in ("audiences", "memories", "places"):
        on = f" ON {table}" if bind.dialect.name == "postgresql" else ""
        op.execute(f"DROP TRIGGER {table}_scope_is_fixed{on}")
    op.add_column("audiences", sa.Column("sources", PlainText, nullable=True))
    op.add_column("audiences", sa.Column("source_count", sa.Integer(), nullable=True))
    op.drop_index("audiences_by_owner", "audiences")
    op.create_index(
        "audiences_by_owner",
        "audiences",
        ["space_id", "owner", "visibility", "stream_id", "sources"],
    )
    op.create_table(
        "audience_sources",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("audience_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("stream_id", PlainText, nullable=False),
        sa.ForeignKeyConstraint(
            ["space_id", "audience_id"],
            ["audiences.space_id", "audiences.audience_id"],
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("space_id", "audience_id", "stream_id"),
        sqlite_with_rowid=False,
        **spread,
    )
    op.create_table(
        "author_aliases",
        sa.Column("space_id", PlainText, nullable=False),
        sa.Column("user_id", PlainText, nullable=False),
        sa.Column("alias", PlainText, nullable=False),
        sa.Column("confirmed_by", PlainText, nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.space_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("space_id", "user_id", "alias"),
        sqlite_with_rowid=False,
        **spread,
    )
    if spread:  # rows can only be written once the partitions exist
        dialect.finish_schema(bind)
    _name_sources(bind)
    dialect.protect_columns(bind, SCOPE_COLUMNS)
    dialect.finish_schema(bind)


def _name_sources(bind: sa.Connection) -> None:
    """Give every memory that cites events an audience that names their streams."""
    if bind.dialect.name == "postgresql":  # needs system access where policies bind the owner
        bind.exec_driver_sql("SELECT set_config('recollect.space', '*', true)")
    pointing: dict[tuple[str, str], tuple[Any, set[str]]] = {}
    for row in bind.exec_driver_sql(_POINTING):
        pointing.setdefault((row.space_id, row.memory_id), (row, set()))[1].add(row.source)
    made: dict[tuple[Any, ...], int] = {}
    for row, streams in pointing.values():
        sources = sorted(streams - {row.stream_id})
        if not sources:
            continue
        scope = (row.space_id, row.owner, row.visibility, row.team, row.organisation)
        key = (*scope, row.stream_id, *sources)
        if key not in made:
            made[key] = _audience(bind, (*scope, row.stream_id), sources)
        _move(bind, row, made[key])


def _audience(bind: sa.Connection, scope: tuple[Any, ...], sources: list[str]) -> int:
    space_id = scope[0]
    spaces = sa.table("spaces", sa.column("space_id"), sa.column("clock"))
    bind.execute(
        sa.update(spaces).where(spaces.c.space_id == space_id).values(clock=spaces.c.clock + 1)
    )
    clock = sa.select(spaces.c.clock).where(spaces.c.space_id == space_id)
    audience = int(bind.execute(clock).scalar_one())
    names = ("space_id", "owner", "visibility", "team", "organisation", "stream_id")
    columns = (*names, "audience_id", "sources", "source_count")
    audiences = sa.table("audiences", *map(sa.column, columns))
    digest = sha256(" ".join(sources).encode()).hexdigest()
    bind.execute(
        sa.insert(audiences).values(
            **dict(zip(names, scope, strict=True)),
            audience_id=audience,
            sources=digest,
            source_count=len(sources),
        )
    )
    rows = sa.table("audience_sources", *map(sa.column, ("space_id", "audience_id", "stream_id")))
    bind.execute(
        sa.insert(rows),
        [
            {"space_id": space_id, "audience_id": audience, "stream_id": stream}
            for stream in sources
        ],
    )
    return audience


def _move(bind: sa.Connection, row: Any, audience: int) -> None:
    """Assign the audience to a memory and its index place."""
    for name, key, value in (
        ("memories", "memory_id", row.memory_id),
        ("places", "slot", row.slot),
    ):
        if value is None:
            continue
        table = sa.table(name, *map(sa.column, ("space_id", key, "audience_id")))
        bind.execute(
            sa.update(table)
            .where(table.c.space_id == row.space_id, table.c[key] == value)
            .values(audience_id=audience)
        )
