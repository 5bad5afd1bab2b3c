"""Moves a whole store to another address, between any two databases; resumable.

The source is only read, and each run reads one snapshot of it. Rows are copied in batches; a batch
and its progress note are one transaction of the target, so an interrupted move continues where it
stopped. The note is deleted only after both stores were read again and found equal: a store without
a note is complete.
"""

from collections.abc import Callable
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import Connection, delete, select

from recollect.storage.access.visibility_filter import EVERY_SPACE, acquire_locks
from recollect.storage.database import Database
from recollect.storage.move.progress import (
    MoveInventory,
    Position,
    advance,
    begin_notes,
    end_notes,
    refuse_unfinished,
    stored_inventory,
    stored_position,
)
from recollect.storage.move.tables import PARTS, Row, StorePart, pages
from recollect.storage.prepared import dialect_of
from recollect.storage.schema import COLLECTIONS, metadata, spaces, sync_spaces
from recollect.vocabulary.errors import Conflict, InvalidInput, StoreUnavailable
from recollect.vocabulary.reports import MoveReport, PartReport

#: Called with the rows done, the total, and the current action with its part.
Progress = Callable[[int, int, str], None]

_DIGEST_BYTES: Final = 16
_START: Final = Position(PARTS[0].name, None, 0)


class _MoveStart(NamedTuple):
    """Where copying continues, None if nothing is left to copy; and whether it starts from the
    beginning.
    """

    position: Position | None
    anew: bool = False


def move_store(source: str, target: str, progress: Progress | None = None) -> MoveReport:
    """Copy all of the source into the target, or the rest of it; then compare the two."""
    _check_addresses(source, target)
    with closing(Database(source)) as origin, origin.reading(all_spaces=True) as reading:
        survey = _survey(reading)
        with closing(Database(target)) as goal:
            return _Move(survey, reading, goal, progress).run()


class _Move:
    """One run of a move."""

    def __init__(
        self, survey: MoveInventory, source: Connection, target: Database, progress: Progress | None
    ) -> None:
        self._survey = survey
        self._source = source
        self._target = target
        self._progress = progress or (lambda *_: None)
        self._done = 0

    def run(self) -> MoveReport:
        """Copy, compare, and delete the note if all is equal."""
        begun = self._target.write(
            lambda target_connection: _begin_or_resume(target_connection, self._survey),
            all_spaces=True,
        )
        before = self._done = begun.position.done if begun.position else self._survey.rows
        last = self._copy(begun.position) if begun.position else None
        copied = self._done - before
        with self._target.reading(all_spaces=True) as target_connection:
            parts = compare(self._source, target_connection, self._compared)
        differing = tuple(part.part for part in parts if not part.same)
        if last is not None:
            self._settle(last, sound=not differing)
        resumed = begun.position is not None and before > 0
        return MoveReport(parts, copied, resumed, begun.anew, differing)

    def _copy(self, position: Position) -> Position:
        """Copy every part from the position on; the last position."""
        names = [part.name for part in PARTS]
        after = position.after
        for part in PARTS[names.index(position.part) :]:
            for rows in pages(part, self._source, after):
                self._done += len(rows)
                position = self._keep(part, rows, position)
                self._report_progress("copying", part.name)
            after = None
        return position

    def _keep(self, part: StorePart, rows: list[Row], old: Position) -> Position:
        new = Position(part.name, part.key(rows[-1]), self._done)

        def work(target_connection: Connection) -> None:
            advance(target_connection, old, new)
            part.put(target_connection, rows)

        self._target.write(work, all_spaces=True)
        return new

    def _settle(self, last: Position, *, sound: bool) -> None:
        """Mark an equal copy as complete; after any other, the next run starts again."""

        def work(target_connection: Connection) -> None:
            advance(target_connection, last, None)
            if sound:
                end_notes(target_connection)

        self._target.write(work, all_spaces=True)

    def _compared(self, name: str, rows: int) -> None:
        self._done += rows
        self._report_progress("checking", name)

    def _report_progress(self, verb: str, name: str) -> None:
        self._progress(self._done, 2 * self._survey.rows, f"{verb} {name}")


