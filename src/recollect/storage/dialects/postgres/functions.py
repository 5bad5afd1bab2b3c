"""SQL functions of the store, and the rights to call them.

Some run with the rights of the tables' owner (SECURITY DEFINER): they read the keyword index, which
PostgreSQL does not use through row-level security. A caller of such a function must not be able to
redefine the names in it. So every name is qualified, the search path is fixed with ``pg_temp``
last, and only the restricted role may call it.
"""

from typing import Final

from sqlalchemy import Connection

from recollect.storage.schema import TRACKED_TABLES

_OURS: Final = (
    "SELECT p.oid::regprocedure::text FROM pg_proc p"
    " WHERE p.pronamespace = current_schema()::regnamespace"
    " AND starts_with(p.proname, 'recollect_') ORDER BY 1"
)
_KEYWORD_TABLES: Final = (
    "SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace"
    " AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    " AND c.relname LIKE '%%\\_keywords' ORDER BY 1"
)
_OPEN_TO_ALL: Final = (
    "SELECT p.oid::regprocedure::text FROM pg_proc p"
    " WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef"
    " AND starts_with(p.proname, 'recollect_')"
    " AND has_function_privilege('public', p.oid, 'EXECUTE') ORDER BY 1"
)
_SCHEMA_OPEN: Final = (
    "SELECT has_schema_privilege('public', oid, 'CREATE'),"
    " pg_has_role(session_user, nspowner, 'USAGE')"
    " FROM pg_namespace WHERE oid = current_schema()::regnamespace"
)

#: Sets the space and the viewer of a transaction; the viewer's role is looked up here. It is read
#: after the lock, so that an earlier change of it is seen. Teams and organisations are those that
#: the caller names and those that the store knows the person in.
_ENTER: Final = """
    CREATE OR REPLACE FUNCTION {schema}.recollect_enter(
        entered text, viewer text, teams text, organisations text, alone boolean
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_catalog.set_config('recollect.space', entered, true),
            pg_catalog.set_config('recollect.user', viewer, true),
            pg_catalog.set_config('recollect.role', '', true),
            pg_catalog.set_config('recollect.whole', '', true);
        IF alone THEN
            PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(entered, 0));
        END IF;
        PERFORM pg_catalog.set_config('recollect.role', coalesce((
            SELECT m.role FROM {schema}.space_members m
            WHERE m.space_id = entered AND m.user_id = viewer
        ), ''), true);
        PERFORM pg_catalog.set_config('recollect.teams', pg_catalog.concat_ws(
                E'\\x1f', nullif(teams, ''), (
                    SELECT pg_catalog.string_agg(g.name, E'\\x1f') FROM {schema}.group_members g
                    WHERE g.user_id = viewer AND g.kind = 'team')), true),
            pg_catalog.set_config('recollect.organisations', pg_catalog.concat_ws(
                E'\\x1f', nullif(organisations, ''), (
                    SELECT pg_catalog.string_agg(g.name, E'\\x1f') FROM {schema}.group_members g
                    WHERE g.user_id = viewer AND g.kind = 'organisation')), true);
    END $$
"""
#: The streams that the viewer may read, threads not counted. The policies of streams themselves
#: call it, so it must bypass them: by its owner's rights, and where the owner is bound too, by the
#: setting for reading the whole.
_READABLE_STREAMS: Final = """
    CREATE OR REPLACE FUNCTION {schema}.recollect_readable_streams() RETURNS SETOF text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, {schema}, pg_temp AS $$
    DECLARE
        entered text := pg_catalog.current_setting('recollect.space', true);
        viewer text := pg_catalog.current_setting('recollect.user', true);
        before text := coalesce(pg_catalog.current_setting('recollect.whole', true), '');
    BEGIN
        PERFORM pg_catalog.set_config('recollect.whole', 'on', true);
        RETURN QUERY SELECT s.stream_id FROM {schema}.streams s
            WHERE s.space_id = entered AND s.parent_id IS NULL AND (
                s.access = 'open' OR s.owner = viewer OR EXISTS (
                    SELECT 1 FROM {schema}.stream_members l
                    WHERE l.space_id = s.space_id AND l.stream_id = s.stream_id
                        AND l.user_id = viewer));
        PERFORM pg_catalog.set_config('recollect.whole', before, true);
    END $$
"""
#: Notes a change in a synced space. A writer whose item is noted already waits for a process that
#: is just reading the note, so that no change is lost between the two.
_NOTE_CHANGE: Final = """
    CREATE OR REPLACE FUNCTION {schema}.recollect_note_{table}() RETURNS trigger
    LANGUAGE plpgsql AS $$
    DECLARE changed {schema}.{table};
    BEGIN
        IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
        IF EXISTS (
            SELECT 1 FROM {schema}.sync_spaces s JOIN {schema}.spaces p
                ON p.space_id OPERATOR(pg_catalog.=) s.space_id
            WHERE s.space_id OPERATOR(pg_catalog.=) changed.space_id
        ) THEN
            INSERT INTO {schema}.sync_changes AS c (space_id, kind, item_id, noted)
            VALUES (changed.space_id, '{kind}', changed.{column}, 1)
            ON CONFLICT (space_id, kind, item_id)
            DO UPDATE SET noted = c.noted OPERATOR(pg_catalog.+) 1;
        END IF;
        RETURN NULL;
    END $$
"""


