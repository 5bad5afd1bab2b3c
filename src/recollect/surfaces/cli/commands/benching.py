"""Measuring recall on a set of conversations, and its speed, on a store of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option, Typer

from recollect.surfaces.cli.command import Command, Group, command
from recollect.surfaces.cli.session import Session

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.bench.sets import Conversation

Data = Annotated[str, Option("--data", metavar="FILE", help="The file with the conversations.")]
ProfileName = Annotated[
    str | None, Option("--profile", metavar="NAME", help="Rank by this profile.")
]
Details = Annotated[bool, Option("--questions", help="Every question with what it found.")]


def locomo(
    session: Session, data: Data, profile: ProfileName = None, questions: Details = False
) -> None:
    """Measure recall on a LoCoMo file."""
    from recollect.surfaces.cli.bench.sets import read_locomo

    _measure(session, read_locomo, data, profile, questions)


def chat(
    session: Session, data: Data, profile: ProfileName = None, questions: Details = False
) -> None:
    """Measure recall on any set of conversations in the plain form."""
    from recollect.surfaces.cli.bench.sets import read_chat

    _measure(session, read_chat, data, profile, questions)


def latency(
    session: Session,
    events: Annotated[
        int, Option("--events", metavar="COUNT", help="How many are searched.")
    ] = 10_000,
    profile: ProfileName = None,
) -> None:
    """Measure how long a recall takes among so many events."""
    from recollect.surfaces.cli.bench.latency import measured
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.numbers import whole

    count = whole(events, 100, 5_000_000, "A latency run has")
    result = measured(_opener(session), count, profile)
    session.answer(result, lambda screen: figures.latency(screen, result))


def sessions(
    session: Session,
    data: Annotated[
        str, Option("--data", metavar="DIR", help="The folder with transcripts, and commits.")
    ],
    score_after: Annotated[
        str | None,
        Option("--score-after", metavar="TIME", help="Score only sessions that begin later."),
    ] = None,
) -> None:
    """Measure what the observer learns from sessions of agents."""
    from recollect.surfaces.cli.bench.sessions import measured
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import observed

    with measuring(session, "Replaying") as advance:
        result = measured(Path(data), score_after, advance)
    session.answer(result, lambda screen: observed.figures(screen, result))


def _measure(
    session: Session,
    read: "Callable[[Path], list[Conversation]]",
    data: str,
    profile: str | None,
    questions: bool,
) -> None:
    from recollect.surfaces.cli.bench.measure import answers, details, report
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    conversations = read(Path(data))
    with measuring(session, "Asking") as advance:
        found = answers(conversations, _opener(session), profile=profile, advance=advance)
    result: dict[str, Any] = report(found)
    if questions:
        result["questions_asked"] = details(found)
    session.answer(result, lambda screen: figures.found(screen, result))


def _opener(session: Session) -> "Callable[[Path], Recollect]":
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path: recollect.open(path, space="bench", embedder=embedder, worker=False)


def list_measures(session: Session) -> None:
    """Measure recall: what it finds, and how fast."""
    from recollect.surfaces.cli.views.screen import Span

    measures = {
        "locomo": "how much of the evidence is found on a LoCoMo file",
        "chat": "the same on any set of conversations",
        "latency": "how long a recall takes",
        "sessions": "what is learned from sessions of agents",
    }
    session.answer(
        {"measures": measures},
        lambda screen: screen.table(
            ["measure", "what it says"],
            [[[Span(name, "bold")], [Span(text)]] for name, text in measures.items()],
        ),
    )


bench = Typer(cls=Group, add_completion=False, rich_markup_mode=None, invoke_without_command=True)
bench.callback()(command(list_measures))
bench.command("locomo", cls=Command)(command(locomo))
bench.command("chat", cls=Command)(command(chat))
bench.command("latency", cls=Command)(command(latency))
bench.command("sessions", cls=Command)(command(sessions))
