"""Hook status: whether an agent is set up, the daemon runs, and events arrive."""

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.engine.for_surfaces import Project
from recollect.surfaces.hooks.daemon_folder import options_of
from recollect.surfaces.hooks.installer import Setup, installed, installed_home
from recollect.surfaces.hooks.spool import Spool


@dataclass(frozen=True, slots=True)
class FileState:
    """State of one settings file."""

    file: str
    scope: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Status of an agent's installation."""

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
        """The status in one sentence."""
        if not self.set_up:
            return (
                f"{self.agent} is not set up here; 'recollect agent install {self.agent}' does it."
            )
        if not self.figures.get("events") and not self.waiting_bytes:
            return "It is set up; no event has arrived yet. Start a session and look again."
        return "It is set up, and events arrive."

    @property
    def lines(self) -> list[str]:
        """Details of the status, one per line."""
        status_lines = [f"space: {self.space}"]
        if self.store:
            status_lines.append(f"store: {self.store}")
        status_lines.append(
            f"daemon: running ({self.daemon})" if self.daemon else "daemon: not running now"
        )
        if self.figures:
            status_lines.append(
                f"since it started: {self.figures.get('events', 0):,} events, "
                f"{self.figures.get('answered', 0):,} answered with context, "
                f"{self.figures.get('unreadable', 0):,} unreadable, "
                f"{self.figures.get('faults', 0):,} faults"
            )
            status_lines.append(f"last event: {self.figures.get('last_at') or 'none'}")
        if self.waiting_bytes:
            status_lines.append(f"in the spool: {self.waiting_bytes:,} bytes")
        return status_lines


def status_of(agent: str, project: Project, base: Path) -> Status:
    """Status of an agent in a project, read from where its hooks are installed to report."""
    setup = Setup(base)
    files: dict[str, FileState] = {}
    homes: list[Path] = []
    for scope, found in _scopes(agent, project, setup):
        for path, whole in found:  # one file may serve two scopes
            files.setdefault(str(path), FileState(str(path), scope, whole))
        hooks = installed_home(agent, scope, project.root, setup)
        homes += [] if hooks is None else [hooks]
    home = homes[0] if homes else base
    named = options_of(home)
    return Status(
        agent,
        named.get("space") or project.space,
        named.get("db"),
        tuple(files.values()),
        any(one.whole for one in files.values()),
        running(home),
        Spool(home).size() if home.is_dir() else 0,
        _figures(home),
    )


def _scopes(
    agent: str, project: Project, setup: Setup
) -> list[tuple[str, list[tuple[Path, bool]]]]:
    """Scopes with all hooks in place, nearest first; else the nearest with any part."""
    found = [
        (scope, installed(agent, scope, project.root, setup))
        for scope in ("project", "shared", "user")
    ]
    with_hooks = [(scope, files) for scope, files in found if files[0][1]]
    parts = [(scope, files) for scope, files in found if any(whole for _, whole in files)]
    return with_hooks or parts[:1]


def running(home: Path) -> int | None:
    """Process id of the daemon, when a process holds the lock."""
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
