"""Measuring recall on a set of conversations, and its speed, on a store of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Exit, Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.engine.for_surfaces import Profile
    from recollect.surfaces.cli.bench.measure import Losses
    from recollect.surfaces.cli.bench.sets import Conversation
    from recollect.surfaces.cli.bench.variants import Variant
    from recollect.vocabulary.clock import Clock

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


Sets = Annotated[
    list[str],
    Option("--data", metavar="FILE", help="A file with conversations; may be given again."),
]
Every = Annotated[
    int, Option("--every", metavar="COUNT", help="Ask only every so-many-th question.")
]


def recall(
    session: CommandContext, data: Sets, profile: ProfileName = None, every: Every = 1
) -> None:
    """Measure recall on several sets, LoCoMo or plain, one after the other."""
    from recollect.surfaces.cli.bench.measure import compared, report, sampled
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.numbers import whole

    share = whole(every, 1, 1_000_000, "Every so-many-th is")
    read = {name: sampled(read_any(Path(name)), share) for name in data}
    result: dict[str, Any] = {}
    losses = []
    for name, conversations in read.items():
        with measuring(session, f"Asking {Path(name).name}") as advance:
            done = compared(conversations, _opener(session), [profile], advance=advance)
        result[name] = {**report(done.found[0]), "lost": done.losses.told()}
        losses.append(done.losses)
    session.answer({"sets": result}, lambda screen: figures.several(screen, result))
    _exit_if_lost(*losses)


def ablation(
    session: CommandContext,
    data: Sets,
    profile: ProfileName = None,
    every: Every = 1,
    quick: Annotated[
        bool, Option("--quick", help="Ask once, and weigh anew what each signal said.")
    ] = False,
) -> None:
    """Measure what each step of recall adds, and what is lost without it.

    Of several files each is one style of text, and a column of the table.
    """
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import variants

    whole = profile_of(profile)
    _compare(session, data, list(variants.ablation(whole)), every, whole if quick else None)


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

    _compare(session, [data], list(variants.sweep(profile_of(profile), parameter or ())), every)


def mine(
    session: CommandContext,
    profile: ProfileName = None,
    parameter: Annotated[
        list[str] | None,
        Option("--parameter", metavar="NAME=1,2", help="What to try; all weights otherwise."),
    ] = None,
) -> None:
    """Measure settings on your own questions, and what you said of their answers.

    What you cited or found helpful is what a question should find. Nothing is written.
    """
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import own_questions, variants
    from recollect.surfaces.cli.views import figures

    tried = list(variants.sweep(profile_of(profile), parameter or ()))
    with session.open() as memory:
        result = own_questions.measured(memory, tried)
    session.answer(result, lambda screen: figures.own_questions(screen, result))
    if not result["questions"]:
        session.note("Nothing to go by yet: 'recollect feedback last helpful' after a question.")


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


def research(session: CommandContext, data: Data, questions: Details = False) -> None:
    """Measure answers with citations on a LoCoMo file."""
    from recollect.surfaces.cli.bench.research import measured
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    conversations = read_any(Path(data))
    with measuring(session, "Asking") as advance:
        result = measured(conversations, _opener(session), advance)
    if not questions:
        del result["questions_asked"]
    session.answer(result, lambda screen: figures.research(screen, result))


def workspace(
    session: CommandContext,
    data: Annotated[
        list[str], Option("--data", metavar="FILE", help="Channels whose conversations are known.")
    ],
) -> None:
    """Measure who is found to answer, and where a conversation ends."""
    from recollect.surfaces.cli.bench.workspace import measured
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    with measuring(session, "Replaying") as advance:
        result = measured([Path(one) for one in data], _clocked_opener(session), advance)
    session.answer(result, lambda screen: figures.workspace(screen, result))


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


def code(
    session: CommandContext,
    data: Annotated[str, Option("--data", metavar="FILE", help="Questions, a JSON object a line.")],
) -> None:
    """Measure whether recall finds the files that a change touched.

    Each line holds the folder with the code before the change ("tree"), what was written about it
    ("text") and the files that it touched ("gold").
    """
    from recollect.surfaces.cli.bench.everything import code_figures, read_questions
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    questions = read_questions(Path(data))
    with measuring(session, "Asking") as advance:
        result = code_figures(questions, _opener(session), advance)
    rows = [{"measure": "code", "data": Path(data).name, "figures": result}]
    session.answer(result, lambda screen: figures.everything(screen, rows))


def measure_all(
    session: CommandContext,
    data: Annotated[str, Option("--data", metavar="DIR", help="The folder with all the data.")],
    every: Every = 1,
) -> None:
    """Measure everything for which a folder holds data.

    What each file is for is read from its content; those that nothing is measured on are named.
    """
    from recollect.surfaces.cli.bench.everything import Everything
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.numbers import whole

    share = whole(every, 1, 1_000_000, "Every so-many-th is")
    measures = Everything(Path(data), _opener(session), _clocked_opener(session))
    with measuring(session, "Measuring") as advance:
        rows = list(measures.run(share, advance))
    result = {"measures": rows, "left_alone": measures.left_alone}
    session.answer(result, lambda screen: figures.everything(screen, rows, measures.left_alone))


def _measure(
    session: CommandContext,
    read: "Callable[[Path], list[Conversation]]",
    data: str,
    profile: str | None,
    questions: bool,
) -> None:
    from recollect.surfaces.cli.bench.measure import compared, details, report
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    conversations = read(Path(data))
    with measuring(session, "Asking") as advance:
        done = compared(conversations, _opener(session), [profile], advance=advance)
    result: dict[str, Any] = {**report(done.found[0]), "lost": done.losses.told()}
    if questions:
        result["questions_asked"] = details(done.found[0])
    session.answer(result, lambda screen: figures.found(screen, result))
    _exit_if_lost(done.losses)


def _compare(
    session: CommandContext,
    data: list[str],
    tried: "list[Variant]",
    every: int,
    weighed: "Profile | None" = None,
) -> None:
    from recollect.surfaces.cli.bench.measure import compared, first, report, sampled
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.numbers import whole

    share = whole(every, 1, 1_000_000, "Every so-many-th is")
    read = {Path(name).name: sampled(read_any(Path(name)), share) for name in data}
    profiles = [one.profile for one in tried]
    sets: dict[str, Any] = {}
    losses = []
    for name, conversations in read.items():
        with measuring(session, f"Asking {name}") as advance:
            weigh = (weighed, [one.weights for one in profiles]) if weighed else None
            done = compared(conversations, _opener(session), profiles, advance=advance, weigh=weigh)
        sets[name] = {
            "questions": len([one for one in done.found[0] if one.asked.counted]),
            "variants": [
                {"part": one.part, "name": one.name, **_headline(report(first(found, one.results)))}
                for one, found in zip(tried, done.found, strict=True)
            ],
            "lost": done.losses.told(),
        }
        losses.append(done.losses)
    result = next(iter(sets.values())) if len(sets) == 1 else {"sets": sets}
    session.answer(result, lambda screen: figures.variants(screen, sets))
    _exit_if_lost(*losses)


def _exit_if_lost(*losses: "Losses") -> None:
    """A set of which turns are missing was not measured, whatever the table says."""
    from recollect.surfaces.cli.faults import INCOMPLETE

    if any(one.turns or not one.asked for one in losses):
        raise Exit(INCOMPLETE)


def _headline(figures: dict[str, Any]) -> dict[str, float]:
    return {
        **{name: figures["turn"][name] for name in ("r5", "r10", "r20")},
        "session_any5": figures["session"]["any5"],
    }


def _opener(session: CommandContext) -> "Callable[[Path], Recollect]":
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path: recollect.open(path, space="bench", embedder=embedder, worker=False)


def _clocked_opener(session: CommandContext) -> "Callable[[Path, Clock], Recollect]":
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path, clock: recollect.open(
        path, space="bench", embedder=embedder, worker=False, clock=clock
    )


def list_measures(session: CommandContext) -> None:
    """Measure recall: what it finds, and how fast."""
    from recollect.surfaces.cli.views.screen import StyledText

    measures = {
        "locomo": "how much of the evidence is found on a LoCoMo file",
        "chat": "the same on any set of conversations",
        "recall": "the same on several files of either kind",
        "ablation": "what each step of recall adds, on either kind of file",
        "sweep": "what other values of a profile's parameters would find",
        "mine": "what other settings would do to your own questions",
        "latency": "how long a recall takes",
        "sessions": "what is learned from sessions of agents",
        "research": "whether answers cite the evidence, and say when there is none",
        "talk": "what is kept and answered when people talk to an assistant",
        "workspace": "who answers a question, and where a conversation ends, on real channels",
        "contradictions": "which contradictions are found when memories are kept",
        "code": "whether the files of a change are found from what was written about it",
        "all": "everything for which a folder holds data",
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
bench.command("recall", cls=CliCommand)(command(recall))
bench.command("ablation", cls=CliCommand)(command(ablation))
bench.command("sweep", cls=CliCommand)(command(sweep))
bench.command("mine", cls=CliCommand)(command(mine))
bench.command("latency", cls=CliCommand)(command(latency))
bench.command("sessions", cls=CliCommand)(command(sessions))
bench.command("talk", cls=CliCommand)(command(talk))
bench.command("research", cls=CliCommand)(command(research))
bench.command("workspace", cls=CliCommand)(command(workspace))
bench.command("contradictions", cls=CliCommand)(command(contradictions))
bench.command("code", cls=CliCommand)(command(code))
bench.command("all", cls=CliCommand)(command(measure_all))
