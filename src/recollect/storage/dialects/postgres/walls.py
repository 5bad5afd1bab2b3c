"""The second wall: row-level security, which holds even for a query that forgets every filter.

A transaction says where it is and who looks (``recollect.space`` and ``recollect.user``, with the
viewer's teams and organisations); one that says nothing sees nothing. The rules of who sees what
are written here a second time, in the database's own words, on ``audiences``: memories and events
follow their audience, what hangs on them follows them. ``*`` is the keepers' word for every space.

Connections take a role that owns nothing (``roles``); where the owner of the tables may not take
it, the rules are forced on the owner instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from recollect.storage.dialects.postgres import functions, roles

#: Tables as they are asked for; nobody but their owner reaches a partition on its own.
_WHOLE: Final = (
    "c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')"
    " AND NOT c.relispartition"
)
_OWNER: Final = "(SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('memories'))"
_BETWEEN: Final = "\x1f"

_SPACE: Final = "current_setting('recollect.space', true)"
_USER: Final = "current_setting('recollect.user', true)"
_HOUSE: Final = f"(SELECT {_SPACE}) = '*'"
_HERE: Final = f"(space_id = (SELECT {_SPACE}) OR {_HOUSE})"

_SEEN_AUDIENCES: Final = (
    f"audience_id IN (SELECT a.audience_id FROM audiences a WHERE a.space_id = (SELECT {_SPACE}))"
)
_MEMBER: Final = (
    f"EXISTS (SELECT 1 FROM space_members m WHERE m.space_id = (SELECT {_SPACE})"
    f" AND m.user_id = (SELECT {_USER}))"
)
_READABLE: Final = f"""
    {{0}} IN (
        SELECT s.stream_id FROM streams s
        WHERE s.space_id = (SELECT {_SPACE}) AND s.parent_id IS NULL AND (
            s.access = 'open' OR s.owner = (SELECT {_USER}) OR s.stream_id IN (
                SELECT l.stream_id FROM stream_members l
                WHERE l.space_id = (SELECT {_SPACE}) AND l.user_id = (SELECT {_USER})))
    )
"""


def _among(column: str, setting: str) -> str:
    listed = f"string_to_array(current_setting('{setting}', true), E'\\x1f')"
    return f"{column} = ANY ((SELECT {listed})::text[])"


#: A member may read every stream that the audience names as a source.
_SOURCES: Final = f"""
    source_count IS NULL OR ({_MEMBER} AND source_count = (
        SELECT count(*) FROM audience_sources c
        WHERE c.space_id = audiences.space_id AND c.audience_id = audiences.audience_id
            AND {_READABLE.format("c.stream_id")}))
"""
_OWN_RULES: Final = f"""
    (visibility = 'team' AND {_among("team", "recollect.teams")})
    OR (visibility = 'organisation' AND {_among("organisation", "recollect.organisations")})
    OR ({_MEMBER} AND (
        visibility = 'project'
        OR (owner = (SELECT {_USER}) AND visibility <> 'stream')
        OR (visibility = 'stream' AND {_READABLE.format("stream_id")})))
"""
_RULES: Final = f"({_SOURCES}) AND ({_OWN_RULES})"


def _follows(table: str, key: str, own: str) -> str:
    return (
        f"EXISTS (SELECT 1 FROM {table} t"
        f" WHERE t.space_id = {{0}}.space_id AND t.{key} = {{0}}.{own})"
    )


#: What may be read of each table inside a space; a table that is not here shows all of the space.
_INSIDE: Final[dict[str, str]] = {
    "audiences": _RULES,
    "audience_sources": f"{_MEMBER} AND {_READABLE.format('stream_id')}",
    "memories": _SEEN_AUDIENCES,
    "events": _SEEN_AUDIENCES,
    "event_revisions": _follows("events", "event_id", "event_id"),
    "event_reactions": _follows("events", "event_id", "event_id"),
    "code_indexes": _MEMBER,
    "code_files": _MEMBER,
    "code_nodes": _MEMBER,
    "code_edges": _MEMBER,
    "code_needs": _MEMBER,
    "code_cochanges": _MEMBER,
    "code_chunks": _SEEN_AUDIENCES,
    "memory_history": _follows("memories", "memory_id", "memory_id"),
    "memory_tags": _follows("memories", "memory_id", "memory_id"),
    "memory_files": _follows("memories", "memory_id", "memory_id"),
    "memory_modules": _follows("memories", "memory_id", "memory_id"),
    "memory_sessions": _follows("memories", "memory_id", "memory_id"),
    "memory_events": _follows("memories", "memory_id", "memory_id"),
    "memory_relations": _follows("memories", "memory_id", "source_id"),
    "retrievals": f"user_id = (SELECT {_USER})",
    "retrieval_items": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "retrieval_feedback": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "access_tokens": "false",  # only the house looks at tokens
    "memory_outside": _follows("memories", "memory_id", "memory_id"),
    "outside_events": _follows("events", "event_id", "event_id"),
    "event_signals": _follows("events", "event_id", "event_id"),
    **dict.fromkeys(
        (
            "audit_log",
            "entries",
            "entry_bands",
            "incognito_sessions",
            "memory_settings",
            "open_questions",
            "quarantine",
            "shared_tags",
            "tombstones",
        ),
        f"user_id = (SELECT {_USER})",
    ),
    "agent_served": _follows("memories", "memory_id", "memory_id"),
    "agent_reviews": _follows("memories", "memory_id", "memory_id"),
}


def joined(names: Iterable[str]) -> str:
    """Names as one setting."""
    return _BETWEEN.join(sorted(names))


def build(connection: Connection) -> None:
    """Raise the wall on every table that has a space, and let the role through its door.

    A wall that stands already is raised anew, so that a migration ends with this as the first did.
    """
    tables = connection.exec_driver_sql(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        f" WHERE {_WHOLE} AND a.attname = 'space_id' AND NOT a.attisdropped ORDER BY c.relname"
    ).scalars()
    functions.build(connection)
    with_role = roles.make(connection)
    bound = with_role and roles.may_take(connection, _OWNER)
    there = list(tables)
    for table in there:
        inside = _INSIDE.get(table, "true").format(table)
        if table == "audiences" and "audience_sources" not in there:  # an older migration asks
            inside = _OWN_RULES
        connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        force = "NO FORCE" if bound else "FORCE"
        connection.exec_driver_sql(f"ALTER TABLE {table} {force} ROW LEVEL SECURITY")
        connection.exec_driver_sql(f"DROP POLICY IF EXISTS recollect_wall ON {table}")
        connection.exec_driver_sql(
            f"CREATE POLICY recollect_wall ON {table} USING"
            f" ({_HOUSE} OR (space_id = (SELECT {_SPACE}) AND ({inside})))"
            f" WITH CHECK ({_HERE})".replace("%", "%%")
        )
    if with_role:
        roles.grant(connection)


def protect_columns(connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
    """A trigger a table that refuses to change the columns."""
    functions.refuse_changes(connection)
    for table, names in columns.items():
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in names)
        connection.exec_driver_sql(
            f"CREATE TRIGGER {table}_scope_is_fixed BEFORE UPDATE OF {', '.join(names)}"
            f" ON {table} FOR EACH ROW WHEN ({changed})"
            " EXECUTE FUNCTION recollect_scope_is_fixed()"
        )
