"""The database role that row-level security applies to: who may take it, and its rights.

Row-level security does not bind a superuser, nor the owner of a table. So connections take the role
``recollect_member``, which owns nothing. Membership of a role does not always allow taking it: from
PostgreSQL 16 on, a login that creates a role is a member and may not SET ROLE until it grants that.
"""

from typing import Any, Final

from sqlalchemy import Connection

from recollect.storage.dialects.postgres import functions
from recollect.vocabulary.errors import StoreReadOnly

ROLE: Final = "recollect_member"

#: Privilege for ``pg_has_role``: whether a login may take the role, whatever other rights it has.
_TAKE: Final = (
    "CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END"
)
_HOW: Final = (
    "CASE WHEN current_setting('server_version_num')::integer < 160000 THEN ''"
    " ELSE ' WITH INHERIT FALSE, SET TRUE' END"
)
#: Tables on which the role has fewer rights than on others. TRUNCATE is never granted, because
#: row-level security does not restrict it.
_REDUCED_RIGHTS: Final = {
    "alembic_version": "SELECT",
    "spaces": "SELECT, INSERT, DELETE, UPDATE ({columns})",
}
_OWN_TABLES: Final = "c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')"

_LACKS_RIGHTS: Final = f"""
    SELECT current_schema() IS NULL OR EXISTS (
        SELECT 1 FROM pg_class c
        WHERE {_OWN_TABLES} AND NOT c.relispartition AND NOT has_table_privilege(c.oid, 'SELECT')
            AND (c.relname IN ('alembic_version', 'store_facts') OR c.relrowsecurity)
    ) OR EXISTS (
        SELECT 1 FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef
            AND starts_with(p.proname, 'recollect_')
            AND NOT has_function_privilege(p.oid, 'EXECUTE')
    )
"""
_LACKS_ROW_SECURITY: Final = """
    SELECT pg_has_role(session_user, c.relowner, 'USAGE')
        AND (r.rolsuper OR NOT c.relforcerowsecurity)
    FROM pg_class c, pg_roles r
    WHERE c.oid = to_regclass('memories') AND c.relrowsecurity AND r.rolname = session_user
"""
_OWNERS: Final = f"""
    SELECT DISTINCT pg_get_userbyid(c.relowner), session_user::text FROM pg_class c
    WHERE {_OWN_TABLES} AND (c.relrowsecurity OR c.relname = 'alembic_version')
        AND NOT pg_has_role(session_user, c.relowner, 'USAGE')
"""


def take(connection: Any) -> bool:
    """Take the restricted role on a connection, if allowed; whether the store exists."""
    taken = connection.execute(
        f"SELECT set_config('role', '{ROLE}', false) FROM pg_roles WHERE rolname = '{ROLE}'"
        f" AND pg_has_role(session_user, oid, {_TAKE})"
        " AND to_regclass('recollect_walls') IS NOT NULL"
    ).fetchone()
    if taken:
        return True
    (there,) = connection.execute("SELECT to_regclass('alembic_version') IS NOT NULL").fetchone()
    return bool(there)


def make(connection: Connection) -> bool:
    """Create the role if it is missing; whether the login may take it."""
    able = connection.exec_driver_sql(
        "SELECT (rolsuper OR rolcreaterole) FROM pg_roles WHERE rolname = session_user"
    ).scalar()
    if able:
        connection.exec_driver_sql(
            f"""
            DO $$ BEGIN
                CREATE ROLE {ROLE} NOLOGIN;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
            """
        )
    if may_take(connection):
        return True
    if able:
        connection.exec_driver_sql(
            f"""
            DO $$ BEGIN
                EXECUTE 'GRANT {ROLE} TO ' || quote_ident(session_user) || {_HOW};
            EXCEPTION WHEN insufficient_privilege THEN NULL; END $$
            """
        )
    return may_take(connection)


def may_take(connection: Connection, who: str = "session_user") -> bool:
    """Whether a login may take the role."""
    return bool(
        connection.exec_driver_sql(
            f"SELECT coalesce(bool_or(pg_has_role({who}, oid, {_TAKE})), false)"
            f" FROM pg_roles WHERE rolname = '{ROLE}'"
        ).scalar()
    )


def row_security_state(connection: Connection) -> str:
    """Whether row-level security binds this connection: by its role, by force, or not at all."""
    who, bypasses, forced = connection.exec_driver_sql(
        "SELECT current_user::text, r.rolsuper OR r.rolbypassrls, c.relforcerowsecurity"
        " FROM pg_roles r, pg_class c"
        " WHERE r.rolname = current_user AND c.oid = 'memories'::regclass"
    ).one()
    if who == ROLE:
        return f"up (role {ROLE})"
    return "up (forced)" if forced and not bypasses else "missing"


def owner(connection: Connection) -> str:
    """The owner of the tables, and whether that login is a superuser."""
    name, superuser = connection.exec_driver_sql(
        "SELECT r.rolname, r.rolsuper FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner"
        " WHERE c.oid = 'memories'::regclass"
    ).one()
    return f"{name} (a superuser)" if superuser else str(name)


def rights_are_missing(connection: Connection) -> bool:
    """Whether the role cannot reach the tables, or an owner is not bound by it.

    ``pg_restore --no-privileges`` leaves a store so, on a server that knows the role or not.
    """
    who = connection.exec_driver_sql("SELECT current_user::text").scalar_one()
    return bool(
        connection.exec_driver_sql(_LACKS_RIGHTS if who == ROLE else _LACKS_ROW_SECURITY).scalar()
    )


def require_owner(connection: Connection) -> None:
    """Refuse a login that does not own the tables, and name the owner."""
    found = connection.exec_driver_sql(_OWNERS).first()
    if found is not None:
        whose, login = found
        raise StoreReadOnly(
            f"The login {login} has no right to the tables of the store, which belong to {whose}. "
            "Nothing was changed.",
            hint=f"Open the store once with the login {whose}: that gives {ROLE} its rights again.",
        )


def grant(connection: Connection) -> None:
    """Grant the role its rights, and set the marker by which connections know to take it."""
    functions.grant(connection, ROLE)
    for statement in (
        f"GRANT USAGE ON SCHEMA {functions.schema_of(connection)} TO {ROLE}",
        "CREATE OR REPLACE VIEW recollect_walls AS SELECT 'row-level security'::text AS wall",
        f"GRANT SELECT ON recollect_walls TO {ROLE}",
    ):
        connection.exec_driver_sql(statement)
    tables = connection.exec_driver_sql(
        f"SELECT c.relname FROM pg_class c WHERE {_OWN_TABLES} AND NOT c.relispartition"
    )
    for table in tables.scalars().all():
        rights = _REDUCED_RIGHTS.get(table, "SELECT, INSERT, UPDATE, DELETE")
        if table == "spaces":
            rights = rights.format(columns=_changeable(connection))
        connection.exec_driver_sql(
            f"REVOKE ALL ON {table} FROM {ROLE}; GRANT {rights} ON {table} TO {ROLE}"
        )


def _changeable(connection: Connection) -> str:
    """The columns of a space that may change; older migrations call this before all exist."""
    there = connection.exec_driver_sql(
        "SELECT a.attname FROM pg_attribute a WHERE a.attrelid = to_regclass('spaces')"
        " AND a.attname IN ('clock', 'name', 'archived_at', 'retention_days')"
        " AND NOT a.attisdropped ORDER BY a.attnum"
    ).scalars()
    names = list(there)
    return ", ".join(names if "archived_at" in names else ["clock"])
