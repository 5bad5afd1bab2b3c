"""Memory inside the agents people use: putting it in, taking it out, and whether events arrive."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from recollect.surfaces.cli.command import Command, Group, command
from recollect.surfaces.cli.session import Session

if TYPE_CHECKING:
    from recollect.surfaces.cli.views.screen import Screen

Agent = Annotated[str, Argument(metavar="AGENT", help="claude-code, codex or cursor.")]
User = Annotated[bool, Option("--user-wide", help="For all your projects, not only this one.")]
Shared = Annotated[
    bool, Option("--shared", help="In the settings that the project's people share.")
]


def install(
    session: Session, agent: Agent = "claude-code", user_wide: User = False, shared: Shared = False
) -> None:
    """Put hooks and MCP server into an agent's settings; nothing else there is touched."""
    from recollect.context.projects import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks import installing

    _check_system()
    project = project_of(Path.cwd())
    with session.open_project(project.space) as memory:  # so that all commands here work in it
        space = memory.space.name
    changes = installing.install(agent, _scope(user_wide, shared), project.root, agent_folder())
    _tell(session, changes, f"Events of this project go to the space {space!r}.")


def uninstall(
    session: Session, agent: Agent = "claude-code", user_wide: User = False, shared: Shared = False
) -> None:
    """Take out of an agent's settings exactly what was put in."""
    from recollect.context.projects import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks import installing

    root = project_of(Path.cwd()).root
    changes = installing.uninstall(agent, _scope(user_wide, shared), root, agent_folder())
    _tell(session, changes, "What was learned is kept." if changes else "There was nothing of it.")


def everything(session: Session) -> None:
    """Put memory into the agent you use, or out of it."""
    status(session)


def status(session: Session, agent: Agent = "claude-code") -> None:
    """Say whether an agent is set up here and whether its events arrive."""
    from recollect.context.projects import project_of
    from recollect.settings import agent_folder
    from recollect.surfaces.hooks.status import status_of

    found = status_of(agent, project_of(Path.cwd()), agent_folder())
    session.answer(found, lambda screen: _draw(screen, found))


def plugin(
    session: Session,
    folder: Annotated[str, Argument(metavar="FOLDER", help="A new or empty folder.")],
) -> None:
    """Write the hooks and the MCP server as a Claude Code plugin folder."""
    from recollect.settings import agent_folder
    from recollect.surfaces.cli.views.screen import Span
    from recollect.surfaces.hooks import plugin as writing

    _check_system()
    place = Path(folder).expanduser().absolute()
    written = writing.write(place, agent_folder())
    answer = {"folder": str(place), "files": [str(path.relative_to(place)) for path in written]}
    session.answer(
        answer, lambda screen: screen.line(Span(f"Wrote {len(written)} files to {place}."))
    )


def _scope(user_wide: bool, shared: bool) -> str:
    from typer import BadParameter

    if user_wide and shared:
        raise BadParameter("--user-wide and --shared do not go together.")
    return "user" if user_wide else "shared" if shared else "project"


def _check_system() -> None:
    from recollect.vocabulary.errors import InvalidSetting

    if os.name != "posix":
        raise InvalidSetting(
            "Hooks need a system with Unix sockets. Nothing was changed.",
            hint="Use the MCP server instead: recollect mcp.",
        )


def _tell(session: Session, changes: list[Any], after: str) -> None:
    from recollect.surfaces.cli.views.screen import Span

    answer = {"files": [{"file": str(one.file), "done": one.done} for one in changes]}

    def draw(screen: "Screen") -> None:
        for one in changes:
            screen.line(Span(f"{one.done.capitalize()} {one.file}"))
        screen.line(Span(after))

    session.answer(answer, draw)


def _draw(screen: "Screen", found: Any) -> None:
    from recollect.surfaces.cli.views.screen import Span

    for file in found.files:
        mark = Span("in place  ", "green") if file.whole else Span("missing   ", "yellow")
        screen.line(mark, Span(f"{file.file} ({file.scope})"))
    screen.line(Span(found.sentence))
    for line in found.lines:
        screen.line(Span(f"  {line}"))


agent = Typer(cls=Group, add_completion=False, rich_markup_mode=None, invoke_without_command=True)
agent.callback()(command(everything))
agent.command("install", cls=Command)(command(install))
agent.command("uninstall", cls=Command)(command(uninstall))
agent.command("status", cls=Command)(command(status))
agent.command("plugin", cls=Command)(command(plugin))
