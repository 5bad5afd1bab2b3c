"""Replacements for lost rows that a store needs: a space, its owner, a stream, an audience.

A lost row is rebuilt from what indexes still have of it, or replaced by one that is visible to the
owner only.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from recollect.storage.rescue.damaged_store import DamagedStore

#: Columns whose values come from the clock of a space.
_BY_CLOCK: Final = ("slot", "version", "arrival")


class Replacements:
    """Inserts missing rows into the new store that its other rows refer to."""

    def __init__(
        self, store: DamagedStore, connection: sqlite3.Connection, user: str, now: int
    ) -> None:
        self._store = store
        self._connection = connection
        self._user = user
        self._now = now
        self.notes: list[str] = []

    def fill_in(self) -> None:
        """Insert missing rows, spaces first: the others belong to one."""
        self._spaces()
        self._owners()
        self._streams()
        self._audiences()

    def _spaces(self) -> None:
        known = {piece["space_id"]: piece for piece in self._pieces("spaces", "space_id")}
        missing = sorted(self._pointing(("space_id",), "spaces"))
        for number, (space_id,) in enumerate(missing, 1):
            piece = known.get(space_id, {})
            row = {
                "space_id": space_id,
                "number": piece.get("number") or self._next("spaces", "number"),
                "name": piece.get("name") or f"rescued-{number}",
                "kind": "project",
                "created_at": self._now,
                "clock": 1,
            }
            self._put("spaces", row)
            self.notes.append(f"The space {row['name']!r} was put together from what was left.")
        for table in self._tables_with("space_id"):
            for column in _BY_CLOCK:
                if column in self._columns(table):
                    self._connection.execute(
                        f"UPDATE spaces SET clock = max(clock, (SELECT coalesce(max({column}), 0)"
                        f" + 1 FROM {table} WHERE {table}.space_id = spaces.space_id))"
                    )

    def _owners(self) -> None:
        ownerless = self._connection.execute(
            "SELECT space_id, name FROM spaces WHERE NOT EXISTS (SELECT 1 FROM space_members"
            " WHERE space_members.space_id = spaces.space_id AND role = 'owner')"
        ).fetchall()
        for space_id, name in ownerless:
            self._connection.execute(
                "INSERT OR REPLACE INTO space_members (space_id, user_id, role, joined_at)"
                " VALUES (?, ?, 'owner', ?)",
                (space_id, self._user, self._now),
            )
            self.notes.append(f"{self._user} owns the space {name!r} now; who owned it is lost.")

    def _streams(self) -> None:
        known = {
            (piece["space_id"], piece["stream_id"]): piece
            for piece in self._pieces("streams", "space_id", "stream_id")
        }
        missing = sorted(self._pointing(("space_id", "stream_id"), "streams"))
        for number, (space_id, stream_id) in enumerate(missing, 1):
            audience = self._connection.execute(
                "SELECT audience_id FROM events WHERE space_id = ? AND stream_id = ? LIMIT 1",
                (space_id, stream_id),
            ).fetchone()
            row = {
                "space_id": space_id,
                "stream_id": stream_id,
                "kind": "channel",
                "name": known.get((space_id, stream_id), {}).get("name") or f"rescued-{number}",
                "access": "private",
                "owner": self._owner(space_id),
                "audience_id": audience[0] if audience else 0,
                "created_at": self._now,
            }
            self._put("streams", row)
            self.notes.append(
                f"The stream {row['name']!r} was put together from what was left: private to "
                f"{row['owner']}."
            )

    def _audiences(self) -> None:
        known = {
            (piece["space_id"], piece["audience_id"]): piece
            for piece in self._pieces("audiences", "space_id", "audience_id")
        }
        replaced = 0
        for space_id, audience_id in sorted(
            self._pointing(("space_id", "audience_id"), "audiences")
        ):
            piece = known.get((space_id, audience_id), {})
            whole = {"owner", "visibility"} <= set(piece)
            row = {
                "space_id": space_id,
                "audience_id": audience_id,
                "owner": piece["owner"] if whole else self._owner(space_id),
                "visibility": piece["visibility"] if whole else "personal",
                "stream_id": piece.get("stream_id") if whole else None,
            }
            if row["visibility"] in {"team", "organisation"}:  # no index has its group
                row["visibility"] = "personal"
            self._put("audiences", row)
            replaced += row["visibility"] != piece.get("visibility")
        if replaced:
            self.notes.append(
                f"Who may see some things is lost for {replaced} audience(s): only their owner, or "
                "the owner of the space, sees them now."
            )

    def _pieces(self, table: str, *columns: str) -> Iterable[Mapping[str, Any]]:
        """What indexes have of the rows of a table, where it is enough to identify them."""
        if table not in self._store.tables:
            return []
        return [one for one in self._store.pieces(table) if set(columns) <= set(one)]

    def _pointing(self, columns: Sequence[str], target: str) -> set[tuple[Any, ...]]:
        """Foreign keys of rows whose target row is missing."""
        named = ", ".join(columns)
        found: set[tuple[Any, ...]] = set()
        for table in self._tables_with(*columns):
            if table == target:
                continue
            where = " AND ".join(f"{target}.{name} = here.{name}" for name in columns)
            there = " AND ".join(f"here.{name} IS NOT NULL" for name in columns)
            found.update(
                self._connection.execute(
                    f"SELECT DISTINCT {named} FROM {table} AS here WHERE {there} AND NOT EXISTS"
                    f" (SELECT 1 FROM {target} WHERE {where})"
                )
            )
        return found

    def _tables_with(self, *columns: str) -> list[str]:
        return [name for name in self._store.tables if set(columns) <= set(self._columns(name))]

    def _columns(self, table: str) -> tuple[str, ...]:
        return self._store.tables[table].shape.names

    def _owner(self, space_id: str) -> str:
        found = self._connection.execute(
            "SELECT user_id FROM space_members WHERE space_id = ? AND role = 'owner'"
            " ORDER BY joined_at LIMIT 1",
            (space_id,),
        ).fetchone()
        return str(found[0]) if found else self._user

    def _next(self, table: str, column: str) -> int:
        (most,) = self._connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
        return int(most or 0) + 1

    def _put(self, table: str, row: Mapping[str, Any]) -> None:
        named, marks = ", ".join(row), ", ".join("?" * len(row))
        self._connection.execute(
            f"INSERT OR IGNORE INTO {table} ({named}) VALUES ({marks})", tuple(row.values())
        )
