"""Context commands: assemble under a token budget, predict, expand."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from recollect.surfaces.cli.session import CommandContext

Task = Annotated[list[str] | None, Argument(metavar="TASK", help="The task, in a sentence.")]
OpenFile = Annotated[
    list[str] | None,
    Option("--file", metavar="PATH", help="A file being worked on; the first is the open one."),
]
Errors = Annotated[
    list[str] | None, Option("--error", metavar="TEXT", help="The text of an error, or @FILE.")
]
Branch = Annotated[str, Option("--branch", metavar="NAME", help="The current git branch.")]
People = Annotated[
    list[str] | None, Option("--with", metavar="USER", help="A collaborator; may be repeated.")
]


def assemble(
    session: CommandContext,
    task: Task = None,
    *,
    budget: Annotated[
        int, Option("--budget", metavar="TOKENS", help="Never more tokens than this.")
    ] = 8_000,
    file: OpenFile = None,
    error: Errors = None,
    branch: Branch = "",
    activity: Annotated[
        str,
        Option(
            "--activity", metavar="NAME", help="coding, debugging, starting, reviewing, refining."
        ),
    ] = "coding",
    people: People = None,
    model: Annotated[
        str | None, Option("--model", metavar="NAME", help="Count with this model's tokenizer.")
    ] = None,
    left_out: Annotated[
        bool, Option("--left-out", help="Also list what did not fit, with the reason.")
    ] = False,
    personal: Annotated[
        bool, Option("--personal", help="Include facts about you, not only your wishes.")
    ] = False,
) -> None:
    """Assemble context for a prompt, within a budget.

    Four tiers: critical, relevant, background and an index of what 'recollect expand' opens.
    """
    from recollect.surfaces.cli.views import context

    signals = {**_signals(task, file, error, branch, people), "activity": activity}
    with session.open() as memory:
        found = memory.assemble(budget, signals, model=model, personal=personal)
    session.answer(found, lambda screen: context.assembled(screen, found, left_out))
    if not found.context:
        session.note_nothing("Nothing fits, or nothing is kept here yet.")


def predict(
    session: CommandContext,
    task: Task = None,
    *,
    file: OpenFile = None,
    error: Errors = None,
    branch: Branch = "",
    people: People = None,
) -> None:
    """Predict which memories will be needed."""
    from recollect.surfaces.cli.views import context

    with session.open() as memory:
        found = memory.predict(_signals(task, file, error, branch, people))
    session.answer(found, lambda screen: context.predicted(screen, found))


def expand(
    session: CommandContext,
    identifiers: Annotated[list[str], Argument(metavar="ID...", help="Ids, or the ends of ids.")],
) -> None:
    """Show the full text of memories in a context."""
    from recollect.surfaces.cli.views import context

    with session.open() as memory:
        found = memory.expand(*identifiers)
    session.answer({"memories": found}, lambda screen: context.opened(screen, found))


def _signals(
    task: list[str] | None,
    files: list[str] | None,
    errors: list[str] | None,
    branch: str,
    people: list[str] | None,
) -> dict[str, Any]:
    named = files or []
    return {
        "task": " ".join(task or ()),
        "current_file": named[0] if named else None,
        "files": named[1:],
        "recent_errors": [_text(one) for one in errors or ()],
        "branch": branch,
        "collaborators": people or [],
    }


def _text(given: str) -> str:
    """Text of an error as it was given, or the content of a file."""
    if not given.startswith("@"):
        return given
    return Path(given[1:]).read_text("utf-8", "replace")[:20_000]
