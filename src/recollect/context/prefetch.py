"""Reads project files ahead for an agent, never outside the project's root.

Links are resolved first, then the location is checked, then only a regular file is opened. A memory
that names a path outside the root, or a link that leads there, causes no read.
"""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from recollect.vocabulary.memory import Memory

MAX_FILES: Final = 12
MAX_TOKENS: Final = 32_000
_LONGEST: Final = 8_000  # characters of one file
_CUT: Final = "\n[... the file goes on]"
#: Flags for reading without following a final symbolic link and without blocking on a pipe.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_inside(root: Path, path: str, limit: int = _LONGEST) -> str | None:
    """Beginning of a file of the project; None for anything else."""
    try:
        home = root.resolve(strict=True)
        place = (home / path).resolve(strict=True)
        if not place.is_relative_to(home):
            return None
        opened = os.open(place, _FLAGS)
    except (OSError, ValueError, RuntimeError):
        return None
    with os.fdopen(opened, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return None
        start = file.read(limit * 4 + 1)
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return None
        text = start[: error.start].decode("utf-8")
    if "\x00" in text:
        return None
    return text if len(text) <= limit else text[:limit] + _CUT


def wanted_files(patterns: Sequence[Memory], foretold: Iterable[str] = ()) -> list[str]:
    """Files to read ahead: always needed first, then often needed, then predicted."""
    always = [path for one in patterns for path in one.extras.get("always_read_files", ())]
    often = [path for one in patterns for path in one.extras.get("frequently_read_files", ())]
    return list(dict.fromkeys([*always, *often, *foretold]))


def read_ahead(
    root: Path, paths: Iterable[str], count: Callable[[str], int]
) -> list[tuple[str, str]]:
    """Files with their text, as many as the budget allows."""
    room = MAX_TOKENS
    kept: list[tuple[str, str]] = []
    for path in paths:
        if len(kept) == MAX_FILES:
            break
        text = read_inside(root, path)
        if text is None:
            continue
        tokens = count(text)
        if tokens <= room:
            room -= tokens
            kept.append((path, text))
    return kept
