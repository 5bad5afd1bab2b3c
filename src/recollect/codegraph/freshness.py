"""Which files have changed on the disk since they were indexed, whoever watches or not.

A file whose size and time are as they were has not changed; where one of them differs, its content
decides. A folder that is not on this machine says nothing.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recollect.storage.code.graph import FileRow

#: A file that is larger is not read to see whether only its time is new.
_READ: Final = 1 << 20
_NAMED: Final = 5


def changed_files(root: str, rows: Iterable[FileRow]) -> list[str]:
    """The paths of those that differ from what was indexed, or are gone."""
    if not os.path.isdir(root):
        return []
    return sorted(row.path for row in rows if _differs(Path(root) / row.path, row))


def left_out(paths: Iterable[str]) -> str:
    """What is said where edges of changed files were left out."""
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
