"""Checkpoint files of the daemon's sessions: position reached in the spool, and session state.

There is one file per session. Each is replaced atomically, so that a reader finds the old or the
new one. A file that cannot be read is removed: the spool still holds the events that it covered.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.engine.agent_session import Progress
from recollect.surfaces.hooks.live import LiveSession
from recollect.surfaces.hooks.spool import SpoolPosition
from recollect.vocabulary.files import keep_private, private_file, private_folder

Known = Mapping[str, Any]


class SessionFiles:
    """Folder of session checkpoints."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        private_folder(self._folder)
        for file in self._folder.glob("*.json"):
            keep_private(file)

    def get(self, key: str) -> Known | None:
        """Return the checkpoint of a session."""
        try:
            return dict(json.loads(self._path(key).read_text("utf-8")))
        except (OSError, ValueError):
            return None

    def all(self) -> dict[Path, Known]:
        """Return every checkpoint by its file."""
        found: dict[Path, Known] = {}
        for path in self._folder.glob("*.json"):
            try:
                found[path] = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                path.unlink(missing_ok=True)
        return found

    def oldest(self, live: tuple[str, ...]) -> SpoolPosition | None:
        """Spool position before which every session is stored; None while one has none yet."""
        known = self.all()
        if any(self._path(key) not in known for key in live):
            return None
        places = [applied(one) for one in known.values() if not one["ended"]]
        return min(places, default=None)

    def drop_ended(self) -> None:
        """Delete checkpoints of ended sessions: the spool holds none of their events any more."""
        for path, known in self.all().items():
            if known["ended"]:
                path.unlink(missing_ok=True)

    def note_silence(self, key: str, silent: bool) -> None:
        """Record whether nothing of a session may be stored."""
        sign = self._path(key).with_suffix(".silent")
        if silent:
            sign.touch(mode=0o600)
        else:
            sign.unlink(missing_ok=True)

    def was_silent(self, key: str) -> bool:
        """Whether nothing of a session was to be stored when that was last known."""
        return self._path(key).with_suffix(".silent").exists()

    def write(self, key: str, live: LiveSession, *, ended: bool) -> None:
        """Write a session's checkpoint; for a session that ended, without anything said in it."""
        session = live.session.state()
        if ended:
            session |= {"calls": {}, "progress": Progress().state()}
        state = {
            "id": live.session.id,
            "root": str(live.root),
            "harness": live.harness,
            "ended": ended,
            "ending": live.ended and not ended,
            "ended_at": live.ended_at.isoformat() if live.ended and live.ended_at else None,
            "applied": list(live.applied),
            "grounded": live.grounded,
            "opened": live.opened,
            "transcript": live.transcript,
            "read": live.read,
            "heard_until": live.processed_until.isoformat() if live.processed_until else None,
            "last_words": "" if ended else live.last_words,
            "session": session,
            "observer": None if ended else live.session.recorder.observer.checkpoint(),
        }
        place = self._path(key)
        new = place.with_suffix(".new")
        with private_file(new) as file:
            file.write(json.dumps(state, ensure_ascii=False))
        new.replace(place)

    def _path(self, key: str) -> Path:
        """File for a session key, whatever characters the key has."""
        plain = "".join(c if c.isalnum() or c in "-_" else f"%{ord(c):x}" for c in key)
        return self._folder / f"{plain[:200]}.json"


def applied(known: Known) -> SpoolPosition:
    """Spool position up to which a checkpoint has applied events."""
    first, second = known["applied"]
    return SpoolPosition(int(first), int(second))


def processed_until(known: Known) -> datetime | None:
    """Time of the last message that was taken in; older checkpoints do not have it."""
    return _time(known, "heard_until")


def ended_at(known: Known) -> datetime | None:
    """Time at which a session ended; older checkpoints do not have it."""
    return _time(known, "ended_at")


def _time(known: Known, name: str) -> datetime | None:
    stored = known.get(name)
    return datetime.fromisoformat(stored) if isinstance(stored, str) else None
