"""Views of agents' work: its sessions, and what a verdict changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import counted, shortened

if TYPE_CHECKING:
    from recollect.engine.for_surfaces import JudgedWork, WorkSession
    from recollect.vocabulary.memory import Memory


def listed(screen: Screen, found: "Sequence[WorkSession]") -> None:
    """Sessions with their work and state, one per line."""
    if not found:
        screen.line(StyledText("No session of an agent is known here yet."))
    for one in found:
        _session(screen, one)


def judged(screen: Screen, done: "JudgedWork", said: str) -> None:
    """What was said of some work, and what that changed."""
    screen.line(StyledText(said, "green"), StyledText(f": {done.work}"))
    for one in done.sessions:
        _session(screen, one)
        _memories(screen, one.learned)
    if done.findings:
        screen.line(StyledText(f"Agents are warned of {counted(len(done.findings), 'issue')}:"))
        _memories(screen, done.findings)
    if done.outcome is not None:
        screen.line(StyledText(f"Kept as its outcome: {shortened(done.outcome.content, 120)}"))
    if done.ended:
        screen.line(StyledText(f"{counted(len(done.ended), 'wish', 'wishes')} ended with it:"))
        _memories(screen, done.ended)


def _session(screen: Screen, one: "WorkSession") -> None:
    place = ", ".join(part for part in (one.unit.label if one.unit else "", one.branch) if part)
    state = "running: it teaches at its end" if one.running else "over"
    if one.held:
        state = f"running, {one.held}" if one.running else one.held
    if one.learned:
        state = f"learned {counted(len(one.learned), 'thing')} that was kept back"
    screen.line(
        StyledText(f"  {one.run.id}", "cyan"),
        StyledText(f"  {place}" if place else ""),
        StyledText(f"  {state}", "yellow" if one.held else "dim"),
        StyledText(f"  {shortened(one.run.task, 60)}" if one.run.task else ""),
    )


def _memories(screen: Screen, found: "Sequence[Memory]") -> None:
    for one in found:
        screen.line(
            StyledText("    "),
            screen.name(one.id),
            StyledText(f"  {one.type_name}  {shortened(one.content, 100)}"),
        )
