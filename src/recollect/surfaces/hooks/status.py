"""Whether an agent is set up, whether the daemon runs, and whether events arrive."""

import fcntl
import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.engine.for_surfaces import Project
from recollect.surfaces.hooks.daemon_folder import options_of
from recollect.surfaces.hooks.installer import Setup, installed, installed_home
from recollect.surfaces.hooks.spool import Spool


@dataclass(frozen=True, slots=True)
class FileState:
    """One file of settings."""

    file: str
    scope: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Status:
    """How it stands."""

    agent: str
    space: str
    store: str | None
    files: tuple[FileState, ...]
    set_up: bool
    daemon: int | None
    waiting_bytes: int
    figures: dict[str, Any]

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        if not self.set_up:
            return (
                f"{self.agent} is not set up here; 'recollect agent install {self.agent}' does it."
            )
        if not self.figures.get("events") and not self.waiting_bytes:
            return "It is set up; no event has arrived yet. Start a session and look again."
        return "It is set up, and events arrive."

    @property
    def lines(self) -> list[str]:
        """The rest."""
        told = [f"space: {self.space}"]
        if self.store:
            told.append(f"store: {self.store}")
        told.append(
            f"daemon: running ({self.daemon})" if self.daemon else "daemon: not running now"
        )
        if self.figures:
            told.append(
                f"since it started: {self.figures.get('events', 0):,} events, "
                f"{self.figures.get('answered', 0):,} answered with context, "
                f"{self.figures.get('unreadable', 0):,} unreadable, "
                f"{self.figures.get('faults', 0):,} faults"
            )
            told.append(f"last event: {self.figures.get('last_at') or 'none'}")
        if self.waiting_bytes:
            told.append(f"in the spool: {self.waiting_bytes:,} bytes")
        return told


def status_of(agent: str, project: Project, base: Path) -> Status:
    """How an agent stands in a project: where its hooks were set up to go, whatever is set here."""
    files: list[FileState] = []
    home, setup = base, Setup(base)
    standing = {
        scope: installed(agent, scope, project.root, setup)
        for scope in ("user", "shared", "project")
    }
    uses = Counter(path for found in standing.values() for path, _ in found)
    for scope, found in standing.items():
        own = [whole for path, whole in found if uses[path] == 1]
        if any(own):  # a file that two scopes share does not say which of them was set up
            files[:0] = [FileState(str(path), scope, whole) for path, whole in found]
            home = installed_home(agent, scope, project.root, setup) or home
    files = list({one.file: one for one in reversed(files)}.values())[::-1]
    named = options_of(home)
    return Status(
        agent,
        named.get("space") or project.space,
        named.get("db"),
        tuple(files),
        any(one.whole for one in files),
        running(home),
        Spool(home).size() if home.is_dir() else 0,
        _figures(home),
    )


def running(home: Path) -> int | None:
    """The daemon's process, when one holds the lock."""
    try:
        lock = os.open(home / "daemon.lock", os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        try:
            return int((home / "daemon.pid").read_text())
        except (OSError, ValueError):
            return None
    finally:
        os.close(lock)
    return None


def _figures(home: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((home / "status.json").read_text("utf-8")))
    except (OSError, ValueError):
        return {}
