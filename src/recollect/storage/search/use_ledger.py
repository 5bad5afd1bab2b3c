"""Rows of the use ledger, and of predictions: memories expected to be needed, and the outcome.

Both are counts by memory, written in bulk with system access; they contain no text. A prediction is
pending for a day: a use within it makes it true, and predicting again meanwhile does not add
another.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, func, select, text

from recollect.storage.access.visibility_filter import visible_to
from recollect.storage.prepared import update_memories
from recollect.storage.schema import (
    memories,
    predictions,
    retrieval_items,
    retrievals,
    use_ledger,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.uses import PredictionFigures, UseCounts, UseFigures

PENDING: Final = timedelta(days=1)
Key = tuple[str, str, str]

_EXISTING: Final = (
    " FROM memories WHERE space_id = CAST(:space AS TEXT) AND memory_id = CAST(:memory AS TEXT)"
)
_ADD: Final = text(
    "INSERT INTO use_ledger"
    " (space_id, memory_id, channel, served, cited, ignored, edited, last_at)"
    " SELECT space_id, memory_id, CAST(:channel AS TEXT), CAST(:served AS BIGINT),"
    " CAST(:cited AS BIGINT), CAST(:ignored AS BIGINT), CAST(:edited AS BIGINT),"
    f" CAST(:at AS BIGINT){_EXISTING}"
    " ON CONFLICT (space_id, memory_id, channel) DO UPDATE SET"
    " served = use_ledger.served + excluded.served, cited = use_ledger.cited + excluded.cited,"
    " ignored = use_ledger.ignored + excluded.ignored,"
    " edited = use_ledger.edited + excluded.edited, last_at = excluded.last_at"
)
_PREDICT: Final = text(
    "INSERT INTO predictions (space_id, memory_id, signal, predicted, used, pending_at)"
    f" SELECT space_id, memory_id, CAST(:signal AS TEXT), 1, 0, CAST(:at AS BIGINT){_EXISTING}"
    " ON CONFLICT (space_id, memory_id, signal) DO UPDATE SET"
    " predicted = predictions.predicted + 1, pending_at = excluded.pending_at"
    " WHERE predictions.pending_at IS NULL OR predictions.pending_at < CAST(:since AS BIGINT)"
)
_CONFIRM: Final = text(
    "UPDATE predictions SET used = used + 1, pending_at = NULL"
    " WHERE space_id = :space AND memory_id = :memory AND pending_at >= :since"
)


def add_uses(connection: Connection, uses: Mapping[Key, UseCounts], at: datetime) -> None:
    """Add to the ledger, by space, memory and channel; deleted memories are ignored."""
    if not uses:
        return
    connection.execute(
        _ADD,
        [
            {
                "space": space_id,
                "memory": memory_id,
                "channel": channel,
                "served": one.served,
                "cited": one.cited,
                "ignored": one.ignored,
                "edited": one.edited,
                "at": to_microseconds(at),
            }
            for (space_id, memory_id, channel), one in sorted(uses.items())
        ],
    )


def count_verdicts(connection: Connection, uses: Mapping[Key, UseCounts]) -> None:
    """Count citations and ignored results on the memories, which ranking uses."""
    update_memories(
        connection,
        memories,
        "citation_count = citation_count + given.column3,"
        " ignore_count = ignore_count + given.column4",
        [
            (space_id, memory_id, one.cited, one.ignored)
            for (space_id, memory_id, _), one in sorted(uses.items())
            if one.cited or one.ignored
        ],
    )


def add_predictions(connection: Connection, made: Collection[Key], at: datetime) -> None:
    """Store predictions, by space, memory and signal."""
    if made:
        connection.execute(
            _PREDICT,
            [
                {
                    "space": space_id,
                    "memory": memory_id,
                    "signal": signal,
                    "at": to_microseconds(at),
                    "since": to_microseconds(at - PENDING),
                }
                for space_id, memory_id, signal in sorted(made)
            ],
        )


def confirm_predictions(
    connection: Connection, used: Collection[tuple[str, str]], at: datetime
) -> None:
    """Record that memories were used: predictions of them within the last day came true."""
    if not used:
        return
    since = to_microseconds(at - PENDING)
    pending = connection.execute(
        select(predictions.c.space_id, predictions.c.memory_id).where(
            predictions.c.space_id.in_(sorted({space_id for space_id, _ in used})),
            predictions.c.pending_at >= at - PENDING,
        )
    )
    fulfilled = {(row.space_id, row.memory_id) for row in pending}.intersection(used)
    if fulfilled:  # nearly always none: they are not asked for one by one
        connection.execute(
            _CONFIRM,
            [
                {"space": space_id, "memory": memory_id, "since": since}
                for space_id, memory_id in sorted(fulfilled)
            ],
        )


def uses_of(connection: Connection, access: Access, memory_id: str) -> dict[str, UseCounts]:
    """Uses of one visible memory, by channel."""
    rows = connection.execute(
        select(use_ledger)
        .join(
            memories,
            (memories.c.space_id == use_ledger.c.space_id)
            & (memories.c.memory_id == use_ledger.c.memory_id),
        )
        .where(
            use_ledger.c.space_id == access.space_id,
            use_ledger.c.memory_id == memory_id,
            memories.c.audience_id.in_(visible_to(access)),
        )
        .order_by(use_ledger.c.channel)
    )
    return {row.channel: UseCounts(row.served, row.cited, row.ignored, row.edited) for row in rows}


def use_figures(connection: Connection, access: Access, now: datetime) -> UseFigures:
    """Totals of the ledger over what the access may see."""
    seen = select(memories.c.memory_id).where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )
    counted = connection.execute(
        select(
            use_ledger.c.channel,
            *(
                func.sum(use_ledger.c[name]).label(name)
                for name in ("served", "cited", "ignored", "edited")
            ),
        )
        .where(use_ledger.c.space_id == access.space_id, use_ledger.c.memory_id.in_(seen))
        .group_by(use_ledger.c.channel)
        .order_by(use_ledger.c.channel)
    )
    return UseFigures(
        {
            row.channel: UseCounts(
                int(row.served), int(row.cited), int(row.ignored), int(row.edited)
            )
            for row in counted
        },
        prediction_figures(connection, access, now),
    )


def prediction_figures(
    connection: Connection, access: Access, now: datetime
) -> dict[str, PredictionFigures]:
    """Success of predictions, by signal."""
    seen = select(memories.c.memory_id).where(
        memories.c.space_id == access.space_id, memories.c.audience_id.in_(visible_to(access))
    )
    since = now - PENDING
    rows = connection.execute(
        select(
            predictions.c.signal,
            func.sum(predictions.c.predicted).label("predicted"),
            func.sum(predictions.c.used).label("used"),
            func.count(predictions.c.memory_id)
            .filter(predictions.c.pending_at >= since)
            .label("pending"),
        )
        .where(predictions.c.space_id == access.space_id, predictions.c.memory_id.in_(seen))
        .group_by(predictions.c.signal)
        .order_by(predictions.c.signal)
    )
    return {
        row.signal: PredictionFigures(int(row.predicted), int(row.used), int(row.pending))
        for row in rows
    }


def served_times(
    connection: Connection, access: Access, since: datetime, limit: int
) -> Sequence[tuple[str, datetime]]:
    """When which memories were served to agents of the space, or to this viewer; newest first."""
    from recollect.storage.schema import agent_served

    served = (
        select(agent_served.c.memory_id, agent_served.c.served_at.label("at"))
        .where(agent_served.c.space_id == access.space_id, agent_served.c.served_at >= since)
        .order_by(agent_served.c.served_at.desc())
        .limit(limit)
    )
    asked = (
        select(retrieval_items.c.item_id.label("memory_id"), retrievals.c.at)
        .join(
            retrievals,
            (retrievals.c.space_id == retrieval_items.c.space_id)
            & (retrievals.c.retrieval_id == retrieval_items.c.retrieval_id),
        )
        .where(
            retrievals.c.space_id == access.space_id,
            retrievals.c.user_id == access.viewer.user,
            retrievals.c.at >= since,
            retrieval_items.c.kind == "memory",
            retrieval_items.c.position <= _LEADING,
        )
        .order_by(retrievals.c.at.desc())
        .limit(limit)
    )
    found = [
        (str(row.memory_id), row.at if isinstance(row.at, datetime) else from_microseconds(row.at))
        for query in (served, asked)
        for row in connection.execute(query)
    ]
    return sorted(found, key=lambda one: one[1], reverse=True)[:limit]


_LEADING: Final = 3  # the top results of an answer that count as asked for
