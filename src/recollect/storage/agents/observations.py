"""Rows of observations: sessions, sightings of signals, file pairs, modules, commits, sketches.

The caller's transaction has locked the space, so rows are read, changed and written back.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    Connection,
    Integer,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from recollect.storage.prepared import Prepared
from recollect.storage.schema import (
    co_access,
    commit_files,
    file_sketches,
    observed_modules,
    observed_sessions,
    sightings,
)

_AT_ONCE: Final = 200
_ALL_PAIRS: Final = 2**31 - 1
_PATHS: Final = bindparam("paths", type_=Text, expanding=True)
#: Queried with every recall that finds memories of files.
_PAIRS_OF: Final = Prepared(
    lambda: (
        select(co_access)
        .where(
            co_access.c.space_id == bindparam("space", type_=Text),
            or_(co_access.c.first_path.in_(_PATHS), co_access.c.second_path.in_(_PATHS)),
        )
        .order_by(co_access.c.weight.desc(), co_access.c.first_path, co_access.c.second_path)
        .limit(bindparam("most", type_=Integer))
    )
)


class Pair(NamedTuple):
    """Two files that are used together: how strongly, how often, in which order, how far apart."""

    first: str
    second: str
    source: str
    weight: float
    times: int
    forward: int
    seconds: float
    last_at: datetime


def put_session(
    connection: Connection,
    space_id: str,
    session_id: str,
    started_at: datetime,
    facts: Mapping[str, Any],
) -> bool:
    """Store a session's facts, replacing earlier ones; whether the session is new."""
    own = and_(
        observed_sessions.c.space_id == space_id, observed_sessions.c.session_id == session_id
    )
    known = connection.execute(select(observed_sessions.c.session_id).where(own)).first()
    connection.execute(delete(observed_sessions).where(own))
    connection.execute(
        insert(observed_sessions).values(
            space_id=space_id, session_id=session_id, started_at=started_at, facts=facts
        )
    )
    return known is None


def recent_sessions(
    connection: Connection, space_id: str, limit: int
) -> list[tuple[str, datetime, Mapping[str, Any]]]:
    """The newest sessions, in chronological order."""
    rows = connection.execute(
        select(
            observed_sessions.c.session_id,
            observed_sessions.c.started_at,
            observed_sessions.c.facts,
        )
        .where(observed_sessions.c.space_id == space_id)
        .order_by(observed_sessions.c.started_at.desc(), observed_sessions.c.session_id)
        .limit(limit)
    ).all()
    return [(row.session_id, row.started_at, row.facts) for row in reversed(rows)]


def add_sightings(
    connection: Connection,
    space_id: str,
    session_id: str,
    seen: Iterable[tuple[str, str]],
    at: datetime,
) -> None:
    """Record the signals that a session showed, each once per session."""
    wanted = dict.fromkeys(seen)
    known = {
        (row.signal, row.sign)
        for row in connection.execute(
            select(sightings.c.signal, sightings.c.sign).where(
                sightings.c.space_id == space_id, sightings.c.session_id == session_id
            )
        )
    }
    rows = [
        {
            "space_id": space_id,
            "signal": signal,
            "sign": sign,
            "session_id": session_id,
            "at": at,
        }
        for signal, sign in wanted
        if (signal, sign) not in known
    ]
    if rows:
        connection.execute(insert(sightings), rows)


def count_sightings(
    connection: Connection, space_id: str, signs: Sequence[tuple[str, str]], *, but: str
) -> dict[tuple[str, str], int]:
    """In how many sessions each signal was seen, without the session ``but``."""
    counts: dict[tuple[str, str], int] = {}
    for start in range(0, len(signs), _AT_ONCE):
        part = signs[start : start + _AT_ONCE]
        rows = connection.execute(
            select(sightings.c.signal, sightings.c.sign, func.count())
            .where(
                sightings.c.space_id == space_id,
                sightings.c.session_id != but,
                sightings.c.sign.in_([sign for _, sign in part]),
            )
            .group_by(sightings.c.signal, sightings.c.sign)
        )
        counts.update({(signal, sign): count for signal, sign, count in rows})
    return {sign: counts.get(sign, 0) for sign in signs}


