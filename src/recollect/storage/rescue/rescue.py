"""Recovers a damaged file into a new store: examines it, copies readable rows, reports losses.

The new store is written beside its place and moved there when complete. Rows that refer to
something lost are left out, after the rows that a store needs have been replaced; so every
constraint of the schema holds in the new store.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote

from recollect.storage.migrate import HEAD, KNOWN, create_schema
from recollect.storage.rescue.damaged_store import DamagedStore
from recollect.storage.rescue.replacements import Replacements
from recollect.storage.rescue.table_layouts import TableShape, read_shapes
from recollect.storage.writer_lock import WriterLock
from recollect.vocabulary.errors import Conflict, InvalidInput, StoreDamaged, StoreUnavailable
from recollect.vocabulary.reports import RescuedTable, RescueReport

#: Called with the number of rows done, and their table.
Progress = Callable[[int, str], None]

#: Tables that are rebuilt from others, or computed again when missing.
_DERIVED: Final = frozenset({"places", "place_changes", "vectors"})
_BATCH: Final = 500
_NAMED: Final = 20
_LOCK_TIMEOUT: Final = 2.0


def damage_of(source: str) -> tuple[str, ...]:
    """Errors that SQLite reports for a file, without writing to it."""
    path = _file(source)
    journal = Path(f"{path}-wal")
    alone = not journal.exists() or not journal.stat().st_size
    address = f"file:{quote(str(path.resolve()))}?mode=ro{'&immutable=1' if alone else ''}"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_LOCK_TIMEOUT)) as connection:
            rows = connection.execute("PRAGMA quick_check(20)").fetchall()
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        damaged = name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
        return (f"SQLite: {error}.",) if damaged else ()
    return tuple(f"SQLite: {row}." for (row,) in rows if row != "ok")


def survey_damage(source: str) -> RescueReport:
    """Count the readable and the lost rows of each table. Writes nothing."""
    path = _file(source)
    with TemporaryDirectory(prefix="recollect-") as folder, _reading(path) as (store, changed):
        shapes = _prepare(store, Path(folder) / "new.db")
        tables = tuple(_table_report(store, name, _count(store, name)) for name in shapes)
        return RescueReport(str(path), None, _checked(tables), changed_meanwhile=changed())


def rescue_store(
    source: str,
    target: str,
    *,
    user: str,
    finish: Callable[[str], int],
    progress: Progress | None = None,
) -> RescueReport:
    """Write a new store with everything readable of a damaged one.

    ``finish`` is called with the new file before it is moved into place: it builds the search
    index, and returns the number of texts.
    """
    path, goal = _file(source), _goal(target)
    new = goal.with_name(f".{goal.name}.rescue")
    try:
        with _reading(path) as (store, changed):
            _make_private(new)
            shapes = _prepare(store, new)
            with closing(sqlite3.connect(new, isolation_level=None)) as connection:
                connection.execute("PRAGMA foreign_keys = OFF")
                connection.execute("BEGIN IMMEDIATE")
                tables = _checked(tuple(_copy(store, connection, shapes, progress)))
                now = time.time_ns() // 1_000
                replacements = Replacements(store, connection, user, now)
                replacements.fill_in()
                orphans = _leave_out_orphans(connection, shapes)
                connection.execute("COMMIT")
            changed_meanwhile = changed()
        indexed = finish(str(new))
        _put_in_place(new, goal)
    finally:
        for name in (new, Path(f"{new}-wal"), Path(f"{new}-shm")):
            name.unlink(missing_ok=True)
    return RescueReport(
        str(path),
        str(goal),
        tables,
        {name: count for name, count in orphans.items() if name not in _DERIVED},
        tuple(replacements.notes),
        indexed,
        changed_meanwhile=changed_meanwhile,
    )


def _file(address: str) -> Path:
    path = address.removeprefix("sqlite:///")
    if "://" in path:
        raise InvalidInput(
            "Only a file can be rescued like this. Nothing was changed.",
            hint="Restore a PostgreSQL database from its backup.",
        )
    found = Path(path).expanduser()
    if not found.is_file():
        raise StoreUnavailable(f"There is no file at {found}. Nothing was changed.")
    return found


def _goal(target: str) -> Path:
    if "://" in target.removeprefix("sqlite:///"):
        raise InvalidInput(
            "A store is rescued into a file. Nothing was changed.",
            hint="Name a new file; 'recollect move' takes it to a server afterwards.",
        )
    goal = Path(target.removeprefix("sqlite:///")).expanduser()
    if goal.exists() or Path(f"{goal}-wal").exists():
        raise Conflict(
            f"{goal} exists already. Nothing was changed.",
            hint="Name a file that does not exist yet.",
        )
    if not goal.parent.is_dir():
        raise StoreUnavailable(
            f"The folder {goal.parent} does not exist. Nothing was changed.",
            hint="Make it first, or name another file.",
        )
    return goal


@contextmanager
def _reading(path: Path) -> Iterator[tuple[DamagedStore, Callable[[], bool]]]:
    """The damaged store, while our writers are locked out; and a check whether somebody wrote
    anyway.
    """
    writer_lock = WriterLock(str(path), _LOCK_TIMEOUT)
    before = _state(path)
    try:
        with writer_lock, closing(DamagedStore(path)) as store:
            yield store, lambda: _state(path) != before
    except OSError as error:
        what = f"{error.strerror or error}".rstrip(".")
        raise StoreUnavailable(f"{error.filename or path}: {what}. Nothing was changed.") from error
    finally:
        writer_lock.close()


def _state(path: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for name in (path, Path(f"{path}-wal")):
        try:
            known = name.stat()
            found.append((known.st_size, known.st_mtime_ns))
        except OSError:
            found.append(None)
    return found


def _prepare(store: DamagedStore, new: Path) -> dict[str, TableShape]:
    """Create the tables of the same schema in a new file, and find them in the damaged one."""
    if store.of_another_program:
        raise StoreDamaged(
            "The file is a database of another program. Nothing was changed.",
            hint="Name another file with --db.",
        )
    number = store.schema_number()
    create_schema(str(new), number if number in KNOWN else HEAD)
    shapes = read_shapes(new)
    store.read_tables(shapes)
    return shapes


def _checked(tables: tuple[RescuedTable, ...]) -> tuple[RescuedTable, ...]:
    if not any(one.rows for one in tables):
        raise StoreDamaged(
            "Nothing in the file can be read as a store of Recollect. Nothing was changed.",
            hint="Restore it from a backup, or name another file with --db.",
        )
    return tables


def _count(store: DamagedStore, name: str) -> set[tuple[Any, ...]]:
    key_of = store.tables[name].shape.key_of
    return {key_of(row) for row in store.rows(name)}


def _table_report(store: DamagedStore, name: str, keys: set[tuple[Any, ...]]) -> RescuedTable:
    expected, known = store.expected(name)
    lost = expected - keys
    names = ["/".join(map(str, key[1:] or key)) for key in islice(sorted(lost, key=str), _NAMED)]
    return RescuedTable(
        name,
        len(keys),
        len(lost),
        exact=known or store.tables[name].tree.whole,
        lost_ids=tuple(names),
        derived=name in _DERIVED,
    )


def _copy(
    store: DamagedStore,
    connection: sqlite3.Connection,
    shapes: dict[str, TableShape],
    progress: Progress | None,
) -> Iterator[RescuedTable]:
    """Copy every readable row of every table; one that violates the schema is lost."""
    done = 0
    for name, shape in shapes.items():
        named = ", ".join(shape.names)
        marks = ", ".join("?" * len(shape.names))
        statement = f"INSERT OR IGNORE INTO {name} ({named}) VALUES ({marks})"
        kept: set[tuple[Any, ...]] = set()
        rows = store.rows(name)
        while batch := list(islice(rows, _BATCH)):
            before = connection.total_changes
            connection.executemany(statement, batch)
            if connection.total_changes - before == len(batch):
                kept.update(map(shape.key_of, batch))
            else:
                kept.update(_copied_keys(connection, shape, batch))
            done += len(batch)
            if progress:
                progress(done, name)
        yield _table_report(store, name, kept)


def _copied_keys(
    connection: sqlite3.Connection, shape: TableShape, batch: list[tuple[Any, ...]]
) -> Iterator[tuple[Any, ...]]:
    """The keys of a batch that are in the new table."""
    where = " AND ".join(f"{name} = ?" for name in shape.key)
    query = f"SELECT 1 FROM {shape.name} WHERE {where}"
    for row in batch:
        if connection.execute(query, shape.key_of(row)).fetchone():
            yield shape.key_of(row)


def _leave_out_orphans(
    connection: sqlite3.Connection, shapes: dict[str, TableShape]
) -> dict[str, int]:
    """Delete rows that refer to something lost, until none does; how many by table."""
    left_out: dict[str, int] = {}
    again = True
    while again:
        again = False
        for name in shapes:
            for condition in _pointing_nowhere(connection, name):
                gone = connection.execute(f"DELETE FROM {name} WHERE {condition}").rowcount
                if gone:
                    left_out[name] = left_out.get(name, 0) + gone
                    again = True
    return left_out


def _pointing_nowhere(connection: sqlite3.Connection, name: str) -> list[str]:
    """For each foreign key of a table, a condition for rows whose target is missing."""
    keys: dict[int, list[tuple[str, str, str]]] = {}
    for number, _, target, own, theirs, *_ in connection.execute(
        f'PRAGMA foreign_key_list("{name}")'
    ):
        keys.setdefault(number, []).append((target, own, theirs))
    conditions = []
    for columns in keys.values():
        there = " AND ".join(f"{name}.{own} IS NOT NULL" for _, own, _ in columns)
        same = " AND ".join(f"there.{theirs} = {name}.{own}" for _, own, theirs in columns)
        target = columns[0][0]
        conditions.append(f"{there} AND NOT EXISTS (SELECT 1 FROM {target} AS there WHERE {same})")
    return conditions


def _make_private(new: Path) -> None:
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _put_in_place(new: Path, goal: Path) -> None:
    """Move the new store to its place, unless a file has appeared there meanwhile."""
    with closing(sqlite3.connect(new)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try:
        os.link(new, goal)  # unlike a rename, this never overwrites a file
    except FileExistsError:
        raise Conflict(f"{goal} exists already. Nothing was changed.") from None
    except OSError:
        new.rename(goal)
