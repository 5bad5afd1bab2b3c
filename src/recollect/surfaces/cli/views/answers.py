"""Views of the question log (question, results, feedback) and of trends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, one_line, shortened

if TYPE_CHECKING:
    from recollect.vocabulary.results import Trend
    from recollect.vocabulary.retrievals import Retrieval

_WIDTH: Final = 80
_BAR: Final = 40
#: Fewer times than these say nothing about a direction.
_FEWEST: Final = 3


def log(screen: Screen, asked: Sequence["Retrieval"]) -> None:
    """Questions, one per line."""
    screen.names(one.id for one in asked)
    screen.table(
        ["id", "when", "from", "question", "brought", "said"], [_row(screen, one) for one in asked]
    )


def _row(screen: Screen, one: "Retrieval") -> list[Line]:
    query = shortened(one.query, _WIDTH) if screen.terminal else one_line(one.query)
    best = f", best {max(served.score for served in one.served):.2f}" if one.served else ""
    said = ", ".join(dict.fromkeys(str(word.verdict) for word in one.feedback))
    return [
        [screen.name(one.id)],
        [screen.when(one.at)],
        [StyledText(one_line(one.client or ""), "dim")],
        [StyledText(query)],
        [StyledText(counted(len(one.served), "result") + best, "" if one.served else "yellow")],
        [StyledText(said, "cyan")],
    ]


def trend(screen: Screen, found: "Trend") -> None:
    """One bar per period, and the direction."""
    most = max((one.count for one in found.stretches), default=0)
    rows: list[list[Line]] = [
        [
            [StyledText(f"{one.start:%Y-%m-%d %H:%M}", "dim")],
            [StyledText(f"{one.count}")],
            [StyledText("\u2588" * round(_BAR * one.count / max(most, 1)), "cyan")],
        ]
        for one in found.stretches
    ]
    screen.table(["from", "times", ""], rows)
    times = counted(found.total, "time")
    direction = found.direction if found.total >= _FEWEST else "too few for a direction"
    screen.line(StyledText(f"It came up {times}: "), StyledText(direction, "bold"))
