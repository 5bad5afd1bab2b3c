"""Commands for agent integration: install, uninstall, status, plugin."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine.for_surfaces import Project
    from recollect.surfaces.cli.views.screen import Screen

Agent = Annotated[str, Argument(metavar="AGENT", help="claude-code, codex or cursor.")]
User = Annotated[bool, Option("--user-wide", help="For all your projects, not only this one.")]
Shared = Annotated[bool, Option("--shared", help="In the settings file that the project shares.")]


def install(
    session: CommandContext,
    agent: Agent = "claude-code",
    user_wide: User = False,
    shared: Shared = False,
) -> None:
    """Add hooks and the MCP server to an agent's settings; nothing else is changed.

    The agent's memory will use the --db, --space, --user and --embedder given here, wherever it
    is started.
    """
    from recollect.engine.for_surfaces import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks import installer

    _check_system()
    scope = _scope(user_wide, shared)
    named, warnings = _named(session)
    setup = installer.Setup(agent_folder(), named)
    project = project_of(Path.cwd())
    installer.targets(agent, scope, project.root, setup)  # an unknown agent must not create a space
    where = "Events of each project go to a space of its own."
    hints = []
    if session.space_named or scope != "user":
        with session.open_project(project.space) as memory:  # commands in this folder then use it
            where = f"Events go to the space {memory.space.name!r} of {_store(session)}."
            others = [space.name for space in memory.spaces() if space.id != memory.space.id]
        if not session.space_named and "default" in others:
            hints.append(
                "From now on commands in this folder work in that space. What was kept before is "
                "in the space 'default': add --space default to find it."
            )
    changes = installer.install(agent, scope, project.root, setup)
    if not changes:
        where = f"Nothing changed: it is set up already. {where}"
    _report(
        session,
        changes,
        where,
        [*warnings, *_missing(), *(hints if changes else ()), *_shared_file(changes, shared)],
    )


def uninstall(
    session: CommandContext,
    agent: Agent = "claude-code",
    user_wide: User = False,
    shared: Shared = False,
) -> None:
    """Remove from an agent's settings exactly what was added."""
    from recollect.engine.for_surfaces import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks import installer
    from recollect.surfaces.hooks.status import running

    setup = installer.Setup(agent_folder())
    project = project_of(Path.cwd())
    scope = _scope(user_wide, shared)
    home = installer.installed_home(agent, scope, project.root, setup) or setup.home
    changes = installer.uninstall(agent, scope, project.root, setup)
    _report(session, changes, _kept(session, project) if changes else "There was nothing of it.")
    daemon = running(home)
    if changes and daemon is not None:
        session.note(
            f"The daemon ({daemon}) still runs: other projects may use it. It ends by itself "
            f"after {session.settings['agent_idle'].text} seconds without an event."
        )


def _kept(session: CommandContext, project: "Project") -> str:
    """Message that learned memories stay; and where, if the folder has its own space."""
    if session.store_exists:
        with session.open(embedder="none") as memory:
            name = project.space
            if any(space.name == name for space in memory.spaces()):
                named = shlex.quote(name)
                return (
                    f"What was learned is kept. Commands in this folder still work in its space, "
                    f"{name!r}; to delete that too: "
                    f"recollect spaces delete --space {named} --confirm {named}"
                )
    return "What was learned is kept."


def everything(session: CommandContext) -> None:
    """Install into the agent you use, or uninstall."""
    status(session)


def status(session: CommandContext, agent: Agent = "claude-code") -> None:
    """Show whether an agent is set up here and whether its events arrive."""
    from recollect.engine.for_surfaces import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks.status import status_of

    found = status_of(agent, project_of(Path.cwd()), agent_folder())
    session.answer(found, lambda screen: _draw(screen, found))


