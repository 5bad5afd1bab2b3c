"""Scratchpads on disk, so that a crash costs at most what came after the last checkpoint.

A checkpoint is written beside its place and then put there in one move: whoever reads finds the
old one or the new one, never half of one. One that cannot be read counts as none.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from recollect.observer.observer import Observer
from recollect.vocabulary.files import private_file, private_folder


class Checkpoints:
    """A folder of checkpoints, one for each session that runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, observer: Observer) -> bool:
        """Write an observer down; False when the disk does not take it."""
        text = json.dumps(observer.checkpoint(), ensure_ascii=False, separators=(",", ":"))
        target = self._path(observer.session)
        beside = target.with_suffix(f".{os.getpid()}.new")
        try:
            private_folder(self._folder)
            with private_file(beside, errors="replace") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            return False
        return True

    def load(self, session: str) -> Observer | None:
        """The observer of a session as it was written down last."""
        try:
            found = json.loads(self._path(session).read_text("utf-8"))
            observer = Observer.restore(found)
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            return None
        return observer if observer.session == session else None

    def drop(self, session: str) -> None:
        """The session is over, and what it taught is kept."""
        with suppress(OSError):
            self._path(session).unlink(missing_ok=True)

    def sessions(self) -> list[str]:
        """The sessions that were not finished."""
        names: list[str] = []
        for path in sorted(self._folder.glob("*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                names.append(str(json.loads(path.read_text("utf-8"))["session"]))
        return names

    def _path(self, session: str) -> Path:
        name = hashlib.blake2b(session.encode("utf-8", "replace"), digest_size=12).hexdigest()
        return self._folder / f"{name}.json"
