"""View of the doctor's report: one line per check, with advice under the problems."""

from collections.abc import Sequence
from typing import Any, Final

from recollect.surfaces.cli.views import rescues
from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import counted
from recollect.vocabulary.reports import RescueReport

_SYMBOLS: Final = {"ok": ("✓", "green"), "note": ("•", "yellow"), "problem": ("✗", "bold red")}


def report(
    screen: Screen,
    checks: Sequence[Any],
    repairs: Sequence[str],
    damage: RescueReport | None,
    erased: Any = None,
) -> None:
    """Repairs and erasures, findings, and what can be saved of a damaged file."""
    for done in repairs:
        screen.line(StyledText(done, "cyan"))
    if erased is not None:
        for done in erased.done:
            screen.line(StyledText(done, "cyan"))
        for place in erased.left:
            screen.line(StyledText(f"Forgotten words may still be in {place}.", "yellow"))
    for check in checks:
        symbol, style = _SYMBOLS[check.state]
        mark = symbol if screen.terminal else f"{check.state:7}"
        screen.line(
            StyledText(f"{mark} ", style),
            StyledText(f"{check.name:9} ", "bold"),
            StyledText(check.message),
        )
        if check.advice:
            screen.lines([[StyledText(check.advice, style)]], indent=12 if screen.terminal else 18)
    if damage is not None:
        rescues.damage(screen, damage)
    problems = sum(check.state == "problem" for check in checks)
    if problems:
        screen.line(StyledText(f"{counted(problems, 'problem')} to look at.", "bold red"))
    elif any(check.state == "ok" for check in checks):
        screen.line(StyledText("All is well.", "bold green"))
    else:
        screen.line(StyledText("There is nothing to check yet.", "yellow"))
