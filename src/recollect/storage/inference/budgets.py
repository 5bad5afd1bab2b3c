"""Rows of budgets and of model calls; checking, spending and the monthly reset are one statement.

An amount that does not fit changes nothing and returns nothing; a month that began since the last
use resets the count in the same statement, so no timer is needed at midnight.
"""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, select, text, update

from recollect.storage.schema import budgets, model_calls
from recollect.vocabulary.budgets import Budget

_SPEND: Final = text(
    "INSERT INTO budgets (space_id, kind, month, used, allowed)"
    " SELECT :space, :kind, :month, :amount, :allowed"
    " WHERE CAST(:allowed AS FLOAT) IS NULL OR :amount <= CAST(:allowed AS FLOAT)"
    " ON CONFLICT (space_id, kind) DO UPDATE SET month = excluded.month,"
    " used = CASE WHEN budgets.month = excluded.month THEN budgets.used ELSE 0 END + excluded.used"
    " WHERE budgets.allowed IS NULL OR"
    " CASE WHEN budgets.month = excluded.month THEN budgets.used ELSE 0 END + excluded.used"
    " <= budgets.allowed RETURNING used"
)
_OVERSPEND: Final = text(
    "INSERT INTO budgets (space_id, kind, month, used, allowed)"
    " VALUES (:space, :kind, :month, :amount, :allowed)"
    " ON CONFLICT (space_id, kind) DO UPDATE SET month = excluded.month,"
    " used = CASE WHEN budgets.month = excluded.month THEN budgets.used ELSE 0 END + excluded.used"
)


def spend(
    connection: Connection,
    space_id: str,
    kind: str,
    amount: float,
    *,
    month: str,
    allowed: float | None,
) -> bool:
    """Spend an amount of a month's budget, if it fits; whether it did. ``allowed`` is the limit if
    none was set yet.
    """
    row = connection.execute(
        _SPEND,
        {"space": space_id, "kind": kind, "month": month, "amount": amount, "allowed": allowed},
    ).first()
    return row is not None


def spend_unchecked(
    connection: Connection,
    space_id: str,
    kind: str,
    amount: float,
    *,
    month: str,
    allowed: float | None,
) -> None:
    """Count an amount that was spent already, whether it fits or not."""
    connection.execute(
        _OVERSPEND,
        {"space": space_id, "kind": kind, "month": month, "amount": amount, "allowed": allowed},
    )


def allow(
    connection: Connection, space_id: str, kind: str, allowed: float | None, month: str
) -> None:
    """Set the monthly limit of a kind."""
    here = (budgets.c.space_id == space_id) & (budgets.c.kind == kind)
    if connection.execute(update(budgets).where(here).values(allowed=allowed)).rowcount == 0:
        connection.execute(
            insert(budgets).values(
                space_id=space_id, kind=kind, month=month, used=0.0, allowed=allowed
            )
        )


def budgets_of(connection: Connection, space_id: str, month: str) -> list[Budget]:
    """Every budget of a space for a month."""
    rows = connection.execute(
        select(budgets).where(budgets.c.space_id == space_id).order_by(budgets.c.kind)
    )
    return [
        Budget(row.kind, month, row.used if row.month == month else 0.0, row.allowed)
        for row in rows
    ]


def add_call(connection: Connection, space_id: str, call: dict[str, Any]) -> None:
    """Record one model call."""
    connection.execute(insert(model_calls).values(space_id=space_id, **call))


def calls_since(connection: Connection, space_id: str, since: datetime) -> list[Row[Any]]:
    """The calls of a space since a time, newest first."""
    return list(
        connection.execute(
            select(model_calls)
            .where(model_calls.c.space_id == space_id, model_calls.c.at >= since)
            .order_by(model_calls.c.call_id.desc())
        )
    )