def add_to_pairs(connection: Connection, space_id: str, pairs: Sequence[Pair]) -> None:
    """Add to the counts of each pair."""
    if not pairs:
        return
    known = {
        (pair.first, pair.second, pair.source): pair
        for pair in pairs_of(connection, space_id, sorted({pair.first for pair in pairs}))
    }
    merged = [_merged(known.get((pair.first, pair.second, pair.source)), pair) for pair in pairs]
    for start in range(0, len(merged), _AT_ONCE):
        part = merged[start : start + _AT_ONCE]
        connection.execute(
            delete(co_access).where(
                co_access.c.space_id == space_id,
                or_(
                    *(
                        and_(
                            co_access.c.first_path == pair.first,
                            co_access.c.second_path == pair.second,
                            co_access.c.source == pair.source,
                        )
                        for pair in part
                    )
                ),
            )
        )
        connection.execute(insert(co_access), [_row(space_id, pair) for pair in part])


def pairs_of(
    connection: Connection, space_id: str, paths: Sequence[str], *, limit: int | None = None
) -> list[Pair]:
    """The pairs that contain any of these files, the strongest first."""
    found: list[Pair] = []
    for start in range(0, len(paths), _AT_ONCE):
        part = paths[start : start + _AT_ONCE]
        most = _ALL_PAIRS if limit is None else limit
        rows = _PAIRS_OF.rows(connection, space=space_id, paths=part, most=most)
        found += [Pair(*row[1:]) for row in rows]
    return list(dict.fromkeys(found))


def strongest_pairs(connection: Connection, space_id: str, times: int, limit: int) -> list[Pair]:
    """Pairs that were seen in at least ``times`` sessions."""
    rows = connection.execute(
        select(co_access)
        .where(
            co_access.c.space_id == space_id,
            co_access.c.source == "session",
            co_access.c.times >= times,
        )
        .order_by(co_access.c.weight.desc(), co_access.c.first_path, co_access.c.second_path)
        .limit(limit)
    )
    return [Pair(*row[1:]) for row in rows]


def max_pair_counts(
    connection: Connection, space_id: str, paths: Sequence[str], source: str = "session"
) -> dict[str, int]:
    """For each file, how often it was seen with its most frequent partner."""
    found: dict[str, int] = {}
    for column in (co_access.c.first_path, co_access.c.second_path):
        for start in range(0, len(paths), _AT_ONCE):
            rows = connection.execute(
                select(column, func.max(co_access.c.times))
                .where(
                    co_access.c.space_id == space_id,
                    column.in_(paths[start : start + _AT_ONCE]),
                    co_access.c.source == source,
                )
                .group_by(column)
            )
            for path, times in rows:
                found[path] = max(found.get(path, 0), times)
    return found


def files_of_session(connection: Connection, space_id: str, session_id: str) -> list[str]:
    """The files that an observed session touched, the latest last."""
    facts = connection.execute(
        select(observed_sessions.c.facts).where(
            observed_sessions.c.space_id == space_id,
            observed_sessions.c.session_id == session_id,
        )
    ).scalar()
    return [str(row[0]) for row in (facts or {}).get("files", ())]


def count_modules(
    connection: Connection, space_id: str, modules: Sequence[str], at: datetime
) -> dict[str, tuple[int, int]]:
    """Count one more session in each module; the new count, and the count at the last synthesis."""
    known = {
        row.module: (row.sessions, row.synthesised)
        for row in connection.execute(
            select(observed_modules).where(
                observed_modules.c.space_id == space_id, observed_modules.c.module.in_(modules)
            )
        )
    }
    counts = {
        module: (known.get(module, (0, 0))[0] + 1, known.get(module, (0, 0))[1])
        for module in modules
    }
    _put_modules(connection, space_id, counts, at)
    return counts


def synthesised(connection: Connection, space_id: str, module: str, sessions: int) -> bool:
    """Record that a module was synthesised at this session count; whether that is new."""
    row = connection.execute(
        select(observed_modules).where(
            observed_modules.c.space_id == space_id, observed_modules.c.module == module
        )
    ).first()
    if row is None or row.synthesised >= sessions:
        return False
    _put_modules(connection, space_id, {module: (row.sessions, sessions)}, row.last_at)
    return True


