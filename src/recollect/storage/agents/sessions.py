"""Rows of agents' sessions, of the memories served to them, of reviews and of trust levels."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Text,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.memories.reads import get_memories
from recollect.storage.prepared import Prepared, insert_rows
from recollect.storage.schema import (
    agent_reviews,
    agent_served,
    agent_sessions,
    agent_trust,
    memories,
)
from recollect.vocabulary.agents import AgentRun, Decision, Point, Served
from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds

_SPACE = bindparam("space", type_=Text)


def _trust_query() -> Select[Any]:
    """Counts of sessions and of decisions, and the set level: all in one statement, as every
    context that is assembled asks for them.
    """
    of_space = agent_trust.c.space_id == _SPACE
    single: list[Select[Any]] = [
        select(func.count()).where(agent_sessions.c.space_id == _SPACE),
        *(
            select(func.count()).where(
                agent_reviews.c.space_id == _SPACE, agent_reviews.c.decision == one.value
            )
            for one in Decision
        ),
        select(agent_trust.c.level).where(of_space),
        select(agent_trust.c.chosen_by).where(of_space),
    ]
    names = ("sessions", *(one.value for one in Decision), "level", "chosen_by")
    columns: Any = [
        one.scalar_subquery().label(name) for name, one in zip(names, single, strict=True)
    ]
    return select(*columns)


_TRUST = Prepared(_trust_query)


class TrustFigures(NamedTuple):
    """What the trust of a space follows: sessions, decisions about memories, and the set level."""

    sessions: int
    reviews: Mapping[Decision, int]
    level: int | None
    chosen_by: str | None


def put_session(connection: Connection, space_id: str, run: AgentRun) -> None:
    """Write the state of a session, replacing the earlier one; its start and review times stay."""
    moving = {
        "task": run.task,
        "last_at": run.last_at,
        "ended_at": run.ended_at,
        "steps": run.steps,
        "failures": run.failures,
        "injected_tokens": run.injected_tokens,
    }
    done = connection.execute(
        update(agent_sessions)
        .where(agent_sessions.c.space_id == space_id, agent_sessions.c.session_id == run.id)
        .values(**moving)
    )
    if not done.rowcount:
        connection.execute(
            insert(agent_sessions).values(
                space_id=space_id,
                session_id=run.id,
                agent=run.agent,
                started_at=run.started_at,
                **moving,
            )
        )


def mark_reviewed(connection: Connection, space_id: str, session_id: str, at: datetime) -> None:
    """Record that a person reviewed what a session learned."""
    connection.execute(
        update(agent_sessions)
        .where(agent_sessions.c.space_id == space_id, agent_sessions.c.session_id == session_id)
        .values(reviewed_at=at)
    )


def get_session(connection: Connection, access: Access, session_id: str) -> AgentRun | None:
    """One session; visible to members of the space."""
    row = connection.execute(
        _sessions(access).where(agent_sessions.c.session_id == session_id)
    ).first()
    return _run(row) if row else None


def stream_names(connection: Connection, space_id: str, ids: Sequence[str]) -> list[str]:
    """The names of the streams that agents' sessions with these ids are written to."""
    if not ids:
        return []
    rows = connection.execute(
        select(agent_sessions.c.agent, agent_sessions.c.session_id).where(
            agent_sessions.c.space_id == space_id, agent_sessions.c.session_id.in_(ids)
        )
    )
    return [f"{row.agent} {row.session_id}"[:NAME_LIMIT] for row in rows]


def last_sessions(connection: Connection, access: Access, limit: int) -> list[AgentRun]:
    """The newest sessions first."""
    query = _sessions(access).order_by(
        agent_sessions.c.started_at.desc(), agent_sessions.c.session_id.desc()
    )
    return [_run(row) for row in connection.execute(query.limit(limit))]


def count_sessions(connection: Connection, access: Access, since: datetime) -> int:
    """Number of sessions of the space since a time."""
    query = _sessions(access).where(agent_sessions.c.started_at >= since)
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())