def schema_of(connection: Connection) -> str:
    """The schema of the store, quoted for SQL."""
    return str(connection.exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one())


def build(connection: Connection) -> None:
    """Create or replace the functions, and revoke the public's right to call them."""
    schema = schema_of(connection)
    refuse_changes(connection)
    connection.exec_driver_sql(_ENTER.format(schema=schema))
    connection.exec_driver_sql(_READABLE_STREAMS.format(schema=schema))
    _note_changes(connection, schema)
    for table in connection.exec_driver_sql(_KEYWORD_TABLES).scalars().all():
        connection.exec_driver_sql(_postings(schema, table))
    for function in connection.exec_driver_sql(_OURS).scalars().all():
        connection.exec_driver_sql(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
    _close_schema(connection, schema)


def _note_changes(connection: Connection, schema: str) -> None:
    """The triggers that note changes for sync, once the table for them exists."""
    there = connection.exec_driver_sql("SELECT to_regclass('sync_changes')").scalar()
    if there is None:
        return
    for table, (kind, column, actions) in TRACKED_TABLES.items():
        function = _NOTE_CHANGE.format(schema=schema, table=table, kind=kind, column=column)
        connection.exec_driver_sql(function)
        connection.exec_driver_sql(
            f"CREATE OR REPLACE TRIGGER {table}_is_noted AFTER {' OR '.join(actions)}"
            f" ON {table} FOR EACH ROW EXECUTE FUNCTION {schema}.recollect_note_{table}()"
        )


def refuse_changes(connection: Connection) -> None:
    """The trigger function that refuses changes of protected columns."""
    connection.exec_driver_sql(
        """
        CREATE OR REPLACE FUNCTION recollect_scope_is_fixed() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF pg_catalog.current_setting('recollect.space', true) OPERATOR(pg_catalog.=) '*'
                AND pg_catalog.current_setting('recollect.erasing', true)
                    OPERATOR(pg_catalog.=) 'on' THEN
                RETURN NEW;  -- the house takes the name of a deleted person away
            END IF;
            RAISE EXCEPTION 'scope columns of %% cannot change', TG_TABLE_NAME;
        END $$
        """
    )


def grant(connection: Connection, role: str) -> None:
    """Let a role call the functions."""
    for function in connection.exec_driver_sql(_OURS).scalars().all():
        connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {function} TO {role}")


def problems(connection: Connection) -> list[str]:
    """Excessive rights of everybody who can connect, in words."""
    found = [
        f"Anybody who can connect may call {function}, which runs with its owner's rights."
        for function in connection.exec_driver_sql(_OPEN_TO_ALL).scalars()
    ]
    is_open, _ = connection.exec_driver_sql(_SCHEMA_OPEN).one()
    if is_open:
        found.append(
            "Anybody who can connect may create things beside the tables: have the schema's owner"
            f" run REVOKE CREATE ON SCHEMA {schema_of(connection)} FROM PUBLIC."
        )
    return found


def _close_schema(connection: Connection, schema: str) -> None:
    """Stop others from creating objects in the schema, if the login may do that."""
    is_open, may_close = connection.exec_driver_sql(_SCHEMA_OPEN).one()
    if is_open and may_close:
        connection.exec_driver_sql(f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC")


def _postings(schema: str, table: str) -> str:
    """The function that reads one keyword index of the space that the transaction has entered."""
    collection = table.removesuffix("_keywords")
    return f"""
        CREATE OR REPLACE FUNCTION {schema}.recollect_{collection}_postings(term text)
        RETURNS TABLE (slot bigint, rank real)
        LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog, {schema}, pg_temp AS $$
            SELECT k.slot, pg_catalog.ts_rank(k.tokens, q.query)
            FROM (SELECT term::pg_catalog.tsquery AS query) q, {schema}.{table} k
            WHERE k.tokens OPERATOR(pg_catalog.@@) q.query
                AND pg_catalog.current_setting('recollect.whole', true)
                    OPERATOR(pg_catalog.=) 'on'
                AND k.space_id OPERATOR(pg_catalog.=)
                    pg_catalog.current_setting('recollect.space', true)
            ORDER BY k.slot
        $$
    """