def plugin(
    session: CommandContext,
    folder: Annotated[str, Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Write the hooks and the MCP server as a Claude Code plugin folder."""
    from recollect.settings import agent_folder
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.hooks import plugin as writing
    from recollect.surfaces.hooks.installer import Setup

    _check_system()
    place = Path(folder).expanduser().absolute()
    named, warnings = _named(session)
    written = writing.write(place, Setup(agent_folder(), named))
    answer = {"folder": str(place), "files": [str(path.relative_to(place)) for path in written]}
    session.answer(
        answer, lambda screen: screen.line(StyledText(f"Wrote {len(written)} files to {place}."))
    )
    for warning in (*warnings, *_missing()):
        session.note(warning)


def _scope(user_wide: bool, shared: bool) -> str:
    from typer import BadParameter

    if user_wide and shared:
        raise BadParameter("--user-wide and --shared do not go together.")
    return "user" if user_wide else "shared" if shared else "project"


def _named(session: CommandContext) -> tuple[dict[str, str], list[str]]:
    """Options for the agent's memory, with absolute paths; and warnings.

    An agent may be started with other environment variables, so those that name the store count as
    given. A password is never written into an agent's settings, which others may read.
    """
    from recollect.vocabulary.errors import InvalidSetting

    values = session.settings
    named = {name: values[name] for name in ("db", "space", "user", "embedder")}
    given = {
        name: value.text
        for name, value in named.items()
        if value.origin == "call" or (name in ("db", "space") and value.origin == "environment")
    }
    if "db" in given and named["db"].shown != named["db"].text:
        if named["db"].origin == "call":
            raise InvalidSetting(
                "The address holds a password, which would stand in the agent's settings. "
                "Nothing was changed.",
                hint="Keep it with 'recollect settings set db ...' and install without --db.",
            )
        del given["db"]
        return given, [
            "RECOLLECT_DB holds a password and was not written down: the agent needs it too."
        ]
    if "db" in given and "://" not in given["db"]:
        given["db"] = str(Path(given["db"]).expanduser().resolve())
    if "db" in given and named["db"].origin == "call":
        return given, [
            "Commands that you type work in your own store unless you say otherwise: "
            f"add --db {given['db']}, or set RECOLLECT_DB to it."
        ]
    return given, []


def _shared_file(changes: list[Any], shared: bool) -> list[str]:
    """Warning for a settings file inside the project that names a path of this machine."""
    named = [one.file for one in changes if one.file.name == ".mcp.json"]
    if not named or shared:
        return []
    return [
        f"{named[0].name} names the program by its path on this machine: keep it out of version "
        "control, or commit it with --shared on purpose. The agent asks once whether it may start "
        "the server that stands there."
    ]


def _missing() -> list[str]:
    """Parts that are missing in this installation for the agent's memory or its user."""
    import shutil
    import sys
    from importlib.util import find_spec

    warnings = []
    if shutil.which("recollect") is None:
        folder = Path(sys.executable).parent
        warnings.append(
            "'recollect' is not on your PATH. The agent does not need it, but commands such as "
            f"'recollect review' do: add {folder} to the PATH."
        )
    if find_spec("mcp") is None:
        from recollect.vocabulary.optional_parts import how_to_install

        warnings.append(
            f"The MCP server cannot start: its library is not installed. {how_to_install('mcp')}"
        )
    return warnings


def _store(session: CommandContext) -> str:
    shown = session.settings["db"].shown
    return shown if "://" in shown else str(session.place.resolve())


def _check_system() -> None:
    from recollect.vocabulary.errors import InvalidSetting

    if os.name != "posix":
        raise InvalidSetting(
            "Hooks need a system with Unix sockets. Nothing was changed.",
            hint="Use the MCP server instead: recollect mcp.",
        )


def _report(
    session: CommandContext, changes: list[Any], after: str, warnings: Sequence[str] = ()
) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    answer = {
        "files": [{"file": str(one.file), "done": one.done} for one in changes],
        "warnings": list(warnings),
    }

    def draw(screen: "Screen") -> None:
        for one in changes:
            screen.line(StyledText(f"{one.done.capitalize()} {one.file}"))
        screen.line(StyledText(after))

    session.answer(answer, draw)
    for warning in warnings:
        session.note(warning)


def _draw(screen: "Screen", found: Any) -> None:
    from recollect.surfaces.cli.views.screen import StyledText

    for file in found.files:
        mark = (
            StyledText("in place  ", "green") if file.whole else StyledText("missing   ", "yellow")
        )
        screen.line(mark, StyledText(f"{file.file} ({file.scope})"))
    screen.line(StyledText(found.sentence))
    for line in found.lines:
        screen.line(StyledText(f"  {line}"))


agent = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
agent.callback()(command(everything))
agent.command("install", cls=CliCommand)(command(install))
agent.command("uninstall", cls=CliCommand)(command(uninstall))
agent.command("status", cls=CliCommand)(command(status))
agent.command("plugin", cls=CliCommand)(command(plugin))
