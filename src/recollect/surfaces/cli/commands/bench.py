"""Benchmark commands: measure everything that Recollect promises, each on a separate store."""

from pathlib import Path
from typing import Annotated

from typer import Option, Typer

from recollect.surfaces.cli.command import CliCommand, CliGroup, command
from recollect.surfaces.cli.commands.bench_recall import (
    Data,
    Details,
    Every,
    MoreFiles,
    Sets,
    ablation,
    chat,
    clocked_opener,
    latency,
    locomo,
    mine,
    recall,
    store_opener,
    sweep,
)
from recollect.surfaces.cli.session import CommandContext


def sessions(
    session: CommandContext,
    data: Annotated[
        str, Option("--data", metavar="DIR", help="The folder with transcripts, and commits.")
    ],
    score_after: Annotated[
        str | None,
        Option(
            "--score-after", metavar="TIME", help="Score only sessions that begin after this time."
        ),
    ] = None,
    lessons: Annotated[
        str | None,
        Option(
            "--lessons", metavar="FILE", help="A file of lessons that people wrote for sessions."
        ),
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
        bool, Option("--failures", help="List everything that was kept or answered wrongly.")
    ] = False,
    beside: Annotated[
        str | None,
        Option(
            "--beside", metavar="FILE", help="A file of statements to keep first, one per line."
        ),
    ] = None,
) -> None:
    """Measure what is kept and answered when people just talk."""
    from recollect.surfaces.cli.bench.talk import measured, read_beside, read_talk
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    conversations = read_talk(Path(data))
    crowd = read_beside(Path(beside)) if beside else []
    with measuring(session, "Listening") as advance:
        result = measured(conversations, store_opener(session), advance, crowd)
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
        result = measured(conversations, store_opener(session), advance)
    if not questions:
        del result["questions_asked"]
    session.answer(result, lambda screen: figures.research(screen, result))


def workspace(
    session: CommandContext,
    data: Annotated[
        list[str], Option("--data", metavar="FILE", help="Channels with labelled conversations.")
    ],
    more: MoreFiles = None,
) -> None:
    """Measure finding experts and separating conversations."""
    from recollect.surfaces.cli.bench.workspace import measured
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures

    with measuring(session, "Replaying") as advance:
        result = measured(
            [Path(one) for one in (*data, *(more or ()))], clocked_opener(session), advance
        )
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
        result = measured(pairs, store_opener(session), advance)
    session.answer(result, lambda screen: figures.contradictions(screen, result))


def code(
    session: CommandContext,
    data: Annotated[
        str, Option("--data", metavar="FILE", help="Questions: one JSON object per line.")
    ],
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
        result = code_figures(questions, store_opener(session), advance)
    rows = [{"measure": "code", "data": Path(data).name, "figures": result}]
    session.answer(result, lambda screen: figures.everything(screen, rows))


def living(session: CommandContext, data: Sets, more: MoreFiles = None, every: Every = 1) -> None:
    """Measure how many answers a context holds, with and without memory.

    For conversations: how many answers are in 8,000 assembled tokens, and how many in the last
    8,000 tokens of the conversation. For transcripts: how much of what sessions needed later was
    assembled.
    """
    from recollect.surfaces.cli.bench import assembled_contexts as measures
    from recollect.surfaces.cli.bench.everything import TRANSCRIPTS, kind_of
    from recollect.surfaces.cli.bench.measure import sampled
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.arguments import whole

    share = whole(every, 1, 1_000_000, "--every takes")
    rows = []
    for path in map(Path, (*data, *(more or ()))):
        with measuring(session, f"Assembling {path.name}") as advance:
            if path.is_dir() or kind_of(path) in TRANSCRIPTS:
                measured_figures = measures.sessions(path, store_opener(session), advance)
            else:
                conversations = sampled(read_any(path), share)
                measured_figures = {
                    **measures.questions(conversations, store_opener(session), advance),
                    "levels": measures.levels(conversations),
                }
        rows.append({"measure": "living", "data": path.name, "figures": measured_figures})
    session.answer({"measures": rows}, lambda screen: figures.everything(screen, rows))


def outage(
    session: CommandContext,
    data: Data,
    questions: Annotated[
        int, Option("--questions", metavar="COUNT", help="How many of the questions to ask.")
    ] = 10,
    postgres: Annotated[
        str | None,
        Option("--postgres", metavar="ADDRESS", help="An empty database that may fail as well."),
    ] = None,
    part: Annotated[
        list[str] | None,
        Option("--part", metavar="NAME", help="Only this: embedder, reranker, model, postgres."),
    ] = None,
) -> None:
    """Measure answers while a part is down, slow or wrong.

    Parts are servers on this machine that speak the real protocols and fail on command.
    """
    from recollect.surfaces.cli.bench import outage as measures
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.arguments import whole

    count = whole(questions, 1, 1_000, "Questions are")
    conversations = read_any(Path(data))
    with measuring(session, "Failing") as advance:
        rows = measures.measured(conversations, count, postgres, part or (), advance)
    session.answer({"outages": rows}, lambda screen: figures.outages(screen, rows))


def measure_all(
    session: CommandContext,
    data: Annotated[str, Option("--data", metavar="DIR", help="The folder with all the data.")],
    every: Every = 1,
) -> None:
    """Measure everything for which a folder holds data.

    Recognises each file by its content, and lists the files that no measure uses.
    """
    from recollect.surfaces.cli.bench.everything import Everything
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.arguments import whole

    share = whole(every, 1, 1_000_000, "--every takes")
    measures = Everything(Path(data), store_opener(session), clocked_opener(session))
    with measuring(session, "Measuring") as advance:
        rows = list(measures.run(share, advance))
    result = {"measures": rows, "left_alone": measures.left_alone}
    session.answer(result, lambda screen: figures.everything(screen, rows, measures.left_alone))


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
        "living": "what an assembled context tells, with and without memory",
        "outage": "what answers lose while a part is gone, slow or wrong",
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
bench.command("living", cls=CliCommand)(command(living))
bench.command("outage", cls=CliCommand)(command(outage))
bench.command("all", cls=CliCommand)(command(measure_all))
