"""Files and folders for their owner alone, whatever the umask is.

A file is 0600 and a folder that we make is 0700. What lies there from before is mended when it is
opened, if it belongs to whoever runs this; folders that others made are left as they are, but for
those that bear our name.
"""

import os
import stat
from pathlib import Path
from typing import Final, TextIO

FILE: Final = 0o600
FOLDER: Final = 0o700
_OTHERS: Final = 0o077
_OURS: Final = frozenset({"recollect", ".recollect"})


def private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing; mend one of ours that is there."""
    missing = []
    folder = path
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        try:
            one.mkdir(FOLDER)
        except FileExistsError:  # another process was faster, and makes it as we do
            continue
        one.chmod(FOLDER)
    if not missing and path.name in _OURS:
        keep_private(path, FOLDER)


def private_file(path: Path, *, append: bool = False, errors: str | None = None) -> TextIO:
    """Open a file to write text into, which nobody else can read from its first byte on."""
    mode = os.O_APPEND if append else os.O_TRUNC
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | mode, FILE)
    try:
        keep_private(path)
    finally:
        file = os.fdopen(opened, "a" if append else "w", encoding="utf-8", errors=errors)
    return file


def create_private(path: Path) -> None:
    """Make sure that a file is there and nobody else's to read; what it holds stays."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE))
    except FileExistsError:
        keep_private(path)


def keep_private(path: Path, mode: int = FILE) -> None:
    """Take a file or folder of ours from everybody else; nothing where it is not ours or is gone.

    On a file system that cannot, it stays as it is: reading goes on.
    """
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode) != (mode == FOLDER):
            return
        if os.name == "posix" and found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
            path.chmod(found.st_mode & mode)
    except OSError:
        return
