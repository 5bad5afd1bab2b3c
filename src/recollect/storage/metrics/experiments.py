"""Rows of experiments, and of proposals for ranking weights with the decisions on them."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Text, bindparam, insert, select, update

from recollect.storage.prepared import Prepared
from recollect.storage.schema import experiments, weight_proposals

#: Queried with every recall for a phase of work.
_IN_FORCE = Prepared(
    lambda: (
        select(weight_proposals)
        .where(
            weight_proposals.c.space_id == bindparam("space", type_=Text),
            weight_proposals.c.applied_at.is_not(None),
            weight_proposals.c.undone_at.is_(None),
        )
        .order_by(weight_proposals.c.applied_at.desc(), weight_proposals.c.proposal_id.desc())
        .limit(1)
    )
)


def running(connection: Connection, space_id: str) -> Row[Any] | None:
    """The running experiment of a space, if any."""
    return connection.execute(
        select(experiments)
        .where(experiments.c.space_id == space_id, experiments.c.ended_at.is_(None))
        .order_by(experiments.c.experiment_id.desc())
        .limit(1)
    ).first()


def last(connection: Connection, space_id: str) -> Row[Any] | None:
    """The newest experiment of a space."""
    return connection.execute(
        select(experiments)
        .where(experiments.c.space_id == space_id)
        .order_by(experiments.c.experiment_id.desc())
        .limit(1)
    ).first()


def start(connection: Connection, space_id: str, experiment: str, by: str, at: datetime) -> None:
    """Begin an experiment."""
    connection.execute(
        insert(experiments).values(
            space_id=space_id, experiment_id=experiment, started_at=at, started_by=by
        )
    )


def stop(connection: Connection, space_id: str, at: datetime) -> int:
    """End running experiments; how many."""
    return connection.execute(
        update(experiments)
        .where(experiments.c.space_id == space_id, experiments.c.ended_at.is_(None))
        .values(ended_at=at)
    ).rowcount


def add_proposal(
    connection: Connection,
    space_id: str,
    proposal: str,
    at: datetime,
    *,
    weights: dict[str, Any],
    evidence: dict[str, Any],
) -> None:
    """Store a proposal."""
    connection.execute(
        insert(weight_proposals).values(
            space_id=space_id, proposal_id=proposal, made_at=at, weights=weights, evidence=evidence
        )
    )


def get_proposal(connection: Connection, space_id: str, proposal: str) -> Row[Any] | None:
    """One proposal."""
    return connection.execute(
        select(weight_proposals).where(
            weight_proposals.c.space_id == space_id, weight_proposals.c.proposal_id == proposal
        )
    ).first()


def list_proposals(connection: Connection, space_id: str, limit: int) -> list[Row[Any]]:
    """Proposals, newest first."""
    return list(
        connection.execute(
            select(weight_proposals)
            .where(weight_proposals.c.space_id == space_id)
            .order_by(weight_proposals.c.proposal_id.desc())
            .limit(limit)
        )
    )


def in_force(connection: Connection, space_id: str) -> Any | None:
    """The proposal whose weights are in effect: the one applied last that nobody undid."""
    return _IN_FORCE.first(connection, space=space_id)


def decide(
    connection: Connection, space_id: str, proposal: str, *, applied: bool, by: str, at: datetime
) -> None:
    """Record that a person applied a proposal, or undid it."""
    said: dict[str, Any] = (
        {"applied_at": at, "applied_by": by, "undone_at": None, "undone_by": None}
        if applied
        else {"undone_at": at, "undone_by": by}
    )
    connection.execute(
        update(weight_proposals)
        .where(weight_proposals.c.space_id == space_id, weight_proposals.c.proposal_id == proposal)
        .values(**said)
    )
