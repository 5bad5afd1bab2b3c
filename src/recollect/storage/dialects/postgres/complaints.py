"""PostgreSQL's complaints as errors of ours: one clear sentence each, and whether it passes."""

from typing import Final

import psycopg

from recollect.vocabulary.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
)

_NOTHING: Final = "Nothing of this call was written."

#: Codes after which the same work may succeed: conflicts, locks, and a server that starts or stops.
_PASSING: Final = frozenset(
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
        "25006",
        StoreReadOnly,
        f"The server only reads: it is a replica. {_NOTHING}",
        "Write to the primary server.",
    ),
    (
        "42501",
        StoreReadOnly,
        "The login has no right to do this. Nothing was changed.",
        "Let it own the database, or have its owner open the store once.",
    ),
    (
        "28",
        StoreUnavailable,
        "The server refuses the login: wrong name or password.",
        "Check the name and the password in the address.",
    ),
    ("3D000", StoreUnavailable, "There is no such database on the server.", "Create it first."),
    ("57P", StoreUnavailable, "The server is starting or stopping.", "Try again in a moment."),
    ("XX001", StoreDamaged, "The server found damaged pages.", "Restore from a backup."),
    ("XX002", StoreDamaged, "The server found a damaged index.", "Run REINDEX on the server."),
)


def passes(error: BaseException) -> bool:
    """Whether it may help to try again."""
    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is not None:
        return error.sqlstate in _PASSING
    return isinstance(error, psycopg.OperationalError) and not _refused(error)


def translate(error: BaseException, address: str) -> StoreError:
    """The complaint in our words; the address is shown without its password."""
    code = getattr(error, "sqlstate", None) or ""
    if "row-level security" in str(error):
        return StoreError(f"The wall between spaces refused: {_first_line(error)}. {_NOTHING}")
    for start, kind, words, hint in _BY_CODE:
        if code.startswith(start):
            return kind(words, hint=hint)
    if isinstance(error, psycopg.OperationalError) and not code:
        return _unreachable(error, address)
    return StoreError(f"The database refused: {_first_line(error)}.")


def _unreachable(error: BaseException, address: str) -> StoreError:
    words = str(error)
    for sign, kind, hint in (
        ("password authentication failed", "refuses the login: wrong name or password", None),
        ("no password supplied", "wants a password", "Put it in the address, or in ~/.pgpass."),
        ("does not exist", "has no such database or login", "Create it first."),
    ):
        if sign in words:
            return StoreUnavailable(f"The server at {address} {kind}.", hint=hint)
    return StoreUnavailable(
        f"No PostgreSQL server answers at {address}. What was acknowledged before is kept.",
        hint="Check that it runs and that the address is right.",
    )


def _refused(error: BaseException) -> bool:
    """A server that answers but will not have us; asking again does not help."""
    words = str(error)
    return any(
        sign in words
        for sign in ("authentication failed", "no password", "does not exist", "pg_hba.conf")
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no reason was given"])[0].rstrip(".")
