"""Rows of usage: counts on memories, and the retrieval log of queries, each private to its asker.

Counts and log rows are buffered in a process and written together with system access. A read of the
log requires an access and shows only the viewer's own queries; row-level security enforces the
same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Connection,
    Row,
    Select,
    cast,
    delete,
    func,
    insert,
    select,
    update,
)

from recollect.storage.prepared import insert_rows, update_memories
from recollect.storage.schema import (
    events,
    memories,
    retrieval_feedback,
    retrieval_items,
    retrievals,
    spaces,
)
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.clock import to_microseconds
from recollect.vocabulary.retrievals import Feedback, Retrieval, ServedItem, Verdict


class Use(NamedTuple):
    """How often a memory was opened and retrieved since it was last counted, and when last."""

    opened: int
    retrieved: int
    last: datetime


def count_uses(connection: Connection, uses: Mapping[tuple[str, str], Use]) -> None:
    """Add to the counts of memories, by space and id; deleted memories are ignored."""
    update_memories(
        connection,
        memories,
        "access_count = access_count + given.column3,"
        " retrieval_count = retrieval_count + given.column4, last_accessed_at = given.column5",
        [
            (space_id, memory_id, use.opened, use.retrieved, to_microseconds(use.last))
            for (space_id, memory_id), use in sorted(uses.items())
        ],
    )


def count_verdict(
    connection: Connection, access: Access, ids: Sequence[str], verdict: Verdict
) -> None:
    """Count a citation, or an ignored result, on the memories among the ids."""
    column = {
        Verdict.CITED: memories.c.citation_count,
        Verdict.IGNORED: memories.c.ignore_count,
    }.get(verdict)
    if column is None or not ids:
        return
    connection.execute(
        update(memories)
        .where(memories.c.space_id == access.space_id, memories.c.memory_id.in_(sorted(ids)))
        .values({column: column + 1})
    )


def add_retrievals(connection: Connection, log: Iterable[tuple[str, Retrieval]]) -> None:
    """Insert queries with their results; those of deleted spaces are ignored."""
    rows = list(log)
    wanted = {space_id for space_id, _ in rows}
    there = set(
        connection.execute(
            select(spaces.c.space_id).where(spaces.c.space_id.in_(sorted(wanted)))
        ).scalars()
    )
    kept = _masked(connection, [(space_id, one) for space_id, one in rows if space_id in there])
    insert_rows(
        connection,
        retrievals,
        ("space_id", "retrieval_id", "user_id", "query", "profile", "phase", "at", "client"),
        [
            (
                space_id,
                one.id,
                one.user,
                one.query,
                one.profile,
                one.phase,
                to_microseconds(one.at),
                one.client,
            )
            for space_id, one in kept
        ],
    )
    insert_rows(
        connection,
        retrieval_items,
        ("space_id", "retrieval_id", "position", "item_id", "kind", "score"),
        [
            (space_id, one.id, position, served.id, served.kind, served.score)
            for space_id, one in kept
            for position, served in enumerate(one.served, 1)
        ],
    )


def _masked(
    connection: Connection, log: list[tuple[str, Retrieval]]
) -> list[tuple[str, Retrieval]]:
    """The same, without the text of queries whose top answer was erased meanwhile."""
    first = {(space_id, one.served[0].id) for space_id, one in log if one.served}
    wanted = sorted({item for _, item in first})
    known: set[tuple[str, str]] = set()
    for start in range(0, len(wanted), _AT_ONCE):
        ids = wanted[start : start + _AT_ONCE]
        for query in (
            select(memories.c.space_id, memories.c.memory_id).where(memories.c.memory_id.in_(ids)),
            select(events.c.space_id, events.c.event_id).where(
                events.c.event_id.in_(ids), events.c.deleted_at.is_(None)
            ),
        ):
            known.update((space_id, item) for space_id, item in connection.execute(query))
    gone = first - known
    if not gone:
        return log
    from recollect.storage.masked_notes import FORGOTTEN

    return [
        (space_id, replace(one, query=FORGOTTEN))
        if one.served and one.served[0].kind != "chunk" and (space_id, one.served[0].id) in gone
        else (space_id, one)
        for space_id, one in log
    ]


def count_asked(connection: Connection, access: Access, since: datetime) -> dict[int, int]:
    """Number of the viewer's queries per day since a time; days count from 1970."""
    at = cast(retrievals.c.at, BigInteger)
    day = at // 86_400_000_000
    query = (
        _own(access)
        .with_only_columns(day.label("day"), func.count())
        .where(at >= to_microseconds(since))
        .group_by("day")
    )
    found: dict[int, int] = {}
    for number, count in connection.execute(query):
        found[int(number)] = found.get(int(number), 0) + count
    return found


