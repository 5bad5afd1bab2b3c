"""Job commands: list failed jobs, and retry them."""

from typing import Annotated

from typer import Argument, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext


def list_jobs(session: CommandContext) -> None:
    """List failed jobs; retry them."""
    from recollect.surfaces.cli.views import reports

    with session.open() as memory:
        dead = memory.dead_jobs()
        queue = memory.stats()["queue"]
    session.answer({"dead": dead, "queue": queue}, lambda screen: reports.jobs(screen, dead))
    if dead:
        session.note("'recollect jobs retry' tries them all again.")
    else:
        session.note(f"No job of this space has failed. {reports.queue_sentence(queue)}")


def retry(
    session: CommandContext,
    job: Annotated[
        str | None, Argument(metavar="JOB", help="The id of a job; all of them otherwise.")
    ] = None,
) -> None:
    """Try a failed job again, or all of them."""
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    with session.open() as memory:
        retried = memory.retry_jobs(job)
    words = f"{counted(retried, 'job')} put back in the queue; 'recollect worker' does them."
    session.answer(
        {"retried": retried},
        lambda screen: screen.line(StyledText(words if retried else "No job was given up.")),
    )


jobs = Typer(cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True)
jobs.callback()(command(list_jobs))
jobs.command("retry", cls=CliCommand)(command(retry))