def add_served(
    connection: Connection, space_id: str, session_id: str, served: Sequence[Served]
) -> None:
    """Record what was served to a session; existing records stay as they were."""
    known = set(
        connection.execute(
            select(agent_served.c.memory_id).where(
                agent_served.c.space_id == space_id, agent_served.c.session_id == session_id
            )
        ).scalars()
    )
    there = set(
        connection.execute(
            select(memories.c.memory_id).where(
                memories.c.space_id == space_id,
                memories.c.memory_id.in_([one.memory_id for one in served]),
            )
        ).scalars()
    )
    fresh = {one.memory_id: one for one in served if one.memory_id in there - known}
    insert_rows(
        connection,
        agent_served,
        ("space_id", "session_id", "memory_id", "point", "served_at", "tokens"),
        [
            (
                space_id,
                session_id,
                one.memory_id,
                one.point.value,
                to_microseconds(one.served_at),
                one.tokens,
            )
            for one in fresh.values()
        ],
    )


def served_to(connection: Connection, access: Access, session_id: str) -> list[Served]:
    """Memories served to a session, as far as the access may see them, in that order."""
    rows = connection.execute(
        select(agent_served)
        .where(agent_served.c.space_id == access.space_id, agent_served.c.session_id == session_id)
        .order_by(agent_served.c.served_at, agent_served.c.memory_id)
    ).all()
    visible = get_memories(connection, access, [row.memory_id for row in rows])
    return [
        Served(row.memory_id, Point(row.point), row.served_at, row.tokens)
        for row in rows
        if row.memory_id in visible
    ]


def put_review(
    connection: Connection,
    space_id: str,
    memory_id: str,
    *,
    decision: Decision,
    actor: str,
    at: datetime,
) -> None:
    """Write a person's decision on a memory, replacing the earlier one."""
    connection.execute(
        delete(agent_reviews).where(
            agent_reviews.c.space_id == space_id, agent_reviews.c.memory_id == memory_id
        )
    )
    connection.execute(
        insert(agent_reviews).values(
            space_id=space_id, memory_id=memory_id, decision=decision.value, actor=actor, at=at
        )
    )


def reviews_of(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, Decision]:
    """Decisions on memories, by id."""
    rows = connection.execute(
        select(agent_reviews).where(
            agent_reviews.c.space_id == access.space_id, agent_reviews.c.memory_id.in_(ids)
        )
    )
    return {row.memory_id: Decision(row.decision) for row in rows}


def trust_figures(connection: Connection, access: Access) -> TrustFigures:
    """Sessions of the space, how many memories were confirmed, edited and rejected, and the trust
    level that was set, if somebody set one.
    """
    (row,) = _TRUST.rows(connection, space=access.space_id)
    reviews = {one: int(getattr(row, one.value)) for one in Decision}
    sessions = int(row.sessions) if access.member else 0
    return TrustFigures(sessions, reviews, row.level, row.chosen_by)


def put_trust(
    connection: Connection, space_id: str, level: int, chosen_by: str | None, at: datetime
) -> None:
    """Set the trust level of a space."""
    connection.execute(delete(agent_trust).where(agent_trust.c.space_id == space_id))
    connection.execute(
        insert(agent_trust).values(
            space_id=space_id, level=level, chosen_by=chosen_by, changed_at=at
        )
    )


def drop_trust(connection: Connection, space_id: str) -> None:
    """Remove the set trust level of a space, so that it is computed again."""
    connection.execute(delete(agent_trust).where(agent_trust.c.space_id == space_id))


def _sessions(access: Access) -> Select[tuple[object, ...]]:
    """Query for sessions of the space; for its members only."""
    query = select(agent_sessions).where(agent_sessions.c.space_id == access.space_id)
    return query if access.member else query.where(agent_sessions.c.session_id.is_(None))


def _run(row: Row[tuple[object, ...]]) -> AgentRun:
    return AgentRun(
        id=row.session_id,
        agent=row.agent,
        started_at=row.started_at,
        task=row.task,
        last_at=row.last_at,
        ended_at=row.ended_at,
        reviewed_at=row.reviewed_at,
        steps=row.steps,
        failures=row.failures,
        injected_tokens=row.injected_tokens,
    )
