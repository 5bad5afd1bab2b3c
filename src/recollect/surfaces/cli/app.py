"""Root command: global options, help, and dispatch to every other command."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from recollect.surfaces.cli import catalogue
from recollect.surfaces.cli.command import CliGroup, built, command
from recollect.surfaces.cli.deferred_modules import load_all
from recollect.surfaces.cli.faults import guarded
from recollect.surfaces.cli.session import CommandContext
from recollect.surfaces.cli.start_up import loading


class Commands(CliGroup):
    """Group of all commands. Each is loaded when it is requested."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(self.list_commands(None), self)  # for 'did you mean'

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, in the order of the table."""
        return [entry.name for entry in catalogue.entries()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load and return the command of that name."""
        entry = catalogue.entry(cmd_name)
        if entry is None:
            return None
        with loading():
            if entry not in catalogue.SHORT:
                load_all()
            found = entry.load()
        return get_command(found) if isinstance(found, typer.Typer) else built(cmd_name, found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands under their headings, from the table alone."""
        width = max(len(entry.name) for entry in catalogue.entries())
        for heading, section in catalogue.SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{e.name:{width}}", e.summary) for e in section])

    def main(self, *arguments: Any, **settings: Any) -> NoReturn:
        """Run the command line; every outcome is an exit code."""
        typed = settings.pop("args", None)
        given = list(sys.argv[1:] if typed is None else typed)
        name = settings.pop("prog_name", None) or "recollect"
        settings["standalone_mode"] = False
        run = super().main
        sys.exit(guarded(lambda: run(args=given, prog_name=name, **settings), given))


app = typer.Typer(
    cls=Commands,
    name="recollect",
    rich_markup_mode=None,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    help="Recollect: a memory for AI agents and the people who work with them.",
    epilog="Everything stays in one file on this machine. 'recollect COMMAND --help' says more.",
)


def start(
    session: CommandContext,
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """With no command: the help, or the version."""
    if version:
        from recollect.surfaces.cli.commands.reports import version as tell

        tell(session)
    elif session.options.json:
        raise typer.TyperException("Name a command.")
    else:
        session.write(context.get_help())


app.callback()(command(start))


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        get_command(app).main(args=list(arguments), prog_name="recollect")
    except SystemExit as end:
        return int(end.code or 0)
    return 0