def _check_addresses(source: str, target: str) -> None:
    here, target_connection = _location(source), _location(target)
    if isinstance(here, Path) and not here.is_file():
        raise StoreUnavailable(f"There is no store at {source}. Nothing was changed.")
    if here == target_connection:
        raise InvalidInput("Both addresses are the same store. Nothing was changed.")


def _location(address: str) -> Path | str:
    """The resolved path of a file, or the address of a server."""
    path = address.removeprefix("sqlite:///")
    return address if "://" in path else Path(path).expanduser().resolve()


def _survey(source: Connection) -> MoveInventory:
    refuse_unfinished(source)
    clocks = _clocks(source)
    if not clocks:
        raise InvalidInput("The source holds no space, so there is nothing to move.")
    return MoveInventory(clocks, {part.name: part.size(source) for part in PARTS})


def _clocks(connection: Connection) -> dict[str, int]:
    """Every space with its clock, oldest first."""
    rows = connection.execute(select(spaces.c.space_id, spaces.c.clock).order_by(spaces.c.number))
    return {row.space_id: row.clock for row in rows}


def _begin_or_resume(target: Connection, survey: MoveInventory) -> _MoveStart:
    """Begin, continue, or refuse."""
    acquire_locks(target, [EVERY_SPACE])
    noted, kept = stored_inventory(target), _clocks(target)
    if noted is None:
        if not kept:
            return _MoveStart(_start(target, survey))
        if kept == survey.spaces:
            return _MoveStart(None)
        raise Conflict(
            "The target holds something else already. Nothing was changed.",
            hint="Name a new file or an empty database.",
        )
    _refuse_other_contents(noted, kept, survey)
    position = stored_position(target)
    if position is not None and noted == survey:
        return _MoveStart(position)
    return _MoveStart(_start(target, survey), anew=True)


def _refuse_other_contents(
    noted: MoveInventory, kept: dict[str, int], survey: MoveInventory
) -> None:
    if noted.identity != survey.identity:
        raise Conflict(
            "The target is half-way through a move from another store. Nothing was changed.",
            hint="Finish that one first, or name a new file or an empty database.",
        )
    if any(noted.spaces.get(space_id) != clock for space_id, clock in kept.items()):
        raise Conflict(
            "Somebody wrote to the target since the move began. Nothing was changed.",
            hint="Name a new file or an empty database.",
        )


def _start(target: Connection, survey: MoveInventory) -> Position:
    """Delete from the target what an earlier run left, and note the start."""
    for table in (sync_spaces, *reversed(metadata.sorted_tables)):
        target.execute(delete(table))
    for collection in COLLECTIONS:
        dialect_of(target).reset_keywords(target, collection)
    begin_notes(target, survey, _START)
    return _START


def compare(
    source: Connection, target: Connection, seen: Callable[[str, int], None]
) -> tuple[PartReport, ...]:
    """Compare every part of both stores: row counts, and digests row by row in key order.

    A digest is made of the rows' values, not of their stored form: floats and vectors must agree to
    the last bit, texts of the index in which tokens they have and how often. ``seen`` is called
    with the part's name and how many more rows were read.
    """
    return tuple(_compared(part, source, target, seen) for part in PARTS)


def _compared(
    part: StorePart, source: Connection, target: Connection, seen: Callable[[str, int], None]
) -> PartReport:
    here = _digest(part, source, lambda rows: seen(part.name, rows))
    there = _digest(part, target, lambda _: seen(part.name, 0))
    return PartReport(part.name, *here, *there, same=here == there)


def _digest(
    part: StorePart, connection: Connection, seen: Callable[[int], None]
) -> tuple[int, str]:
    count, digest = 0, blake2b(digest_size=_DIGEST_BYTES)
    for rows in pages(part, connection):
        values = "".join(f"{part.canonical(row)!r}\n" for row in rows)
        digest.update(values.encode())
        count += len(rows)
        seen(len(rows))
    return count, digest.hexdigest()
