"""Measuring recall on a set of conversations, and its speed, on a store of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.surfaces.cli.bench.sets import Conversation
    from recollect.surfaces.cli.bench.variants import Variant

Data = Annotated[str, Option("--data", metavar="FILE", help="The file with the conversations.")]
ProfileName = Annotated[
    str | None, Option("--profile", metavar="NAME", help="Rank by this profile.")
]
Details = Annotated[bool, Option("--questions", help="Every question with what it found.")]


def locomo(
    session: CommandContext, data: Data, profile: ProfileName = None, questions: Details = False
) -> None:
    """Measure recall on a LoCoMo file."""
    from recollect.surfaces.cli.bench.sets import read_locomo

    _measure(session, read_locomo, data, profile, questions)


def chat(
    session: CommandContext, data: Data, profile: ProfileName = None, questions: Details = False
) -> None:
    """Measure recall on any set of conversations in the plain form."""
    from recollect.surfaces.cli.bench.sets import read_chat

    _measure(session, read_chat, data, profile, questions)


Every = Annotated[
    int, Option("--every", metavar="COUNT", help="Ask only every so-many-th question.")
]


def ablation(
    session: CommandContext, data: Data, profile: ProfileName = None, every: Every = 1
) -> None:
    """Measure what each step of recall adds, and what is lost without it."""
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import variants

    _compare(session, data, list(variants.ablation(profile_of(profile))), every)


def sweep(
    session: CommandContext,
    data: Data,
    profile: ProfileName = None,
    parameter: Annotated[
        list[str] | None,
        Option("--parameter", metavar="NAME=1,2", help="What to try; all weights otherwise."),
    ] = None,
    every: Every = 1,
) -> None:
    """Measure other values of a profile's parameters."""
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import variants

    _compare(session, data, list(variants.sweep(profile_of(profile), parameter or ())), every)


def latency(
    session: CommandContext,
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
    session: CommandContext,
    data: Annotated[
        str, Option("--data", metavar="DIR", help="The folder with transcripts, and commits.")
    ],
    score_after: Annotated[
        str | None,
        Option("--score-after", metavar="TIME", help="Score only sessions that begin later."),
    ] = None,
    lessons: Annotated[
        str | None,
        Option("--lessons", metavar="FILE", help="Lessons that readers wrote for sessions."),
    ] = None,
) -> None:
    """Measure what the observer learns from sessions of agents."""
    from recollect.surfaces.cli.bench.sessions import measured
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import observed

    with measuring(session, "Replaying") as advance:
        result = measured(
            Path(data), score_after, advance, None if lessons is None else Path(lessons)
        )
    session.answer(result, lambda screen: observed.figures(screen, result))


def talk(
    session: CommandContext,
    data: Data,
    failures: Annotated[
        bool, Option("--failures", help="Everything that was kept or answered wrongly.")
    ] = False,
) -> None:
    """Measure what is kept and answered when people just talk."""
    from recollect.surfaces.cli.bench.talk import measured, read_talk
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    conversations = read_talk(Path(data))
    with measuring(session, "Listening") as advance:
        result = measured(conversations, _opener(session), advance)
    if not failures:
        del result["failures"]
    session.answer(result, lambda screen: figures.talk(screen, result))


def contradictions(
    session: CommandContext,
    data: Annotated[str, Option("--data", metavar="FILE", help="The file with pairs of memories.")],
) -> None:
    """Measure which contradictions are found when memories are kept."""
    from recollect.surfaces.cli.bench.contradictions import measured, read_pairs
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    pairs = read_pairs(Path(data))
    with measuring(session, "Keeping") as advance:
        result = measured(pairs, _opener(session), advance)
    session.answer(result, lambda screen: figures.contradictions(screen, result))


def _measure(
    session: CommandContext,
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


def _compare(session: CommandContext, data: str, tried: "list[Variant]", every: int) -> None:
    from recollect.surfaces.cli.bench.measure import compared, report, sampled
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.numbers import whole

    share = whole(every, 1, 1_000_000, "Every so-many-th is")
    conversations = sampled(read_any(Path(data)), share)
    with measuring(session, "Asking") as advance:
        found = compared(
            conversations, _opener(session), [one.profile for one in tried], advance=advance
        )
    rows = [
        {"part": one.part, "name": one.name, **_headline(report(answers))}
        for one, answers in zip(tried, found, strict=True)
    ]
    result = {"questions": len([one for one in found[0] if one.asked.counted]), "variants": rows}
    session.answer(result, lambda screen: figures.variants(screen, result))


def _headline(figures: dict[str, Any]) -> dict[str, float]:
    return {
        **{name: figures["turn"][name] for name in ("r5", "r10", "r20")},
        "session_any5": figures["session"]["any5"],
    }


def _opener(session: CommandContext) -> "Callable[[Path], Recollect]":
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path: recollect.open(path, space="bench", embedder=embedder, worker=False)


def list_measures(session: CommandContext) -> None:
    """Measure recall: what it finds, and how fast."""
    from recollect.surfaces.cli.views.screen import StyledText

    measures = {
        "locomo": "how much of the evidence is found on a LoCoMo file",
        "chat": "the same on any set of conversations",
        "ablation": "what each step of recall adds, on either kind of file",
        "sweep": "what other values of a profile's parameters would find",
        "latency": "how long a recall takes",
        "sessions": "what is learned from sessions of agents",
        "talk": "what is kept and answered when people talk to an assistant",
        "contradictions": "which contradictions are found when memories are kept",
    }
    session.answer(
        {"measures": measures},
        lambda screen: screen.table(
            ["measure", "what it says"],
            [[[StyledText(name, "bold")], [StyledText(text)]] for name, text in measures.items()],
        ),
    )


bench = Typer(
    cls=CliGroup, add_completion=False, rich_markup_mode=None, invoke_without_command=True
)
bench.callback()(command(list_measures))
bench.command("locomo", cls=CliCommand)(command(locomo))
bench.command("chat", cls=CliCommand)(command(chat))
bench.command("ablation", cls=CliCommand)(command(ablation))
bench.command("sweep", cls=CliCommand)(command(sweep))
bench.command("latency", cls=CliCommand)(command(latency))
bench.command("sessions", cls=CliCommand)(command(sessions))
bench.command("talk", cls=CliCommand)(command(talk))
bench.command("contradictions", cls=CliCommand)(command(contradictions))