def list_retrievals(
    connection: Connection,
    access: Access,
    *,
    before: str | None,
    limit: int,
    client: str | None = None,
) -> list[Retrieval]:
    """The viewer's own questions, newest first, past a cursor; or those from one client alone."""
    query = _own(access).order_by(retrievals.c.retrieval_id.desc()).limit(limit)
    if before:
        query = query.where(retrievals.c.retrieval_id < before)
    if client:
        of_surface = retrievals.c.client.startswith(f"{client}/", autoescape=True)
        query = query.where((retrievals.c.client == client) | of_surface)
    return _complete(connection, access, connection.execute(query).all())


def get_retrieval(connection: Connection, access: Access, retrieval_id: str) -> Retrieval | None:
    """One of the viewer's own queries."""
    query = _own(access).where(retrievals.c.retrieval_id == retrieval_id)
    found = _complete(connection, access, connection.execute(query).all())
    return found[0] if found else None


def add_feedback(
    connection: Connection, access: Access, retrieval: Retrieval, said: Sequence[Feedback]
) -> None:
    """Store the asker's feedback on an answer."""
    connection.execute(
        insert(retrieval_feedback),
        [
            {
                "space_id": access.space_id,
                "feedback_id": one.id,
                "retrieval_id": retrieval.id,
                "item_id": one.item,
                "verdict": one.verdict.value,
                "note": one.note,
                "at": one.at,
            }
            for one in said
        ],
    )


def drop_retrievals(connection: Connection, space_id: str, before: datetime, limit: int) -> int:
    """Delete up to ``limit`` older queries of a space; how many."""
    old = (
        select(retrievals.c.retrieval_id)
        .where(retrievals.c.space_id == space_id, retrievals.c.at < before)
        .order_by(retrievals.c.at)
        .limit(limit)
    )
    ids = list(connection.execute(old).scalars())
    for start in range(0, len(ids), _AT_ONCE):
        connection.execute(
            delete(retrievals).where(
                retrievals.c.space_id == space_id,
                retrievals.c.retrieval_id.in_(ids[start : start + _AT_ONCE]),
            )
        )
    return len(ids)


_AT_ONCE = 500


def _own(access: Access) -> Select[Any]:
    return select(retrievals).where(
        retrievals.c.space_id == access.space_id, retrievals.c.user_id == access.viewer.user
    )


def _complete(connection: Connection, access: Access, rows: Sequence[Row[Any]]) -> list[Retrieval]:
    """Queries with their results and feedback."""
    ids = [row.retrieval_id for row in rows]
    served: dict[str, list[ServedItem]] = {}
    said: dict[str, list[Feedback]] = {}
    for row in connection.execute(
        select(retrieval_items)
        .where(
            retrieval_items.c.space_id == access.space_id, retrieval_items.c.retrieval_id.in_(ids)
        )
        .order_by(retrieval_items.c.position)
    ):
        served.setdefault(row.retrieval_id, []).append(ServedItem(row.item_id, row.kind, row.score))
    for row in connection.execute(
        select(retrieval_feedback)
        .where(
            retrieval_feedback.c.space_id == access.space_id,
            retrieval_feedback.c.retrieval_id.in_(ids),
        )
        .order_by(retrieval_feedback.c.feedback_id)
    ):
        one = Feedback(row.feedback_id, Verdict(row.verdict), row.at, row.item_id, row.note)
        said.setdefault(row.retrieval_id, []).append(one)
    return [
        Retrieval(
            id=row.retrieval_id,
            user=row.user_id,
            query=row.query,
            profile=row.profile,
            at=row.at,
            phase=row.phase,
            client=row.client,
            served=tuple(served.get(row.retrieval_id, ())),
            feedback=tuple(said.get(row.retrieval_id, ())),
        )
        for row in rows
    ]
