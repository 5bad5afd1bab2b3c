"""View of research answers: sentences, confidence, and the command that opens each citation."""

from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.vocabulary.research import ResearchAnswer, ResearchPlan, ResearchStep
    from recollect.vocabulary.results import Found


def answered(screen: Screen, answer: "ResearchAnswer", kept: "Sequence[Found]" = ()) -> None:
    """Answer, then one line per citation with the command that opens it.

    Below are memories near the question: research itself reads only messages.
    """
    style = "" if answer.known else "yellow"
    for place, line in enumerate(answer.text.splitlines()):
        screen.line(StyledText(line, style if place == 0 else ""))
    screen.line(StyledText(_figures(answer), "dim"))
    for one in answer.citations:
        when = "time unknown" if one.time_unknown else f"{one.at:%Y-%m-%d %H:%M}"
        screen.line(
            StyledText(f"[{one.number}] ", "bold"),
            StyledText(f"{one.author}, {one.stream}, {when}  "),
            StyledText(f"recollect show {one.event_id}", "cyan"),
        )
    if answer.memo_id is not None:
        screen.line(
            StyledText("Kept as a memo that points at these messages: ", "dim"),
            StyledText(f"recollect show {answer.memo_id}", "cyan"),
        )
    for note in answer.notes:
        screen.line(StyledText(note, "yellow"))
    if kept:
        words = (
            "Remembered about it:" if answer.known else "No message answers it; these memories may:"
        )
        screen.line(StyledText(words, "bold"))
    for found in kept:
        screen.line(
            StyledText(f"  {found.text}  "), StyledText(f"recollect show {found.id}", "cyan")
        )


def planned(screen: Screen, plan: "ResearchPlan") -> None:
    """Planned searches, one per line."""
    kind = "Several searches:" if plan.complex else "One search:"
    screen.line(StyledText(kind, "bold"))
    screen.lines([[StyledText(one)] for one in plan.searches], indent=1)


def step_text(step: "ResearchStep") -> str:
    """A research step as one line."""
    return f"{step.kind} {step.round}: {step.text}"


def _figures(answer: "ResearchAnswer") -> str:
    parts = [f"confidence {answer.confidence:.2f}", counted(len(answer.rounds), "round")]
    if answer.memo_hits:
        parts.append(counted(len(answer.memo_hits), "memo"))
    parts.append("by a model" if answer.by == "model" else "without a model")
    return ", ".join(parts)
