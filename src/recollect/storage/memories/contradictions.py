"""Rows of contradictions: two memories that cannot both be true, and their resolution.

A pair is visible to those who may see both of its memories.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from recollect.storage.access.visibility_filter import (
    VISIBLE,
    is_visible_row,
    seen_by,
    visible_to,
)
from recollect.storage.prepared import Prepared
from recollect.storage.schema import contradiction_judgements, contradictions, memories
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.contradictions import ContradictionKind, Resolution

_PAIR = (contradictions.c.first_id, contradictions.c.second_id)
#: Queried with every context that is assembled.
_NEWEST_OPEN = Prepared(
    lambda: (
        _both_sides(select(contradictions), is_visible_row)
        .where(
            contradictions.c.space_id == bindparam("seen_space", type_=Text),
            contradictions.c.resolution.is_(None),
        )
        .order_by(contradictions.c.contradiction_id.desc())
        .limit(bindparam("most", type_=Integer))
    )
)
_COUNT_OPEN = Prepared(
    lambda: _both_sides(
        select(func.count()).select_from(contradictions), lambda audience: audience.in_(VISIBLE)
    ).where(
        contradictions.c.space_id == bindparam("seen_space", type_=Text),
        contradictions.c.resolution.is_(None),
    )
)
#: Queried with every recall. Both expressions keep SQLite from walking everything that is open, and
#: from looking up every pair: it goes by the first memory.
_OPEN_AMONG = Prepared(
    lambda: _both_sides(select(*_PAIR), is_visible_row).where(
        contradictions.c.space_id == bindparam("seen_space", type_=Text),
        func.coalesce(contradictions.c.resolution, "open") == "open",
        _PAIR[0].in_(bindparam("ids", type_=Text, expanding=True)),
        (_PAIR[1] + "").in_(bindparam("ids", type_=Text, expanding=True)),
    )
)


def _open_with(side: ColumnElement[str]) -> Prepared:
    """Open contradictions in which these memories are one side. The expression keeps SQLite from
    walking everything that is open: it goes by the memories.
    """
    return Prepared(
        lambda: _both_sides(select(*_PAIR), is_visible_row).where(
            contradictions.c.space_id == bindparam("seen_space", type_=Text),
            func.coalesce(contradictions.c.resolution, "open") == "open",
            side.in_(bindparam("ids", type_=Text, expanding=True)),
        )
    )


#: Queried for what an agent is told.
_OPEN_WITH_FIRST = _open_with(_PAIR[0])
_OPEN_WITH_SECOND = _open_with(_PAIR[1])


@dataclass(frozen=True, slots=True)
class ContradictionRow:
    """A stored contradiction: the ids of both memories, the older first."""

    id: str
    first_id: str
    second_id: str
    kind: ContradictionKind
    score: float
    judged_by: str
    detected_at: datetime
    resolution: Resolution | None = None
    note: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    merged_id: str | None = None


def add_contradiction(connection: Connection, space_id: str, row: ContradictionRow) -> bool:
    """Insert a contradiction; False if the pair is known already, open or resolved."""
    known = select(contradictions.c.contradiction_id).where(
        contradictions.c.space_id == space_id,
        or_(
            and_(_PAIR[0] == row.first_id, _PAIR[1] == row.second_id),
            and_(_PAIR[0] == row.second_id, _PAIR[1] == row.first_id),
        ),
    )
    if connection.execute(known).first() is not None:
        return False
    connection.execute(
        insert(contradictions).values(
            space_id=space_id,
            contradiction_id=row.id,
            first_id=row.first_id,
            second_id=row.second_id,
            kind=row.kind.value,
            score=row.score,
            judged_by=row.judged_by,
            detected_at=row.detected_at,
        )
    )
    return True


def list_contradictions(
    connection: Connection,
    access: Access,
    *,
    resolved: bool,
    memory_id: str | None,
    before: str | None,
    limit: int,
) -> list[ContradictionRow]:
    """Contradictions between memories that the access may see, newest first, past a cursor."""
    if not resolved and memory_id is None and before is None:
        newest = _NEWEST_OPEN.rows(connection, most=limit, **seen_by(access))
        return [_row(row) for row in newest]
    settled = contradictions.c.resolution
    query = _visible(access).where(settled.is_not(None) if resolved else settled.is_(None))
    if memory_id is not None:
        query = query.where(or_(_PAIR[0] == memory_id, _PAIR[1] == memory_id))
    if before is not None:
        query = query.where(contradictions.c.contradiction_id < before)
    query = query.order_by(contradictions.c.contradiction_id.desc()).limit(limit)
    return [_row(row) for row in connection.execute(query)]


def open_about(
    connection: Connection, access: Access, ids: Sequence[str], limit: int
) -> list[ContradictionRow]:
    """Open contradictions of any of these memories that the access may see, newest first."""
    query = _visible(access).where(
        contradictions.c.resolution.is_(None), or_(_PAIR[0].in_(ids), _PAIR[1].in_(ids))
    )
    query = query.order_by(contradictions.c.contradiction_id.desc()).limit(limit)
    return [_row(row) for row in connection.execute(query)]


def open_among(connection: Connection, access: Access, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Which of these memories contradict each other, as pairs of ids."""
    rows = _OPEN_AMONG.rows(connection, ids=list(ids), **seen_by(access))
    return [(row.first_id, row.second_id) for row in rows]


def open_with(connection: Connection, access: Access, ids: Sequence[str]) -> list[tuple[str, str]]:
    """Open contradictions of these memories with any that the access may see, as pairs of ids."""
    pairs = [
        (row.first_id, row.second_id)
        for statement in (_OPEN_WITH_FIRST, _OPEN_WITH_SECOND)
        for row in statement.rows(connection, ids=list(ids), **seen_by(access))
    ]
    return list(dict.fromkeys(pairs))


