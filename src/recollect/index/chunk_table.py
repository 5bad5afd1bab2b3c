"""The file of each chunk of a space, in arrays parallel to its place table.

It only appends, following the slots, and can be discarded at any time.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.index.code_words import analysed
from recollect.storage.code import chunks
from recollect.storage.database import Transaction
from recollect.storage.search import places

#: Up to this many new chunks are looked up one by one; more are read at once.
_FEW_CHUNKS: Final = 2_000


class Pieces(NamedTuple):
    """For each row, its file and whether it is an outline; for each file, its path and role; and
    for each word of a path, the files that have it.
    """

    files: NDArray[np.int64]
    outlines: NDArray[np.bool_]
    paths: Sequence[str]
    roles: Sequence[str]
    in_paths: Mapping[str, Sequence[int]]


_Built = tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], tuple[str, ...], tuple[str, ...]
]


@dataclass(slots=True)
class _Table:
    slots: list[int] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    outlines: list[bool] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    in_paths: dict[str, list[int]] = field(default_factory=dict)
    built: _Built | None = None


class ChunkTables:
    """The chunk tables of the spaces that this process has searched."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, _Table] = {}

    def chunk_locations(
        self, connection: Transaction, space_id: str, slots: NDArray[np.int64]
    ) -> Pieces:
        """Files of the chunks at these slots, given in ascending order."""
        with self._lock:
            table = self._tables.setdefault(space_id, _Table())
            high = table.slots[-1] if table.slots else -1
            if len(slots) and int(slots[-1]) > high:
                self._extend(connection, space_id, table, slots[slots > high])
            if table.built is None:
                table.built = (
                    np.array(table.slots, np.int64),
                    np.array(table.files, np.int64),
                    np.array(table.outlines, np.bool_),
                    tuple(table.paths),
                    tuple(table.roles),
                )
            known, files, outlines, paths, roles = table.built
            if not len(known):
                nowhere = np.zeros(len(slots), np.int64)
                return Pieces(nowhere, np.zeros(len(slots), np.bool_), [""], ["code"], {})
            spots = np.minimum(np.searchsorted(known, slots), len(known) - 1)
            return Pieces(files[spots], outlines[spots], paths, roles, table.in_paths)

    @staticmethod
    def _extend(
        connection: Transaction, space_id: str, table: _Table, fresh: NDArray[np.int64]
    ) -> None:
        table.built = None
        if len(fresh) <= _FEW_CHUNKS:
            ids = places.items_at(connection, space_id, fresh.tolist())
            rows = chunks.chunk_metadata_of(connection, space_id, list(ids.values()))
        else:
            rows = chunks.chunk_locations(
                connection, space_id, table.slots[-1] if table.slots else -1
            )
        for slot, kind, path, role in rows:
            code = table.codes.get(path)
            if code is None:
                code = table.codes[path] = len(table.paths)
                table.paths.append(path)
                table.roles.append(role)
                for word in set(analysed(path)[0].split()):
                    table.in_paths.setdefault(word, []).append(code)
            table.roles[code] = role
            table.slots.append(slot)
            table.files.append(code)
            table.outlines.append(kind == "outline")
