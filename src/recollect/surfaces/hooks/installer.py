"""Installs hooks and the MCP server in an agent's settings files, and uninstalls them exactly.

The parts of a file that the installer created (a missing object, the file itself) are recorded in
the daemon's folder, so that uninstalling leaves every other byte unchanged.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from recollect.surfaces.hooks import json_text
from recollect.surfaces.hooks.daemon_folder import drop_unused, home_of, keep_options
from recollect.surfaces.hooks.event_formats import EVENTS
from recollect.vocabulary.errors import InvalidInput, StoreError

HOOK: Final = Path(__file__).with_name("hook.py")
SERVER: Final = "recollect"
AGENTS: Final = ("claude-code", "codex", "cursor")
_BEFORE: Final = "Edit|Write|MultiEdit|NotebookEdit|Bash"
_TIMEOUTS: Final = {"SessionStart": 10, "UserPromptSubmit": 10, "SessionEnd": 2}
_CURSOR_EVENTS: Final = (
    "sessionStart",
    "beforeSubmitPrompt",
    "preToolUse",
    "postToolUse",
    "afterFileEdit",
    "afterShellExecution",
    "preCompact",
    "stop",
)


@dataclass(frozen=True, slots=True)
class FileChange:
    """Change that was made to a file."""

    file: Path
    done: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Base folder of the hooks, and the options named at installation (see ``daemon_folder``)."""

    base: Path
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """Folder in which the hooks reach their daemon."""
        return home_of(self.base, self.options)


@dataclass(frozen=True, slots=True)
class Target:
    """A settings file and its additions: members of objects, or items of lists, by their path."""

    file: Path
    items: tuple[tuple[tuple[str, ...], Any], ...] = ()
    members: tuple[tuple[tuple[str, ...], str, Any], ...] = ()


def targets(agent: str, scope: str, root: Path, setup: Setup) -> list[Target]:
    """Settings files of an agent for a scope: ``project``, ``shared`` or ``user``."""
    if agent not in AGENTS:
        raise InvalidInput(f"There is no agent {agent!r}.", hint=f"Known are: {', '.join(AGENTS)}.")
    base, home = Path.home() if scope == "user" else root, setup.home
    entry = server(setup.options)
    if agent == "cursor":
        hooks = tuple(
            ((("hooks", event)), _cursor_handler(home, event)) for event in _CURSOR_EVENTS
        )
        return [
            Target(base / ".cursor/hooks.json", hooks, (((), "version", 1),)),
            Target(base / ".cursor/mcp.json", members=((("mcpServers",), SERVER, entry),)),
        ]
    events = tuple((("hooks", event), _handler(home, agent, event)) for event in EVENTS)
    if agent == "codex":
        return [Target(base / ".codex/hooks.json", events)]
    name = {"project": ".claude/settings.local.json"}.get(scope, ".claude/settings.json")
    servers = base / (".claude.json" if scope == "user" else ".mcp.json")
    return [
        Target(base / name, events),
        Target(servers, members=((("mcpServers",), SERVER, entry),)),
    ]


def handlers(home: Path, agent: str) -> dict[str, list[dict[str, Any]]]:
    """Hook entries of an agent, by event."""
    return {event: [_handler(home, agent, event)] for event in EVENTS}


def command(home: Path, agent: str, event: str) -> list[str]:
    """Command line of the hook process."""
    return [sys.executable, "-I", "-S", str(HOOK), str(home), agent, event]


def server(options: Mapping[str, str] | None = None) -> dict[str, Any]:
    """MCP server entry: this installation by its absolute path, with the named options."""
    script = Path(sys.executable).with_name("recollect")
    program = [str(script)] if script.is_file() else [sys.executable, "-m", "recollect"]
    named = [word for name, value in (options or {}).items() for word in (f"--{name}", value)]
    return {"type": "stdio", "command": program[0], "args": [*program[1:], *named, "mcp"]}


