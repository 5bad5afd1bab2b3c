"""Privacy check before a hook event is written to disk: drops incognito sessions and secrets.

The daemon runs this check before it appends an event to the spool. Without a daemon, a separate
process runs it and asks the store itself. A store that does not answer cannot say whether a session
is incognito; the last known state of the session is used then.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recollect.engine.for_surfaces import redacted_values
from recollect.surfaces.hooks.checkpoints import SessionFiles
from recollect.surfaces.hooks.event_formats import HookEvent, event_of
from recollect.surfaces.hooks.hook_call import REFUSED, write_down
from recollect.surfaces.hooks.spool import FRAME_START, Frame, SpoolPosition, frame_at

#: Says whether nothing of an event's session may be stored; None when that is unknown.
Silent = Callable[[HookEvent], bool | None]


def admitted(data: bytes, silent: Silent, files: SessionFiles) -> tuple[bytes, HookEvent | None]:
    """Return the frame that may be written (empty if none may) and its event, if it is one.

    A frame that cannot be read is written without its text, so that it is counted.
    """
    frame = whole(data)
    if frame is None:
        return b"", None
    event = event_of(frame.harness, frame.event, frame.payload)
    if event is None:
        return framed(frame, b""), None
    known = silent(event)
    if known is not None:
        files.note_silence(event.key, known)
    if files.was_silent(event.key) if known is None else known:
        return b"", event
    return framed(frame, payload_of(frame.payload)), event


def payload_of(payload: bytes) -> bytes:
    """JSON of an event with secrets removed."""
    clean: Any = redacted_values(json.loads(payload))
    return (
        json.dumps(clean, ensure_ascii=False).encode("utf-8", "replace").replace(FRAME_START, b" ")
    )


def framed(frame: Frame, payload: bytes) -> bytes:
    """Encode a frame in the format of the spool."""
    head = f"{frame.name} {len(payload)} {frame.harness} {frame.event}\n".encode()
    return FRAME_START + head + payload + b"\n"


def whole(data: bytes) -> Frame | None:
    """Decode the frame that a hook process sent; None when it is incomplete."""
    found = frame_at(data, 0)
    return None if found is None else Frame(*found[1], SpoolPosition(0, found[0]))


def write_one(folder: Path, data: bytes) -> int:
    """Write one event to the spool when there is no daemon; return the exit code."""
    os.umask(0o077)
    os.chdir(folder)
    try:
        kept, _ = admitted(data, _asked_of_the_store, SessionFiles(folder / "sessions"))
        if kept:
            write_down(kept)
    except OSError as error:
        sys.stdout.buffer.write(REFUSED + str(error).encode())
        return 1
    return 0


def _asked_of_the_store(event: HookEvent) -> bool | None:
    """Ask the store that the daemon would use; None when it does not answer."""
    from recollect import composition
    from recollect.engine.for_surfaces import project_of

    try:
        space = composition.agent_settings().space
        space = space or project_of(Path(event.folder or ".")).space
        with composition.open(worker=False) as memory:
            return memory.within(space=space).agents.keeps_nothing(event.session, event.harness)
    except Exception:  # noqa: BLE001 whatever is wrong with the store, the event is written down
        return None