def count_open(connection: Connection, access: Access) -> int:
    """How many contradictions are open between memories that the access may see."""
    return int(_COUNT_OPEN.value(connection, **seen_by(access)))


def get_contradiction(
    connection: Connection, access: Access, contradiction_id: str
) -> ContradictionRow | None:
    """One contradiction, if the access may see both of its memories."""
    query = _visible(access).where(contradictions.c.contradiction_id == contradiction_id)
    row = connection.execute(query).first()
    return None if row is None else _row(row)


def settle(
    connection: Connection,
    space_id: str,
    contradiction_id: str,
    *,
    resolution: Resolution,
    note: str | None,
    by: str,
    at: datetime,
    merged_id: str | None = None,
) -> bool:
    """Store a resolution; False if somebody else was first."""
    done = connection.execute(
        update(contradictions)
        .where(
            contradictions.c.space_id == space_id,
            contradictions.c.contradiction_id == contradiction_id,
            contradictions.c.resolution.is_(None),
        )
        .values(
            resolution=resolution.value,
            note=note,
            resolved_by=by,
            resolved_at=at,
            merged_id=merged_id,
        )
    )
    return done.rowcount > 0


def settle_pair(
    connection: Connection,
    space_id: str,
    pair: tuple[str, str],
    *,
    resolution: Resolution,
    by: str,
    at: datetime,
) -> None:
    """Store the resolution of a pair decided elsewhere, if it is an open contradiction."""
    connection.execute(
        update(contradictions)
        .where(
            contradictions.c.space_id == space_id,
            _PAIR[0] == pair[0],
            _PAIR[1] == pair[1],
            contradictions.c.resolution.is_(None),
        )
        .values(resolution=resolution.value, resolved_by=by, resolved_at=at)
    )


def reopen_pair(connection: Connection, space_id: str, pair: tuple[str, str]) -> None:
    """Reopen a pair."""
    connection.execute(
        update(contradictions)
        .where(contradictions.c.space_id == space_id, _PAIR[0] == pair[0], _PAIR[1] == pair[1])
        .values(resolution=None, resolved_by=None, resolved_at=None, note=None, merged_id=None)
    )


def drop_open(connection: Connection, space_id: str, pair: tuple[str, str]) -> bool:
    """Delete a pair, unless it was decided; whether it was there."""
    done = connection.execute(
        delete(contradictions).where(
            contradictions.c.space_id == space_id,
            _PAIR[0] == pair[0],
            _PAIR[1] == pair[1],
            contradictions.c.resolution.is_(None),
        )
    )
    return done.rowcount > 0


def pairs_with(connection: Connection, space_id: str, ids: Collection[str]) -> set[frozenset[str]]:
    """The pairs of these memories that are known as contradictions, open or resolved."""
    wanted = sorted(ids)
    query = select(*_PAIR).where(
        contradictions.c.space_id == space_id, or_(_PAIR[0].in_(wanted), _PAIR[1].in_(wanted))
    )
    return {frozenset(row) for row in connection.execute(query)}


# --- judgements of a model ------------------------------------------------------------------------


def stored_judgement(
    connection: Connection, space_id: str, pair: tuple[str, str], digest: str
) -> tuple[bool, str] | None:
    """The judgement of a pair with these texts, and by whom; None if there is none."""
    row = connection.execute(
        select(contradiction_judgements).where(
            contradiction_judgements.c.space_id == space_id,
            contradiction_judgements.c.first_id == pair[0],
            contradiction_judgements.c.second_id == pair[1],
            contradiction_judgements.c.digest == digest,
        )
    ).first()
    return None if row is None else (bool(row.contradicts), str(row.judged_by))


def put_judgement(
    connection: Connection,
    space_id: str,
    pair: tuple[str, str],
    *,
    digest: str,
    contradicts: bool,
    by: str,
    at: datetime,
) -> None:
    """Store a judgement, replacing one of other texts."""
    table = contradiction_judgements
    connection.execute(
        delete(table).where(
            table.c.space_id == space_id,
            table.c.first_id == pair[0],
            table.c.second_id == pair[1],
        )
    )
    connection.execute(
        insert(table).values(
            space_id=space_id,
            first_id=pair[0],
            second_id=pair[1],
            digest=digest,
            contradicts=contradicts,
            judged_by=by,
            at=at,
        )
    )


def _visible(access: Access) -> Select[Any]:
    """Contradictions of which the access may see both sides."""
    seen = visible_to(access)
    query = select(contradictions).where(contradictions.c.space_id == access.space_id)
    return _both_sides(query, lambda audience: audience.in_(seen))


def _both_sides(
    query: Select[Any], may_be_seen: Callable[[ColumnElement[int]], ColumnElement[bool]]
) -> Select[Any]:
    """Those whose two memories both have a visible audience."""
    for side in _PAIR:
        one = memories.alias()
        query = query.join(
            one, (one.c.space_id == contradictions.c.space_id) & (one.c.memory_id == side)
        ).where(may_be_seen(one.c.audience_id))
    return query


def _row(row: Any) -> ContradictionRow:
    return ContradictionRow(
        row.contradiction_id,
        row.first_id,
        row.second_id,
        ContradictionKind(row.kind),
        row.score,
        row.judged_by,
        row.detected_at,
        None if row.resolution is None else Resolution(row.resolution),
        row.note,
        row.resolved_at,
        row.resolved_by,
        row.merged_id,
    )


def ids_of(rows: Sequence[ContradictionRow]) -> list[str]:
    """The memories of contradictions, each once."""
    return list(dict.fromkeys(one for row in rows for one in (row.first_id, row.second_id)))
