"""Private files and folders: readable for their owner alone, whatever the umask is.

A file is 0600 and a folder that we create is 0700. Existing ones are fixed when opened, if they
belong to the user who runs this; folders that others created are left as they are, except those
with our name.
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
    """Create a folder and its missing parents; fix the mode of an existing one of ours."""
    missing = []
    folder = path
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        try:
            one.mkdir(FOLDER)
        except FileExistsError:  # another process was faster, and creates it the same way
            continue
        one.chmod(FOLDER)
    if not missing and path.name in _OURS:
        keep_private(path, FOLDER)


def private_file(path: Path, *, append: bool = False, errors: str | None = None) -> TextIO:
    """Open a text file for writing that nobody else can read from its first byte on."""
    mode = os.O_APPEND if append else os.O_TRUNC
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | mode, FILE)
    try:
        keep_private(path)
    finally:
        file = os.fdopen(opened, "a" if append else "w", encoding="utf-8", errors=errors)
    return file


def create_private(path: Path) -> None:
    """Ensure that a file exists and is private; its content stays."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE))
    except FileExistsError:
        keep_private(path)


def keep_private(path: Path, mode: int = FILE) -> None:
    """Make a file or folder of ours private; does nothing if it is not ours or is gone.

    On a file system without permissions it stays as it is: reading continues.
    """
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode) != (mode == FOLDER):
            return
        if os.name == "posix" and found.st_uid == os.geteuid() and found.st_mode & _OTHERS:
            path.chmod(found.st_mode & mode)
    except OSError:
        return
