"""Views of reports: full sentences, the important figures first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.surfaces.cli.views.memories import kind
from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, lasted, listed, size
from recollect.vocabulary.metrics import BY_NAME

if TYPE_CHECKING:
    from recollect.settings import Value
    from recollect.vocabulary.jobs import Job, QueueMetrics
    from recollect.vocabulary.metrics import MetricValue, SpaceMetrics
    from recollect.vocabulary.spaces import Space


def stats(
    screen: Screen, figures: Mapping[str, Any], tracked: "SpaceMetrics | None" = None
) -> None:
    """Space, file, vectors and queue in a sentence each; then the tracked figures."""
    memories: Mapping[str, int] = figures["memories"]
    total = counted(sum(memories.values()), "memory", "memories")
    events = counted(figures["events"], "event")
    streams = counted(figures["streams"], "stream")
    screen.line(
        StyledText("The space "),
        StyledText(figures["space"], "bold"),
        StyledText(f" holds {total} and {events} in {streams}."),
    )
    ordered = sorted(memories.items(), key=lambda pair: (-pair[1], pair[0]))
    screen.lines(
        [[StyledText(f"{number:>7,}  "), kind(name)] for name, number in ordered], indent=1
    )
    store = figures["store"]
    taken = size(store["bytes"] + store["journal_bytes"])
    screen.line(
        StyledText("The store is "), StyledText(store["file"], "cyan"), StyledText(f" ({taken}).")
    )
    screen.line(StyledText(_vectors(figures)))
    _uses(screen, figures)
    screen.line(StyledText(queue_sentence(figures["queue"])))
    if tracked is not None:
        metrics(screen, tracked)


def metrics(screen: Screen, tracked: "SpaceMetrics") -> None:
    """Tracked figures, one per line, with sample size and target."""
    rows: list[list[Line]] = []
    unknown: list[str] = []
    for one in tracked.values:
        definition = BY_NAME[one.name]
        name = definition.name.replace("_", " ")
        if one.value is None:
            unknown.append(name)
            continue
        shade = "red" if one.alarming else ""
        rows.append(
            [
                [StyledText(f"{name}, {one.label}" if one.label else name, "bold")],
                [StyledText(metric_text(one), shade)],
                [StyledText(f"{one.samples:,}", "dim")],
                [StyledText(definition.target_for(one.label), "dim")],
                [StyledText(definition.help, "dim")],
            ]
        )
    screen.line(StyledText(f"Over the last {counted(tracked.days, 'day')}:"))
    screen.table(["figure", "is", "of", "wanted", "what it is"], rows)
    if unknown:
        screen.line(StyledText(f"Nothing to count yet for {listed(unknown)}.", "dim"))


def metric_text(one: "MetricValue") -> str:
    """Figure with its unit."""
    if one.value is None:
        return "nothing yet"
    unit = BY_NAME[one.name].unit
    if unit == "share":
        return f"{one.value:.0%}"
    if unit == "seconds":
        return f"{one.value * 1000:,.0f} ms" if one.value < 1 else f"{one.value:,.1f} s"
    return f"{one.value:,.0f}" if one.value == int(one.value) else f"{one.value:,.2f}"


def _uses(screen: Screen, figures: Mapping[str, Any]) -> None:
    """Use of what was served, and success of predictions."""
    for channel, one in figures["uses"].items():
        counts = f"{one.served:,} served, {one.cited:,} cited, {one.ignored:,} ignored"
        screen.line(StyledText(f"By {channel}: {counts}, {one.edited:,} edited after."))
    for signal, one in figures["predictions"].items():
        right = "" if one["accuracy"] is None else f", {one['accuracy']:.0%} of the settled right"
        screen.line(StyledText(f"Predicted by {signal}: {one['predicted']:,}{right}."))


def _vectors(figures: Mapping[str, Any]) -> str:
    if figures["embedder"] is None:
        return "Search goes by words alone: no embedder is set."
    made = figures["vectors"].get(figures["embedder"], 0)
    return (
        f"Search goes by words and by meaning: {counted(made, 'vector')} of {figures['embedder']}."
    )


def queue_sentence(queue: "QueueMetrics") -> str:
    """State of the queue, in a sentence."""
    parts = []
    if queue.backlog:
        oldest = lasted(queue.oldest_seconds)
        parts.append(f"{counted(queue.backlog, 'job')} waiting, the oldest for {oldest}")
    if queue.running:
        parts.append(f"{counted(queue.running, 'job')} under way")
    if queue.dead:
        parts.append(f"{counted(queue.dead, 'job')} given up")
    return f"In the queue: {listed(parts)}." if parts else "Nothing is waiting in the queue."


def spaces(screen: Screen, found: Sequence["Space"], current: "Space") -> None:
    """Spaces, one per line, the current one marked."""
    rows: list[list[Line]] = [
        [
            [StyledText("*" if space.id == current.id else "", "bold green")],
            [StyledText(space.name, "bold")],
            [StyledText(space.kind)],
            [screen.when(space.created_at)],
            [
                StyledText(
                    "for good" if space.retention_days is None else f"{space.retention_days:,} days"
                )
            ],
        ]
        for space in found
    ]
    screen.table(["", "space", "kind", "since", "keeps"], rows)


def settings(screen: Screen, values: Sequence["Value"], file: str) -> None:
    """Settings, one per line, each with the source of its value."""
    rows: list[list[Line]] = [
        [
            [StyledText(value.setting.name, "bold")],
            [StyledText(value.shown)],
            [StyledText(value.origin, "dim" if value.origin == "default" else "yellow")],
            [StyledText(value.setting.help, "dim")],
        ]
        for value in values
    ]
    screen.table(["setting", "value", "from", "what it is for"], rows)
    if screen.terminal:
        screen.line(
            StyledText(f"Saved in {file}; RECOLLECT_NAME in the environment comes first.", "dim")
        )


def jobs(screen: Screen, dead: Sequence["Job"]) -> None:
    """Dead jobs, one per line."""
    rows: list[list[Line]] = [
        [
            [StyledText(job.id, "cyan")],
            [StyledText(job.kind, "bold")],
            [StyledText(counted(job.attempts, "try", "tries"))],
            [screen.when(job.created_at)],
            [StyledText(job.last_error or "", "red")],
        ]
        for job in dead
    ]
    screen.table(["job", "kind", "tries", "since", "what went wrong"], rows)
