"""Personal memory as a person reads it: what is remembered, what was decided, what was done."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Line, Screen, Span
from recollect.surfaces.cli.views.words import counted, one_line, shortened, stamp

if TYPE_CHECKING:
    from recollect.storage.budgets import Budget
    from recollect.vocabulary.personal import (
        AuditEntry,
        MemorySettings,
        Question,
        Said,
        Summary,
        Suspect,
    )


def said(screen: Screen, answer: "Said") -> None:
    """The answer, line by line."""
    if answer.answer:
        screen.lines([[Span(line)] for line in answer.answer.splitlines()])


def summary(
    screen: Screen,
    told: "Summary",
    decided: "MemorySettings",
    questions: Sequence["Question"],
) -> None:
    """What is remembered by topic, then what was decided, then what waits for an answer."""
    if told.count:
        pinned = f", {told.pinned} of them pinned" if told.pinned else ""
        screen.line(Span(f"{counted(told.count, 'entry', 'entries')} of you{pinned}:", "bold"))
        screen.lines([[Span(line)] for line in told.text.splitlines()], indent=1)
    else:
        screen.line(Span("Nothing is remembered of you here yet."))
    settings(screen, decided)
    for question in questions:
        screen.line(Span(question.reason, "yellow"))


def settings(screen: Screen, decided: "MemorySettings") -> None:
    """One sentence."""
    state = Span("on", "green") if decided.memory_enabled else Span("off", "red")
    kept = "as long as it fits"
    if decided.retention_days is not None:
        kept = f"for {counted(decided.retention_days, 'day')}"
    screen.line(
        Span("Memory is "),
        state,
        Span(f" here; up to {decided.soft_cap:,} entries are kept, {kept}."),
    )


def audit(screen: Screen, entries: Sequence["AuditEntry"]) -> None:
    """One action a line."""
    rows: list[list[Line]] = [
        [
            [Span(stamp(entry.at), "dim")],
            [Span(entry.action, "bold")],
            [Span(entry.subject or "")],
            [Span(entry.session or "", "dim")],
            [Span(entry.id, "dim")],
        ]
        for entry in entries
    ]
    if rows:
        screen.table(("when", "what", "to which", "session", "id"), rows)


def suspects(screen: Screen, found: Sequence["Suspect"]) -> None:
    """Each text with why it was set aside."""
    for one in found:
        screen.line(Span(one.id, "cyan"), Span(f"  {stamp(one.at)}  {one.origin}", "dim"))
        screen.line(Span("  it " + "; it ".join(one.reasons), "yellow"))
        screen.line(Span(f"  {shortened(one_line(one.text), 200)}"))


def budgets(screen: Screen, found: Sequence["Budget"]) -> None:
    """One budget a line."""
    rows: list[list[Line]] = [
        [
            [Span(one.kind, "bold")],
            [Span(f"{one.used:,.2f}".rstrip("0").rstrip("."))],
            [Span("no limit" if one.allowed is None else f"{one.allowed:,.0f}")],
            [Span(one.month, "dim")],
        ]
        for one in found
    ]
    screen.table(("kind", "used", "allowed", "month"), rows)
