"""PostgreSQL addresses, and the settings that every connection uses.

Defaults of a database or a login (``ALTER DATABASE ... SET datestyle``) must not change what we
read from it, so each connection sets what it needs. Only the encoding of the database cannot be
chosen by a connection: one that cannot store every text is refused with a clear error.
"""

from typing import Any, Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from recollect.vocabulary.errors import InvalidSetting, StoreUnavailable

#: Settings of every connection, whatever the database, the login or the address ask for.
_SETTINGS: Final = {
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "standard_conforming_strings": "on",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "row_security": "on",
}
ENCODING: Final = "UTF8"


def shown(address: str) -> str:
    """The address without its password, for display."""
    try:
        url = make_url(address)
    except ArgumentError:
        return "the server"
    secret = [name for name in url.query if "password" in name]
    return url.difference_update_query(secret).render_as_string(hide_password=True)


def read(address: str) -> tuple[URL, str]:
    """The address for the driver, and the server options it asks for, such as another schema."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError) as error:
        raise InvalidSetting(
            "The address of the server cannot be read.",
            hint="It looks like postgresql://user:password@host:5432/database.",
        ) from error
    query = dict(url.query)
    asked = query.pop("options", "")
    return url.set(drivername="postgresql+psycopg", query=query), str(asked)


def options(asked: str, busy_seconds: float) -> str:
    """Options of a connection: what the address asks for, then the settings that are mandatory."""
    fixed = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    return f"-c lock_timeout={int(busy_seconds * 1000)} {asked} {fixed}"


def require_encoding(connection: Any) -> None:
    """Refuse a database whose encoding cannot store every text."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != ENCODING:
        connection.close()
        raise StoreUnavailable(
            f"The database is encoded in {encoding}, which cannot hold every text; Recollect needs"
            f" {ENCODING}. Nothing was changed.",
            hint="Make another: CREATE DATABASE memory ENCODING 'UTF8' TEMPLATE template0.",
        )
