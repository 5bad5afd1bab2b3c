"""Benchmark commands of recall: quality on data sets and on your own questions, and latency."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Exit, Option

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
Details = Annotated[bool, Option("--questions", help="List every question with its results.")]


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
MoreFiles = Annotated[list[str] | None, Argument(metavar="FILES", help="More files for --data.")]
Parameters = Annotated[
    list[str] | None,
    Option(
        "--parameter", metavar="NAME=1,2", help="The parameter to vary; all weights by default."
    ),
]
Every = Annotated[int, Option("--every", metavar="COUNT", help="Ask only every Nth question.")]


def recall(
    session: CommandContext,
    data: Sets,
    more: MoreFiles = None,
    profile: ProfileName = None,
    every: Every = 1,
) -> None:
    """Measure recall on several sets, LoCoMo or plain, one after the other."""
    from recollect.surfaces.cli.bench.measure import compared, report, sampled
    from recollect.surfaces.cli.bench.sets import read_any
    from recollect.surfaces.cli.progress import measuring
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.arguments import whole

    share = whole(every, 1, 1_000_000, "--every takes")
    read = {name: sampled(read_any(Path(name)), share) for name in (*data, *(more or ()))}
    result: dict[str, Any] = {}
    losses = []
    for name, conversations in read.items():
        with measuring(session, f"Asking {Path(name).name}") as advance:
            done = compared(conversations, store_opener(session), [profile], advance=advance)
        result[name] = {**report(done.found[0]), "lost": done.losses.sentences()}
        losses.append(done.losses)
    session.answer({"sets": result}, lambda screen: figures.several(screen, result))
    _exit_if_lost(*losses)


def ablation(
    session: CommandContext,
    data: Sets,
    more: MoreFiles = None,
    profile: ProfileName = None,
    every: Every = 1,
    *,
    quick: Annotated[
        bool, Option("--quick", help="Ask once, and apply each set of weights to the same signals.")
    ] = False,
) -> None:
    """Measure what each step of recall adds, and what is lost without it.

    Each file is one style of text, and becomes a column of the table.
    """
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import variants

    whole = profile_of(profile)
    files = [*data, *(more or ())]
    _compare(session, files, list(variants.ablation(whole)), every, whole if quick else None)


def sweep(
    session: CommandContext,
    data: Data,
    profile: ProfileName = None,
    parameter: Parameters = None,
    every: Every = 1,
) -> None:
    """Measure other values of a profile's parameters."""
    from recollect.engine.for_surfaces import profile_of
    from recollect.surfaces.cli.bench import variants

    _compare(session, [data], list(variants.sweep(profile_of(profile), parameter or ())), every)


def mine(
    session: CommandContext,
    profile: ProfileName = None,
    parameter: Parameters = None,
) -> None:
    """Measure settings on your own questions and your feedback.

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
        int, Option("--events", metavar="COUNT", help="How many events are searched.")
    ] = 10_000,
    profile: ProfileName = None,
) -> None:
    """Measure how long a recall takes among many events."""
    from recollect.surfaces.cli.bench.latency import measured
    from recollect.surfaces.cli.views import figures
    from recollect.vocabulary.arguments import whole

    count = whole(events, 100, 5_000_000, "A latency run has")
    result = measured(store_opener(session), count, profile)
    session.answer(result, lambda screen: figures.latency(screen, result))


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
        done = compared(conversations, store_opener(session), [profile], advance=advance)
    result: dict[str, Any] = {**report(done.found[0]), "lost": done.losses.sentences()}
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
    from recollect.vocabulary.arguments import whole

    share = whole(every, 1, 1_000_000, "--every takes")
    read = {Path(name).name: sampled(read_any(Path(name)), share) for name in data}
    profiles = [one.profile for one in tried]
    sets: dict[str, Any] = {}
    losses = []
    for name, conversations in read.items():
        with measuring(session, f"Asking {name}") as advance:
            weigh = (weighed, profiles) if weighed else None
            done = compared(
                conversations, store_opener(session), profiles, advance=advance, weigh=weigh
            )
        sets[name] = {
            "questions": len([one for one in done.found[0] if one.asked.counted]),
            "variants": [
                {"part": one.part, "name": one.name, **_headline(report(first(found, one.results)))}
                for one, found in zip(tried, done.found, strict=True)
            ],
            "lost": done.losses.sentences(),
        }
        losses.append(done.losses)
    result = next(iter(sets.values())) if len(sets) == 1 else {"sets": sets}
    session.answer(result, lambda screen: figures.variants(screen, sets))
    _exit_if_lost(*losses)


def _exit_if_lost(*losses: "Losses") -> None:
    """Exit with an error when turns are missing: the data set was not measured then."""
    from recollect.surfaces.cli.faults import INCOMPLETE

    if any(one.turns or not one.asked for one in losses):
        raise Exit(INCOMPLETE)


def _headline(figures: dict[str, Any]) -> dict[str, float]:
    return {
        **{name: figures["turn"][name] for name in ("r5", "r10", "r20")},
        "session_any5": figures["session"]["any5"],
    }


def store_opener(session: CommandContext) -> "Callable[[Path], Recollect]":
    """Opens the stores that a measure makes for itself, with the embedder that is set."""
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path: recollect.open(path, space="bench", embedder=embedder, worker=False)


def clocked_opener(session: CommandContext) -> "Callable[[Path, Clock], Recollect]":
    """The same, on a clock of the measure's own."""
    import recollect

    embedder = session.settings["embedder"].text
    return lambda path, clock: recollect.open(
        path, space="bench", embedder=embedder, worker=False, clock=clock
    )
