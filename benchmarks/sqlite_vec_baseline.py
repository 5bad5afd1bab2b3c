"""sqlite-vec's brute force over the same vectors, to be compared with.

Many Pythons are built without the door for extensions; there SQLite itself is told to load it.
"""

import ctypes
import ctypes.util
import sqlite3
from collections.abc import Callable

import numpy as np
import sqlite_vec
from numpy.typing import NDArray

Found = list[tuple[int, float]]


def sqlite_vec_search(
    slots: NDArray[np.int64], vectors: NDArray[np.float32], limit: int
) -> Callable[[NDArray[np.float32]], Found] | None:
    """A search of all the vectors; None where the extension cannot be loaded."""
    connection = connected()
    if connection is None:
        return None
    connection.execute(f"CREATE VIRTUAL TABLE kept USING vec0(vector float[{vectors.shape[1]}])")
    connection.executemany(
        "INSERT INTO kept(rowid, vector) VALUES (?, ?)",
        ((int(slot), row.tobytes()) for slot, row in zip(slots, vectors, strict=True)),
    )

    def search(vector: NDArray[np.float32]) -> Found:
        return connection.execute(
            "SELECT rowid, distance FROM kept WHERE vector MATCH ? AND k = ?",
            (vector.tobytes(), limit),
        ).fetchall()

    return search


def connected(path: str = ":memory:") -> sqlite3.Connection | None:
    """A connection that knows vectors; None where the extension cannot be loaded."""
    connection = sqlite3.connect(path)
    if hasattr(connection, "enable_load_extension"):
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        return connection
    connection.close()
    return _connected_by_library(path)


def _connected_by_library(path: str) -> sqlite3.Connection | None:
    """A connection with the extension that SQLite's own library gives to every new one."""
    name = ctypes.util.find_library("sqlite3")
    if name is None:
        return None
    library = ctypes.CDLL(name)
    extension = ctypes.CDLL(f"{sqlite_vec.loadable_path()}.so")
    entry = ctypes.cast(extension.sqlite3_vec_init, ctypes.c_void_p)
    library.sqlite3_auto_extension(entry)
    try:
        connection = sqlite3.connect(path)
        connection.execute("SELECT vec_version()")
    except sqlite3.Error:
        return None
    finally:
        library.sqlite3_cancel_auto_extension(entry)
    return connection
