"""Recent actions of the command line, so that 'recollect undo' needs no code.

Each command is a separate process, and the key to restore a forgotten entry is in no store. So a
command records its action in a file of the person's: in the folder that lasts as long as a login
(``XDG_RUNTIME_DIR``, which is in memory), or beside their settings without one. The file holds ids
and, for a quarter of an hour, undo codes of forgotten entries; never any content.
"""

import json
import os
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.files import private_file, private_folder

if TYPE_CHECKING:
    from recollect.engine import Recollect

_CODES_LAST: Final = timedelta(minutes=15)
_ACTIONS_LAST: Final = timedelta(days=1)
_MAX_ACTIONS: Final = 100


class RecentAction(NamedTuple):
    """An action of a command on a memory, or the undo code of a forgotten entry."""

    at: datetime
    space: str
    user: str
    action: str
    subject: str
    code: str = ""


def note_action(memory: "Recollect", action: str, subject: str) -> None:
    """Record an action on a memory."""
    _add(RecentAction(system_clock(), memory.space.id, memory.viewer.user, action, subject))


def note_code(memory: "Recollect", code: str) -> bool:
    """Record the undo code of a forgotten entry; False when that is not possible."""
    audit_id = code.partition(".")[0]
    return _add(
        RecentAction(system_clock(), memory.space.id, memory.viewer.user, "code", audit_id, code)
    )


def last_action(memory: "Recollect") -> RecentAction | None:
    """This person's last action on a memory of this space by a command, within a day."""
    return next((one for one in _of(memory) if one.action != "code"), None)


def code_of(memory: "Recollect", audit_id: str) -> str | None:
    """Undo code of a forgotten entry, by its id in the audit log."""
    found = (one.code for one in _of(memory) if one.action == "code" and one.subject == audit_id)
    return next(found, None)


def _of(memory: "Recollect") -> Iterable[RecentAction]:
    mine = memory.space.id, memory.viewer.user
    return [one for one in reversed(_read()) if (one.space, one.user) == mine]


def _place() -> Path:
    import platformdirs

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(runtime) / "recollect" if runtime else platformdirs.user_config_path("recollect")
    return folder / "recent-actions.json"


def _add(action: RecentAction) -> bool:
    kept = [*_read(), action][-_MAX_ACTIONS:]
    place = _place()
    try:
        private_folder(place.parent)
        with private_file(place) as file:
            json.dump([{**one._asdict(), "at": one.at.isoformat()} for one in kept], file)
    except OSError:  # read-only file system: the command itself has succeeded
        return False
    return True


def _read() -> list[RecentAction]:
    try:
        found = json.loads(_place().read_text("utf-8"))
        read = [_action(one) for one in found]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []
    now = system_clock()
    return [
        one
        for one in read
        if now - one.at < (_CODES_LAST if one.action == "code" else _ACTIONS_LAST)
    ]


def _action(found: dict[str, Any]) -> RecentAction:
    fields = {name: str(found[name]) for name in RecentAction._fields if name != "at"}
    return RecentAction(datetime.fromisoformat(found["at"]), **fields)