def install(agent: str, scope: str, root: Path, setup: Setup) -> list[FileChange]:
    """Install hooks and server; existing entries are updated, or left when they are current."""
    record = _InstallRecord(setup.base)
    plans = [_plan(target, record) for target in targets(agent, scope, root, setup)]
    keep_options(setup.base, setup.options)
    changes = []
    for plan in plans:
        if plan.written != plan.text:
            record.note(plan.target.file, plan.made, created=plan.created)
            _write(plan.target.file, plan.written)
            changes.append(FileChange(plan.target.file, plan.done))
    slash = _slash(agent, scope, root)
    if slash is not None and not slash.exists():
        from recollect.surfaces.hooks.plugin import COMMAND

        _write(slash, COMMAND)
        changes.append(FileChange(slash, "made"))
    return changes


@dataclass(frozen=True, slots=True)
class _Plan:
    """Content of a file before and after the installation."""

    target: Target
    text: str | None
    written: str
    made: list[list[str]]
    created: bool
    done: str


def _plan(target: Target, record: "_InstallRecord") -> _Plan:
    """Plan the new content of a file: remove an earlier installation, add this one."""
    text = _read(target.file)
    bare = None if text is None else _without(text, target, record.made(target.file))
    if bare == json_text.EMPTY and record.created(target.file):
        bare = None
    made: list[list[str]] = []
    written = _with(json_text.EMPTY if bare is None else bare, target, made)
    done = "made" if text is None else "added to" if bare == text else "updated"
    return _Plan(target, text, written, made, bare is None, done)


def uninstall(agent: str, scope: str, root: Path, setup: Setup) -> list[FileChange]:
    """Remove exactly what was installed, whichever options were named."""
    record = _InstallRecord(setup.base)
    homes = {setup.home}
    changes = []
    for target in targets(agent, scope, root, setup):
        text = _read(target.file)
        if text is None:
            continue
        homes |= set(homes_in(text))
        left = _without(text, target, record.made(target.file))
        if left == text:
            continue
        if record.created(target.file) and left == json_text.EMPTY:
            target.file.unlink()
            _remove_empty(target.file.parent, root if scope != "user" else Path.home())
            changes.append(FileChange(target.file, "removed"))
        else:
            _write(target.file, left)
            changes.append(FileChange(target.file, "taken out of"))
        record.forget(target.file)
    slash = _slash(agent, scope, root)
    if slash is not None and _is_ours(slash):
        slash.unlink()
        top = root if scope != "user" else Path.home()
        for folder in (slash.parent, slash.parent.parent):
            _remove_empty(folder, top)
        changes.append(FileChange(slash, "removed"))
    for home in homes:
        drop_unused(setup.base, home)
    return changes


def _slash(agent: str, scope: str, root: Path) -> Path | None:
    """File of the command ``/remember``; None for agents without such commands."""
    base = Path.home() if scope == "user" else root
    return base / ".claude/commands/remember.md" if agent == "claude-code" else None


def _is_ours(slash: Path) -> bool:
    from recollect.surfaces.hooks.plugin import COMMAND

    try:
        return slash.read_text("utf-8") == COMMAND
    except (OSError, UnicodeDecodeError):
        return False


def installed(agent: str, scope: str, root: Path, setup: Setup) -> list[tuple[Path, bool]]:
    """Which files of a scope hold the expected entries."""
    found = []
    for target in targets(agent, scope, root, setup):
        text = _read(target.file)
        whole = text is not None and all(
            any(_ours(one) for one in _value(text, path) or ()) for path, _ in target.items
        )
        whole = whole and all(
            name == "version" or name in (_value(text or "{}", path) or {})
            for path, name, _ in target.members
        )
        found.append((target.file, whole))
    return found


def installed_home(agent: str, scope: str, root: Path, setup: Setup) -> Path | None:
    """Folder in which the installed hooks reach their daemon; None without hooks."""
    for target in targets(agent, scope, root, setup):
        text = _read(target.file)
        if target.items and text is not None:
            return next(homes_in(text), None)
    return None


def homes_in(text: str) -> Iterator[Path]:
    """Daemon folders that the hooks in a settings file name: the argument after the script."""
    for entries in (_value(text, ("hooks",)) or {}).values():
        for entry in entries if isinstance(entries, list) else ():
            if _ours(entry):
                yield from _homes(entry)


def _homes(entry: Any) -> Iterator[Path]:
    for handler in entry.get("hooks") or [entry]:
        words = handler.get("args") or shlex.split(str(handler.get("command", "")))
        for script, home in pairwise(words):
            if str(script).endswith("hook.py"):
                yield Path(home)


