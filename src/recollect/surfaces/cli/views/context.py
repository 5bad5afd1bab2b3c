"""Views of assembled contexts and predictions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import one_line, shortened

if TYPE_CHECKING:
    from recollect.vocabulary.assembly import Assembled, ContextPrediction
    from recollect.vocabulary.memory import Memory

_WIDTH = 160


def assembled(screen: Screen, found: "Assembled", left_out: bool) -> None:
    """The text, the tokens of each tier, and what was left out."""
    screen.lines([[StyledText(line)] for line in found.context.splitlines()])
    tiers = ", ".join(f"{name} {tokens:,}" for name, tokens in found.tiers.items())
    screen.line(
        StyledText(f"{found.token_count:,} of {found.budget:,} tokens", "bold"),
        StyledText(f" ({tiers}); {len(found.left_out):,} left out", "dim"),
    )
    for one in found.left_out if left_out else ():
        screen.line(
            StyledText(f"  {one.id}  {one.reason}  ", "dim"),
            StyledText(shortened(one_line(one.text), _WIDTH)),
        )


def predicted(screen: Screen, found: "ContextPrediction") -> None:
    """One memory per line, with the reason of the prediction."""
    for one in found.predicted_memories:
        screen.line(
            StyledText(f"{one.score:.2f}  {one.signal.value}  ", "dim"),
            StyledText(shortened(one_line(one.memory.content), _WIDTH)),
        )
    screen.line(StyledText(f"Expected of such predictions to come true: {found.confidence:.0%}."))


def opened(screen: Screen, found: Sequence["Memory"]) -> None:
    """Whole text of each memory."""
    for one in found:
        screen.line(StyledText(one.id, "bold"), StyledText(f"  {one.type_name}", "dim"))
        screen.lines([[StyledText(line)] for line in one.content.splitlines()])
