"""Row-level security: a second layer that protects even a query without any filter.

A transaction sets its space and its viewer (``recollect.space`` and ``recollect.user``, with the
viewer's teams and organisations); one that sets nothing sees nothing. The visibility rules are
written here a second time, as policies on ``audiences``: memories and events follow their audience,
and rows that belong to them follow them. The space ``*`` is system access to every space.

Connections take a role that owns nothing (``roles``); where the owner of the tables may not take
it, the policies are forced on the owner instead.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection

from recollect.storage.dialects.postgres import functions, roles

#: Tables as queried; only their owner can access a partition directly.
_OURS: Final = (
    "c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')"
    " AND NOT c.relispartition"
)
_OWNER: Final = "(SELECT c.relowner FROM pg_class c WHERE c.oid = to_regclass('memories'))"
_BETWEEN: Final = "\x1f"

_SPACE: Final = "current_setting('recollect.space', true)"
_USER: Final = "current_setting('recollect.user', true)"
_SYSTEM: Final = f"(SELECT {_SPACE}) = '*'"

_SEEN_AUDIENCES: Final = (
    f"audience_id IN (SELECT a.audience_id FROM audiences a WHERE a.space_id = (SELECT {_SPACE}))"
)
_ROLE: Final = "(SELECT current_setting('recollect.role', true))"
#: Members of the space, and those of them who may write in it, or manage its members.
_MEMBER: Final = f"{_ROLE} <> ''"
_WRITER: Final = f"{_ROLE} IN ('member', 'steward', 'owner')"
_STEWARD: Final = f"{_ROLE} IN ('steward', 'owner')"
_OWNS_SPACE: Final = f"{_ROLE} = 'owner'"
_OWN: Final = f"user_id = (SELECT {_USER})"
_NOBODY: Final = "false"
#: The transaction currently reads what all viewers of the space share, and has set so.
_WHOLE_INDEX: Final = "(SELECT current_setting('recollect.whole', true)) = 'on'"
_READABLE: Final = "{0} IN (SELECT recollect_readable_streams())"


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


_PLACED: Final = _follows("places", "slot", "slot")
#: A pair of memories is visible to those who may see both.
_BOTH: Final = (
    f"{_follows('memories', 'memory_id', 'first_id')}"
    f" AND {_follows('memories', 'memory_id', 'second_id')}"
)

#: Tables whose every row belongs to one person.
_PERSONAL: Final = (
    *("audit_log", "entries", "incognito_sessions", "memory_settings"),
    *("open_questions", "quarantine", "shared_tags", "tombstones"),
)

#: Read condition of each table inside a space; a table not listed is visible to its members.
_READ_CONDITIONS: Final[dict[str, str]] = {
    "spaces": "true",  # its clock is read before anything else is known
    "space_members": f"{_OWN} OR {_MEMBER}",
    "audiences": _RULES,
    "audience_sources": f"{_MEMBER} AND {_READABLE.format('stream_id')}",
    "streams": f"{_WHOLE_INDEX} OR {_SEEN_AUDIENCES}",
    "stream_members": f"{_OWN} OR {_READABLE.format('stream_id')}",
    "places": f"{_WHOLE_INDEX} OR {_SEEN_AUDIENCES}",
    "place_changes": _WHOLE_INDEX,
    "vectors": f"{_WHOLE_INDEX} OR {_PLACED}",
    "memories_keywords": f"{_WHOLE_INDEX} OR {_PLACED}",
    "events_keywords": f"{_WHOLE_INDEX} OR {_PLACED}",
    "chunks_keywords": f"{_WHOLE_INDEX} OR {_PLACED}",
    "jobs": _NOBODY,  # the queue and the budgets need system access
    "budgets": _NOBODY,
    "model_calls": _NOBODY,
    "daily_counts": _NOBODY,
    "memories": _SEEN_AUDIENCES,
    "events": _SEEN_AUDIENCES,
    "event_revisions": _follows("events", "event_id", "event_id"),
    "event_reactions": _follows("events", "event_id", "event_id"),
    "code_chunks": _SEEN_AUDIENCES,
    "memory_history": _follows("memories", "memory_id", "memory_id"),
    "memory_simhashes": _follows("memories", "memory_id", "memory_id"),
    "memory_tags": _follows("memories", "memory_id", "memory_id"),
    "memory_files": _follows("memories", "memory_id", "memory_id"),
    "memory_modules": _follows("memories", "memory_id", "memory_id"),
    "memory_sessions": _follows("memories", "memory_id", "memory_id"),
    "memory_events": _follows("memories", "memory_id", "memory_id"),
    "memory_relations": _follows("memories", "memory_id", "source_id"),
    "contradictions": _BOTH,
    "contradiction_judgements": _BOTH,
    "disputes": _follows("memories", "memory_id", "memory_id"),
    "dispute_comments": _follows("disputes", "dispute_id", "dispute_id"),
    "evolution_changes": _follows("memories", "memory_id", "memory_id"),
    "memory_uses": _follows("memories", "memory_id", "memory_id"),
    "memory_staleness": _follows("memories", "memory_id", "memory_id"),
    "use_ledger": _follows("memories", "memory_id", "memory_id"),
    "predictions": _follows("memories", "memory_id", "memory_id"),
    "retrievals": _OWN,
    "retrieval_items": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "retrieval_feedback": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "researches": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "research_rounds": _follows("retrievals", "retrieval_id", "retrieval_id"),
    "access_tokens": _NOBODY,  # tokens need system access
    "memory_outside": _follows("memories", "memory_id", "memory_id"),
    "outside_events": _follows("events", "event_id", "event_id"),
    "event_signals": _follows("events", "event_id", "event_id"),
    **dict.fromkeys(_PERSONAL, _OWN),
    "sync_spaces": "true",  # queried by the triggers of every write
    "sync_changes": "true",
    "sync_items": _NOBODY,  # sync state needs system access
    "sync_peers": _NOBODY,
    "sync_texts": _follows("memories", "memory_id", "memory_id"),
    "agent_served": _follows("memories", "memory_id", "memory_id"),
    "agent_reviews": _follows("memories", "memory_id", "memory_id"),
}


class Writes(NamedTuple):
    """Write conditions of a table inside a space: for new rows, and for existing ones."""

    insert: str = _WRITER
    update: str = _WRITER
    delete: str = _WRITER


#: Members may insert their own rows, and change those alone.
_MEMBER_OWNED: Final = Writes(_MEMBER, "true", "true")

#: Write conditions of each table; a table not listed is writable for those who may write.
_WRITES: Final[dict[str, Writes]] = {
    "spaces": Writes(_NOBODY, _WRITER, _NOBODY),
    "space_members": Writes(_OWNS_SPACE, _OWNS_SPACE, f"{_OWNS_SPACE} OR {_OWN}"),
    "access_tokens": Writes(_MEMBER, _NOBODY, _NOBODY),
    "author_aliases": Writes(_STEWARD, _STEWARD, f"{_STEWARD} OR {_OWN}"),
    # Whoever was served a memory may rate it, which is counted on its row.
    "memories": Writes(update="true"),
    "jobs": Writes(_MEMBER, _NOBODY, _NOBODY),
    "budgets": Writes(_NOBODY, _NOBODY, _NOBODY),
    "model_calls": Writes(_NOBODY, _NOBODY, _NOBODY),
    "daily_counts": Writes(_NOBODY, _NOBODY, _NOBODY),
    "experiments": Writes(_STEWARD, _STEWARD, _STEWARD),
    "weight_proposals": Writes(_STEWARD, _STEWARD, _STEWARD),
    "place_changes": Writes(_WRITER, _NOBODY, _NOBODY),
    "retrievals": Writes(_NOBODY, "true", "true"),
    "retrieval_items": Writes(_NOBODY, "true", "true"),
    "retrieval_feedback": Writes(_READ_CONDITIONS["retrieval_feedback"], "true", "true"),
    "use_ledger": Writes(_NOBODY, _NOBODY, _NOBODY),  # only the system writes the ledger
    "predictions": Writes(_NOBODY, _NOBODY, _NOBODY),
    "researches": Writes(_NOBODY, "true", "true"),
    "research_rounds": Writes(_NOBODY, "true", "true"),
    **dict.fromkeys(_PERSONAL, _MEMBER_OWNED),
    # Whoever changes a row notes that it changed.
    "sync_changes": Writes("true", "true", _NOBODY),
    **dict.fromkeys(
        ("sync_spaces", "sync_items", "sync_peers", "sync_texts"),
        Writes(_NOBODY, _NOBODY, _NOBODY),
    ),
}


def joined(names: Iterable[str]) -> str:
    """Names joined into one setting."""
    return _BETWEEN.join(sorted(names))


def build(connection: Connection) -> None:
    """Create the policies on every table that has a space, and grant the role its rights.

    Existing policies are recreated, so that every migration ends like the first.
    """
    tables = connection.exec_driver_sql(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        f" WHERE {_OURS} AND a.attname = 'space_id' AND NOT a.attisdropped ORDER BY c.relname"
    ).scalars()
    functions.build(connection)
    with_role = roles.make(connection)
    bound = with_role and roles.may_take(connection, _OWNER)
    force = "NO FORCE" if bound else "FORCE"
    existing = set(tables)
    for table in sorted(existing):
        connection.exec_driver_sql(
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, {force} ROW LEVEL SECURITY"
        )
        connection.exec_driver_sql(_policies(table, existing).replace("%", "%%"))
    connection.exec_driver_sql(_FACTS.format(force=force))
    if connection.exec_driver_sql("SELECT to_regclass('groups')").scalar() is not None:
        connection.exec_driver_sql(_GROUPS.format(force=force))
    if with_role:
        roles.grant(connection)


def _policies(table: str, existing: Collection[str]) -> str:
    """Statements that replace a table's policies. ``existing`` are the tables that exist: older
    migrations call this before all do.
    """
    here = f"space_id = (SELECT {_SPACE})"
    inside = _READ_CONDITIONS.get(table, _MEMBER)
    if table == "audiences" and "audience_sources" not in existing:
        inside = _OWN_RULES
    writes = _WRITES.get(table, Writes())

    def rule(condition: str) -> str:
        return f"({_SYSTEM} OR ({here} AND ({condition})))".format(table)

    update, delete = f"({inside}) AND ({writes.update})", f"({inside}) AND ({writes.delete})"
    rules = {
        "read": f"FOR SELECT USING {rule(inside)}",
        "insert": f"FOR INSERT WITH CHECK {rule(writes.insert)}",
        "update": f"FOR UPDATE USING {rule(update)} WITH CHECK {rule(writes.update)}",
        "delete": f"FOR DELETE USING {rule(delete)}",
    }
    return ";".join(
        [f"DROP POLICY IF EXISTS recollect_wall ON {table}"]
        + [f"DROP POLICY IF EXISTS recollect_{name} ON {table}" for name in rules]
        + [f"CREATE POLICY recollect_{name} ON {table} {text}" for name, text in rules.items()]
    )


#: Facts of the whole store have no space: everyone reads them, the system writes them.
_FACTS: Final = f"""
    ALTER TABLE store_facts ENABLE ROW LEVEL SECURITY, {{force}} ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS recollect_read ON store_facts;
    DROP POLICY IF EXISTS recollect_house ON store_facts;
    CREATE POLICY recollect_read ON store_facts FOR SELECT USING (true);
    CREATE POLICY recollect_house ON store_facts USING ({_SYSTEM}) WITH CHECK ({_SYSTEM})
