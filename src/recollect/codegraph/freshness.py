"""Finds files that have changed on disk since they were indexed, with or without a watcher.

A file with the same size and time has not changed; where one of them differs, the content decides.
For a folder that is not on this machine, nothing is reported.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recollect.storage.code.graph import FileRow

#: A larger file is not read to find out whether only its time is new.
_READ: Final = 1 << 20
_NAMED: Final = 5


def changed_files(root: str, rows: Iterable[FileRow]) -> list[str]:
    """Paths of files that differ from the index, or are gone."""
    if not os.path.isdir(root):
        return []
    return sorted(row.path for row in rows if _differs(Path(root) / row.path, row))


def left_out(paths: Iterable[str]) -> str:
    """The note that edges of changed files were left out."""
    listed = sorted(paths)
    named = ", ".join(listed[:_NAMED]) + (", ..." if len(listed) > _NAMED else "")
    return f"Changed since the code was indexed, so what they need is left out: {named}."


def _differs(place: Path, row: FileRow) -> bool:
    try:
        found = os.lstat(place)
        if (found.st_size, found.st_mtime_ns) == (row.size, row.changed_ns):
            return False
        if found.st_size != row.size or found.st_size > _READ:
            return True
        return hashlib.blake2b(place.read_bytes(), digest_size=16).hexdigest() != row.digest
    except (OSError, ValueError):
        return True