def put_commits(
    connection: Connection,
    space_id: str,
    commits: Sequence[tuple[str, datetime, Sequence[str]]],
) -> list[tuple[str, datetime, Sequence[str]]]:
    """Store new commits; those that were new."""
    new: list[tuple[str, datetime, Sequence[str]]] = []
    for start in range(0, len(commits), _AT_ONCE):
        part = commits[start : start + _AT_ONCE]
        known = set(
            connection.execute(
                select(commit_files.c.commit_id).where(
                    commit_files.c.space_id == space_id,
                    commit_files.c.commit_id.in_([commit for commit, _, _ in part]),
                )
            ).scalars()
        )
        fresh = [one for one in part if one[0] not in known]
        rows = [
            {"space_id": space_id, "commit_id": commit, "path": path, "committed_at": at}
            for commit, at, paths in fresh
            for path in dict.fromkeys(paths)
        ]
        if rows:
            connection.execute(insert(commit_files), rows)
        new += fresh
    return new


def recent_commits(
    connection: Connection, space_id: str, limit: int
) -> list[tuple[datetime, tuple[str, ...]]]:
    """The newest commits, oldest first."""
    rows = connection.execute(
        select(commit_files.c.commit_id, commit_files.c.committed_at, commit_files.c.path)
        .where(commit_files.c.space_id == space_id)
        .order_by(commit_files.c.committed_at.desc(), commit_files.c.commit_id, commit_files.c.path)
        .limit(limit)
    )
    found: dict[str, tuple[datetime, list[str]]] = {}
    for commit, at, path in rows:
        found.setdefault(commit, (at, []))[1].append(path)
    return [(at, tuple(paths)) for at, paths in reversed(found.values())]


def put_sketches(
    connection: Connection, space_id: str, sketches: Mapping[str, Mapping[str, Any]], at: datetime
) -> None:
    """Store sketches of files, replacing earlier ones."""
    paths = sorted(sketches)
    for start in range(0, len(paths), _AT_ONCE):
        part = paths[start : start + _AT_ONCE]
        _forget(connection, file_sketches, space_id, part)
        connection.execute(
            insert(file_sketches),
            [
                {"space_id": space_id, "path": path, "names": sketches[path], "seen_at": at}
                for path in part
            ],
        )


def recent_sketches(
    connection: Connection, space_id: str, limit: int
) -> list[tuple[str, Mapping[str, Any]]]:
    """The sketches of the most recently seen files."""
    rows = connection.execute(
        select(file_sketches.c.path, file_sketches.c.names)
        .where(file_sketches.c.space_id == space_id)
        .order_by(file_sketches.c.seen_at.desc(), file_sketches.c.path)
        .limit(limit)
    )
    return [(path, names) for path, names in rows]


def _put_modules(
    connection: Connection, space_id: str, counts: Mapping[str, tuple[int, int]], at: datetime
) -> None:
    if not counts:
        return
    connection.execute(
        delete(observed_modules).where(
            observed_modules.c.space_id == space_id, observed_modules.c.module.in_(sorted(counts))
        )
    )
    connection.execute(
        insert(observed_modules),
        [
            {
                "space_id": space_id,
                "module": module,
                "sessions": sessions,
                "synthesised": thought,
                "last_at": at,
            }
            for module, (sessions, thought) in counts.items()
        ],
    )


def _forget(connection: Connection, table: Table, space_id: str, paths: Sequence[str]) -> None:
    connection.execute(delete(table).where(table.c.space_id == space_id, table.c.path.in_(paths)))


def _merged(known: Pair | None, more: Pair) -> Pair:
    if known is None:
        return more
    times = known.times + more.times
    return more._replace(
        weight=known.weight + more.weight,
        times=times,
        forward=known.forward + more.forward,
        seconds=(known.seconds * known.times + more.seconds * more.times) / times,
        last_at=max(known.last_at, more.last_at),
    )


def _row(space_id: str, pair: Pair) -> dict[str, Any]:
    return {
        "space_id": space_id,
        "first_path": pair.first,
        "second_path": pair.second,
        **{name: getattr(pair, name) for name in Pair._fields[2:]},
    }