"""

#: Teams and organisations belong to no space: the system manages them, and everyone may read which
#: ones they are in.
_GROUPS: Final = f"""
    ALTER TABLE groups ENABLE ROW LEVEL SECURITY, {{force}} ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS recollect_house ON groups;
    CREATE POLICY recollect_house ON groups USING ({_SYSTEM}) WITH CHECK ({_SYSTEM});
    ALTER TABLE group_members ENABLE ROW LEVEL SECURITY, {{force}} ROW LEVEL SECURITY;
    DROP POLICY IF EXISTS recollect_read ON group_members;
    DROP POLICY IF EXISTS recollect_house ON group_members;
    CREATE POLICY recollect_read ON group_members FOR SELECT USING ({_OWN});
    CREATE POLICY recollect_house ON group_members USING ({_SYSTEM}) WITH CHECK ({_SYSTEM})
"""


def protect_columns(connection: Connection, columns: Mapping[str, Sequence[str]]) -> None:
    """One trigger per table that refuses changes of the columns."""
    functions.refuse_changes(connection)
    for table, names in columns.items():
        changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in names)
        connection.exec_driver_sql(
            f"CREATE TRIGGER {table}_scope_is_fixed BEFORE UPDATE OF {', '.join(names)}"
            f" ON {table} FOR EACH ROW WHEN ({changed})"
            " EXECUTE FUNCTION recollect_scope_is_fixed()"
        )
