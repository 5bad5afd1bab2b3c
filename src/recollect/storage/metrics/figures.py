"""Aggregate counts over the tables of a space; they reveal no text and no name.

They cover all members, so they need system access, on behalf of a steward of the space.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, cast, func, select

from recollect.storage.agents.observations import recent_sessions
from recollect.storage.evolution.runs import last_nights
from recollect.storage.inference.budgets import budgets_of
from recollect.storage.schema import (
    agent_reviews,
    agent_served,
    agent_sessions,
    contradictions,
    event_signals,
    events,
    memories,
    memory_events,
    memory_tags,
    predictions,
    research_rounds,
    researches,
    retrieval_feedback,
    retrieval_items,
    retrievals,
    vectors,
)
from recollect.storage.search.use_ledger import PENDING
from recollect.vocabulary.budgets import Budget
from recollect.vocabulary.uses import PredictionFigures

#: Approximate number of characters per token.
_CHARACTERS: Final = 4
_FLAGGED: Final = ("edited", "rejected")


class ResearchCounts(NamedTuple):
    """Counts of research: questions, those with a memo as the result, and all rounds."""

    questions: int
    with_memo: int
    rounds: int


class ServedCounts(NamedTuple):
    """Counts of what agents were served: memories, flagged ones, their tokens, source tokens."""

    memories: int
    flagged: int
    served_tokens: int
    source_tokens: int


def research(connection: Connection, space_id: str, since: datetime) -> ResearchCounts:
    """Outcomes of researched questions."""
    asked = (
        select(researches.c.retrieval_id)
        .join(retrievals, _join_condition(researches, retrievals, "retrieval_id"))
        .where(researches.c.space_id == space_id, retrievals.c.at >= since)
    )
    found = select(func.count(func.distinct(retrieval_items.c.retrieval_id))).where(
        retrieval_items.c.space_id == space_id,
        retrieval_items.c.kind == "memory",
        retrieval_items.c.retrieval_id.in_(asked),
    )
    rounds = (
        select(func.count())
        .select_from(research_rounds)
        .where(research_rounds.c.space_id == space_id, research_rounds.c.retrieval_id.in_(asked))
    )
    every = select(func.count()).select_from(asked.subquery())
    return ResearchCounts(*(_number(connection, one) for one in (every, found, rounds)))


def judged(connection: Connection, space_id: str, since: datetime) -> tuple[int, int]:
    """Questions that got feedback, and those whose answer was useful."""
    said = select(func.count(func.distinct(retrieval_feedback.c.retrieval_id))).where(
        retrieval_feedback.c.space_id == space_id, retrieval_feedback.c.at >= since
    )
    useful = said.where(retrieval_feedback.c.verdict.in_(("cited", "helpful")))
    return _number(connection, said), _number(connection, useful)


def served(connection: Connection, space_id: str, since: datetime) -> ServedCounts:
    """What agents were served since a time, and the feedback on it."""
    served_ids = (
        select(agent_served.c.memory_id)
        .where(agent_served.c.space_id == space_id, agent_served.c.served_at >= since)
        .distinct()
    )
    reviewed = select(agent_reviews.c.memory_id.label("memory_id")).where(
        agent_reviews.c.space_id == space_id,
        agent_reviews.c.decision.in_(_FLAGGED),
        agent_reviews.c.memory_id.in_(served_ids),
    )
    wrong = select(retrieval_feedback.c.item_id.label("memory_id")).where(
        retrieval_feedback.c.space_id == space_id,
        retrieval_feedback.c.verdict == "wrong",
        retrieval_feedback.c.item_id.in_(served_ids),
    )
    flagged = reviewed.union(wrong).subquery()
    spent = select(func.coalesce(func.sum(agent_sessions.c.injected_tokens), 0)).where(
        agent_sessions.c.space_id == space_id, agent_sessions.c.started_at >= since
    )
    return ServedCounts(
        _number(connection, select(func.count()).select_from(served_ids.subquery())),
        _number(connection, select(func.count()).select_from(flagged)),
        _number(connection, spent),
        _number(connection, _source_tokens(space_id, since)),
    )


def _source_tokens(space_id: str, since: datetime) -> Any:
    """Tokens of the events behind what each session was served: the reading it may have saved."""
    return (
        select(func.coalesce(func.sum(func.length(events.c.text)), 0) / _CHARACTERS)
        .select_from(
            agent_served.join(
                memory_events, _join_condition(agent_served, memory_events, "memory_id")
            ).join(events, _join_condition(memory_events, events, "event_id"))
        )
        .where(agent_served.c.space_id == space_id, agent_served.c.served_at >= since)
    )


def settled_predictions(connection: Connection, space_id: str, now: datetime) -> PredictionFigures:
    """All predictions of a space whose day is over, and how many of them came true."""
    waits = predictions.c.pending_at >= now - PENDING
    row = connection.execute(
        select(
            func.sum(predictions.c.predicted),
            func.sum(predictions.c.used),
            func.count().filter(waits),
        ).where(predictions.c.space_id == space_id)
    ).one()
    made, used, pending = (int(value or 0) for value in row)
    return PredictionFigures(made - pending, used)


def open_contradictions(connection: Connection, space_id: str) -> int:
    """Unresolved contradictions."""
    return _number(
        connection,
        select(func.count())
        .select_from(contradictions)
        .where(contradictions.c.space_id == space_id, contradictions.c.resolution.is_(None)),
    )


def night_seconds(connection: Connection, space_id: str) -> float | None:
    """Duration of the last finished night, in seconds."""
    for row in last_nights(connection, space_id, 1):
        return float((row.finished_at - row.started_at).total_seconds())
    return None


def repeats(connection: Connection, space_id: str) -> int:
    """How often a repeated memory was merged."""
    repeated = func.coalesce(func.sum(cast(memories.c.times_told, BigInteger) - 1), 0)
    return _number(connection, select(repeated).where(memories.c.space_id == space_id))


def funnel(connection: Connection, space_id: str, since: datetime) -> tuple[int, int, int]:
    """Events since a time: all, those with a vector, those with a header."""
    here = select(func.count()).where(
        events.c.space_id == space_id, events.c.occurred_at >= since, events.c.deleted_at.is_(None)
    )
    embedded = here.select_from(events).where(
        select(vectors.c.slot)
        .where(vectors.c.space_id == events.c.space_id, vectors.c.slot == events.c.slot)
        .exists()
    )
    headed = here.select_from(
        events.join(event_signals, _join_condition(events, event_signals, "event_id"))
    ).where(event_signals.c.tier >= 2)
    every = here.select_from(events)
    return (
        _number(connection, every),
        _number(connection, embedded),
        _number(connection, headed),
    )


def sessions(
    connection: Connection, space_id: str, limit: int
) -> Sequence[tuple[str, datetime, Mapping[str, Any]]]:
    """The facts of the newest sessions, in chronological order."""
    return recent_sessions(connection, space_id, limit)


def served_types(connection: Connection, space_id: str, since: datetime) -> list[tuple[str, str]]:
    """Pairs of session and memory type, and of session and signal tag, for all served memories."""
    here = (agent_served.c.space_id == space_id) & (agent_served.c.served_at >= since)
    types = (
        select(agent_served.c.session_id, memories.c.type)
        .select_from(
            agent_served.join(memories, _join_condition(agent_served, memories, "memory_id"))
        )
        .where(here)
        .distinct()
    )
    signals = (
        select(agent_served.c.session_id, memory_tags.c.tag)
        .select_from(
            agent_served.join(memory_tags, _join_condition(agent_served, memory_tags, "memory_id"))
        )
        .where(here, memory_tags.c.tag.like("signal:%"))
        .distinct()
    )
    return [(row[0], row[1]) for query in (types, signals) for row in connection.execute(query)]


def spent(connection: Connection, space_id: str, month: str) -> list[Budget]:
    """Budgets that were used in a month."""
    return budgets_of(connection, space_id, month)


def _join_condition(one: Table, other: Table, column: str) -> ColumnElement[bool]:
    return (one.c.space_id == other.c.space_id) & (one.c[column] == other.c[column])


def _number(connection: Connection, query: Any) -> int:
    return int(connection.execute(query).scalar_one())
