"""Translates PostgreSQL errors: one clear sentence each, and whether a retry may help."""

from typing import Final

import psycopg

from recollect.vocabulary.errors import (
    ConnectionLost,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

_NOTHING: Final = "Nothing of this call was written."

#: Codes after which a retry may succeed: conflicts, locks, and a server that starts or stops.
_TRANSIENT_CODES: Final = frozenset(
    {"40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300", "08006", "08003", "08001"}
)

_BY_CODE: Final[tuple[tuple[str, type[StoreError], str, str | None], ...]] = (
    ("40", StoreBusy, f"Other writers were in the way too often. {_NOTHING}", "Try again."),
    ("55P03", StoreBusy, f"Other writers held the space for too long. {_NOTHING}", "Try again."),
    (
        "53300",
        StoreBusy,
        f"The server has no connection left to give. {_NOTHING}",
        "Try again, or raise max_connections on the server.",
    ),
    (
        "53100",
        StoreFull,
        f"The server's disk is full. {_NOTHING}",
        "Free some room there and try again.",
    ),
    (
        "53",
        StoreBusy,
        f"The server is out of memory or of another resource. {_NOTHING}",
        "Try again later.",
    ),
    (
        "28",
        StoreUnavailable,
        "The server refuses the login: wrong name or password.",
        "Check the name and the password in the address.",
    ),
    ("3D000", StoreUnavailable, "There is no such database on the server.", "Create it first."),
    *(
        (
            code,
            ConnectionLost,
            f"The server ended the connection. {_NOTHING}",
            "Try again in a moment.",
        )
        for code in ("57P01", "57P02", "57P05", "08003", "08006")
    ),
    (
        "57P",
        StoreUnavailable,
        f"The server is starting or stopping. {_NOTHING}",
        "Try again in a moment.",
    ),
    (
        "57014",
        StoreBusy,
        f"The server cancelled a statement that took longer than its statement_timeout. {_NOTHING}",
        "Try again, or allow more: ALTER ROLE login SET statement_timeout = '60s'.",
    ),
    (
        "25P0",
        StoreBusy,
        "The server ended a transaction that took longer than its transaction_timeout or "
        f"idle_in_transaction_session_timeout. {_NOTHING}",
        "Try again, or allow more of it for the login.",
    ),
    ("XX001", StoreDamaged, "The server found damaged pages.", "Restore from a backup."),
    ("XX002", StoreDamaged, "The server found a damaged index.", "Run REINDEX on the server."),
)

_NO_RIGHT: Final = "42501"
_READ_ONLY: Final = "25006"

#: Missing rights of a login, by patterns in the server's message; the meaning, and what to do.
_RIGHTS: Final = (
    (
        "extension",
        "to install pgvector in the database. Nothing was changed.",
        "Have an administrator of the server run CREATE EXTENSION vector in the database once.",
    ),
    (
        "must be owner",
        "to change the tables, which belong to another login. Nothing was changed.",
        "Open the store once with the login that owns the tables.",
    ),
    (
        "for table",
        f"to this part of the store. {_NOTHING}",
        "Have an administrator run GRANT recollect_member TO the login, or use the owner's login.",
    ),
    (
        "for function",
        f"to this part of the store. {_NOTHING}",
        "Have an administrator run GRANT recollect_member TO the login, or use the owner's login.",
    ),
    (
        "",
        "to do this. Nothing was changed.",
        "Let it own the database, or have its owner open the store once.",
    ),
)

_LOGIN: Final = "refuses the login: wrong name or password"

#: Refused connections come without a code: patterns in the message, the meaning, and what to do.
_REFUSED_CONNECTIONS: Final[tuple[tuple[str, type[StoreError], str, str | None], ...]] = (
    ("authentication failed", StoreUnavailable, _LOGIN, "Check both in the address."),
    ("no password", StoreUnavailable, "wants a password", "Put it in the address or in ~/.pgpass."),
    ("does not exist", StoreUnavailable, "has no such database or login", "Create it first."),
    ("pg_hba.conf", StoreUnavailable, "refuses the login from here", "Ask its administrator."),
    ("too many", StoreBusy, "has no connection left to give", "Try again, or raise its limits."),
    ("connection slots", StoreBusy, "has no connection left to give", "Try again."),
    ("database system is", StoreUnavailable, "is starting or stopping", "Try again in a moment."),
)
_CUT_OFF: Final = (
    "consuming input failed",
    "sending ",
    "connection is closed",
    "connection is lost",
)
_NOT_NOW: Final = ("too many", "connection slots", "database system is")


def is_transient(error: BaseException) -> bool:
    """Whether a retry may help."""
    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is not None:
        return error.sqlstate in _TRANSIENT_CODES
    if not isinstance(error, psycopg.OperationalError):
        return False
    words = str(error)
    return any(sign in words for sign in _NOT_NOW) or not _is_refused_connection(words)


def translate(error: BaseException, address: str) -> StoreError:
    """The error in our words; the address is shown without its password."""
    code = getattr(error, "sqlstate", None) or ""
    if "row-level security" in str(error):
        return StoreError(f"Row-level security refused: {_first_line(error)}. {_NOTHING}")
    if code == _READ_ONLY:
        return _only_read(str(error))
    if code == _NO_RIGHT:
        return _without_right(str(error))
    for start, kind, words, hint in _BY_CODE:
        if code.startswith(start):
            return kind(words, hint=hint)
    if isinstance(error, psycopg.OperationalError) and not code:
        return _connection_error(str(error), address)
    return StoreError(f"The database refused: {_first_line(error)}.")


def _only_read(words: str) -> StoreError:
    if "recovery" in words:
        return StoreReadOnly(
            f"The server is read-only: it is a replica. {_NOTHING}",
            hint="Write to the primary server.",
        )
    return StoreReadOnly(
        "This login can only read: default_transaction_read_only is on, or it is a"
        f" replica. {_NOTHING}",
        hint="ALTER ROLE login SET default_transaction_read_only = off, or write to the primary.",
    )


def _without_right(words: str) -> StoreError:
    meaning, hint = next((meaning, hint) for sign, meaning, hint in _RIGHTS if sign in words)
    return StoreReadOnly(f"The login has no right {meaning}", hint=hint)


def _connection_error(words: str, address: str) -> StoreError:
    """Errors without a code: the connection was refused, was cut, or there is no server."""
    if _is_refused_connection(words):
        for sign, kind, meaning, hint in _REFUSED_CONNECTIONS:
            if sign in words:
                return kind(f"The server at {address} {meaning}. {_NOTHING}", hint=hint)
        reason = words.rpartition("FATAL:")[2].strip().rstrip(".") or "no reason was given"
        return StoreUnavailable(f"The server at {address} refuses: {_first_line(reason)}.")
    if any(sign in words for sign in _CUT_OFF):
        return ConnectionLost(
            f"The connection to the server at {address} was lost. {_NOTHING}", hint="Try again."
        )
    return StoreUnavailable(
        f"No PostgreSQL server answers at {address}. {_NOTHING}",
        hint="Check that it runs and that the address is right.",
    )


def _is_refused_connection(words: str) -> bool:
    """Whether a server answered and refused the connection, rather than ended an existing one."""
    return words.startswith("connection ") and ("FATAL:" in words or "no password" in words)


def _first_line(error: object) -> str:
    return (str(error).strip().splitlines() or ["no reason was given"])[0].rstrip(".")