def _with(text: str, target: Target, made: list[list[str]]) -> str:
    for path, name, value in target.members:
        text = _ensured(text, path, "{}", made)
        if not json_text.has(text, (*path, name)):
            text = json_text.put_member(text, path, name, _shown(value))
            if not path:
                made.append([name])
    for path, value in target.items:
        text = _ensured(text, path, "[]", made)
        text = json_text.put_item(text, path, _shown(value))
    return text


def _ensured(text: str, path: Sequence[str], last: str, made: list[list[str]]) -> str:
    """The text with an object or list at the path, created if missing."""
    for depth in range(1, len(path) + 1):
        if not json_text.has(text, path[:depth]):
            value = last if depth == len(path) else "{}"
            text = json_text.put_member(text, path[: depth - 1], path[depth - 1], value)
            made.append(list(path[:depth]))
    return text


def _without(text: str, target: Target, made: Sequence[Sequence[str]]) -> str:
    for path, _ in reversed(target.items):
        text = json_text.take_out(text, path, lambda _, value: _ours(value))
    for path, name, _ in reversed(target.members):
        if path:
            text = _dropped(text, path, name)
    for path in reversed(made):
        if _value(text, path) in ({}, [], 1):
            text = _dropped(text, path[:-1], path[-1])
    return text


def _dropped(text: str, path: Sequence[str], name: str) -> str:
    return json_text.take_out(text, path, lambda key, _: key == name)


def _value(text: str, path: Sequence[str]) -> Any:
    value = json.loads(text)
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _ours(entry: Any) -> bool:
    """Whether a hook entry runs our hook process, of any installation."""
    said = json.dumps(entry)
    return "hook.py" in said and "recollect" in said


def _handler(home: Path, agent: str, event: str) -> dict[str, Any]:
    program, *arguments = command(home, agent, event)
    handler = {
        "type": "command",
        "command": program,
        "args": arguments,
        "timeout": _TIMEOUTS.get(event, 5),
    }
    if event == "PreToolUse":
        return {"matcher": _BEFORE, "hooks": [handler]}
    return {"hooks": [handler]}


def _cursor_handler(home: Path, event: str) -> dict[str, Any]:
    return {"command": shlex.join(command(home, "cursor", event)), "timeout": 5}


def _shown(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _read(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read: {error}. Nothing was changed.") from error
    try:
        whole = json_text.parsed(text)
    except (ValueError, RecursionError, IndexError) as error:
        raise InvalidInput(
            f"{path} is not JSON ({error}). Nothing was changed.", hint="Fix it first."
        ) from None
    if whole.kind != "object":
        raise InvalidInput(f"{path} holds no object. Nothing was changed.")
    return text


def _write(path: Path, text: str) -> None:
    """Write a file atomically with its previous permissions; a symbolic link stays a link."""
    try:
        place = path.resolve()
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f".{place.name}.recollect-new")
        with new.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        if place.exists():
            shutil.copymode(place, new)
        new.replace(place)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error}. Nothing was changed.") from error


def _remove_empty(folder: Path, top: Path) -> None:
    if folder != top and folder.is_dir() and not os.listdir(folder):
        folder.rmdir()


class _InstallRecord:
    """Record of the parts that the installer created in each file."""

    def __init__(self, home: Path) -> None:
        self._path = home / "installed.json"
        try:
            self._known: dict[str, Any] = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            self._known = {}

    def note(self, file: Path, made: list[list[str]], *, created: bool) -> None:
        """Record parts that are about to be created."""
        self._known[str(file)] = {"made": made, "created": created}
        self._keep()

    def forget(self, file: Path) -> None:
        """Remove the record of a part that was uninstalled."""
        if self._known.pop(str(file), None) is not None:
            self._keep()

    def made(self, file: Path) -> list[list[str]]:
        """Paths that the installer created."""
        return list(self._known.get(str(file), {}).get("made", ()))

    def created(self, file: Path) -> bool:
        """Whether the installer created the file itself."""
        return bool(self._known.get(str(file), {}).get("created"))

    def _keep(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path.write_text(json.dumps(self._known, indent=2), "utf-8")
