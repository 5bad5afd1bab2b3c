"""The functions of the store in the database, and who may call them.

One kind runs with the rights of the tables' owner (SECURITY DEFINER): it reads the keyword index,
which PostgreSQL does not use through row-level security. Whoever may call such a function must not
be able to say what its names mean. So every name in it is qualified, its search path is fixed with
``pg_temp`` last, and nobody but the role behind the wall may call it.
"""

from typing import Final

from sqlalchemy import Connection

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


def schema_of(connection: Connection) -> str:
    """The schema of the store, quoted as a statement needs it."""
    return str(connection.exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one())


def build(connection: Connection) -> None:
    """Make the functions, or make them anew, and take them out of everybody's reach."""
    schema = schema_of(connection)
    refuse_changes(connection)
    for table in connection.exec_driver_sql(_KEYWORD_TABLES).scalars().all():
        connection.exec_driver_sql(_postings(schema, table))
    for function in connection.exec_driver_sql(_OURS).scalars().all():
        connection.exec_driver_sql(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
    _close_schema(connection, schema)


def refuse_changes(connection: Connection) -> None:
    """The function that a trigger calls when a column is changed that must not be."""
    connection.exec_driver_sql(
        """
        CREATE OR REPLACE FUNCTION recollect_scope_is_fixed() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN RAISE EXCEPTION 'scope columns of %% cannot change', TG_TABLE_NAME; END $$
        """
    )


def grant(connection: Connection, role: str) -> None:
    """Let a role call the functions."""
    for function in connection.exec_driver_sql(_OURS).scalars().all():
        connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {function} TO {role}")


def problems(connection: Connection) -> list[str]:
    """What anybody who can connect may do here and should not, in words."""
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
    """Let nobody put things of their own beside the tables, where the login may say so."""
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
                AND k.space_id OPERATOR(pg_catalog.=)
                    pg_catalog.current_setting('recollect.space', true)
            ORDER BY k.slot
        $$
    """
