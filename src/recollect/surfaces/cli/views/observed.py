"""Views of what the observer learned, and of its figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.surfaces.cli.views.screen import StyledText
from recollect.surfaces.cli.views.words import counted

if TYPE_CHECKING:
    from recollect.engine.for_surfaces import Lesson
    from recollect.surfaces.cli.views.screen import Screen
    from recollect.vocabulary.memory import Memory


def figures(screen: "Screen", result: Mapping[str, Any]) -> None:
    """Figures, then the signals."""
    screen.table(
        ["measure", "value"],
        [[[StyledText(name)], [StyledText(value, "bold")]] for name, value in _measures(result)],
    )
    screen.line()
    screen.table(
        ["signal", "noticed", "in sessions", "promoted", "held later", "by chance"],
        [
            [
                [StyledText(f"{row['number']:>2} {name}", "" if row["on"] else "dim")],
                [StyledText(f"{row['noticed']:,}")],
                [StyledText(f"{row['sessions']:,}")],
                [StyledText(f"{row['promoted']:,}" if row["on"] else "off")],
                [StyledText(f"{row['held']:.2f} of {row['occasions']:,}" if "held" in row else "")],
                [StyledText(f"{row['by_chance']:.2f}" if "held" in row else "")],
            ]
            for name, row in result["signals"].items()
        ],
    )


def learned(
    screen: "Screen", lessons: "Sequence[Lesson]", commits: int, stated: "Sequence[Memory]" = ()
) -> None:
    """Learned memories that agents will be told, one per line, and how many wait for review."""
    kept = [*stated, *(memory for lesson in lessons for memory in lesson.memories)]
    told = [memory for memory in kept if not memory.needs_review]
    for memory in told:
        screen.line(StyledText(f"{memory.type.value}: ", "bold"), StyledText(memory.content))
    screen.line(
        StyledText(f"Learned {counted(len(kept), 'memory', 'memories')} ", "green"),
        StyledText(
            f"from {counted(len(lessons), 'session')} and {counted(commits, 'new commit')}."
        ),
    )
    waiting = len(kept) - len(told)
    if waiting:
        screen.line(
            StyledText(f"{waiting:,} of them wait for review", "yellow"),
            StyledText(" and are not told unasked: 'recollect review --waiting' shows them."),
        )


def _measures(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    speed, finish = result["observe_us"], result["finish_ms"]
    return [
        ("sessions scored", f"{result['sessions']:,} ({result['acts']:,} acts)"),
        ("files recall at 10", f"{result['files_recall_at_10']:.3f}"),
        ("  with the first prompt", f"{result['files_recall_at_10_with_prompt']:.3f}"),
        ("  each session alike", f"{result['files_recall_at_10_mean_of_sessions']:.3f}"),
        (
            "  before the first, by prompt and branch",
            f"{result['files_recall_at_10_before_the_first']:.3f}",
        ),
        ("  by co-access alone", f"{result['files_recall_at_10_by_co_access']:.3f}"),
        ("  by git alone", f"{result['files_recall_at_10_by_git']:.3f}"),
        ("  by popularity alone", f"{result['files_recall_at_10_by_popularity']:.3f}"),
        (
            "refusals captured",
            f"{result['refusals_captured']} of {result['refusals']}, "
            f"{result['refusals_with_words']} with words",
        ),
        (
            "repeated greps answered",
            f"{result['repeated_greps_answered']:.2f} of {result['repeated_greps']}",
        ),
        (
            "failed commands with a known fix",
            f"{result['failed_commands_with_known_fix']:.2f} of {result['failed_commands']}",
        ),
        ("injected tokens a session", f"{result['injected_tokens_per_session']:,}"),
        ("observe, microseconds", f"p50 {speed['p50']}, p99 {speed['p99']}"),
        ("finish, milliseconds", f"p50 {finish['p50']}, most {finish['max']}"),
        ("replay of all sessions", f"{result['replay_seconds']} s"),
    ]
