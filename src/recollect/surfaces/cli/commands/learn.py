"""Command ``learn``: learns from finished agent sessions, and from a repository's commits."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from recollect.surfaces.cli.faults import Stopped
from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import ImportFailed, InvalidInput


def learn(
    session: CommandContext,
    source: Annotated[
        str | None,
        Argument(metavar="PATH", help="Transcripts: a file, or a folder with them."),
    ] = None,
    git: Annotated[
        str | None,
        Option("--git", metavar="DIR", help="Learn from this repository's commits too."),
    ] = None,
    history: Annotated[
        bool,
        Option(
            "--history/--no-history",
            help="Keep the sessions too, as 'import transcripts' does, so that memories cite them.",
        ),
    ] = True,
) -> None:
    """Learn from sessions of agents, and from git.

    The sessions are stored as events first, because what is learned cites them. Running it again
    adds nothing twice.
    """
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import observed
    from recollect.surfaces.cli.views.words import counted

    if source is None and git is None:
        raise InvalidInput("Give a PATH with transcripts, or --git with a repository.")
    if source == "git" and not Path(source).exists():
        raise InvalidInput(
            "There is no file 'git'.",
            hint="To learn from a repository's commits: recollect learn --git .",
        )
    if source is not None and history:
        _keep_sessions(session, source)
    with session.open(makes=True) as memory, measuring(session, "Learning") as advance:
        learning = memory.learning
        commits = 0 if git is None else learning.bootstrap(git)
        stated = [] if git is None else learning.learn_messages(git)
        lessons = (
            []
            if source is None
            else learning.replay(
                source, progress=lambda done, _: advance(done, None, counted(done, "session"))
            )
        )
        session.report_space(memory)
    answer = {
        "sessions": len(lessons),
        "commits": commits,
        "memories": [*stated, *(memory for lesson in lessons for memory in lesson.memories)],
    }
    session.answer(answer, lambda screen: observed.learned(screen, lessons, commits, stated))


def _keep_sessions(session: CommandContext, source: str) -> None:
    """Import the transcripts, and say what of them could not be read."""
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views.words import counted

    try:
        with session.open(makes=True) as memory, measuring(session, "Importing") as advance:
            report = memory.import_(
                source,
                format="transcripts",
                progress=lambda done, total, read: advance(done, total, f"{read:,} read"),
            )
    except ImportFailed as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise Stopped(str(error)) from None
        raise
    if report.skipped:
        session.note(f"{counted(report.skipped, 'line')} could not be kept:")
        for problem in report.problems:
            session.note(f"  {problem}")
