"""Views of personal memory: summary, settings, audit log, quarantine, budgets."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, one_line, shortened, stamp

if TYPE_CHECKING:
    from recollect.vocabulary.budgets import Budget
    from recollect.vocabulary.personal import (
        AuditEntry,
        Entry,
        MemorySettings,
        Question,
        Said,
        Summary,
        Suspect,
    )

_MORE: Final = re.compile(r"- and \d+ more")


def answer_lines(screen: Screen, answer: "Said") -> None:
    """Answer, line by line."""
    if answer.answer:
        screen.lines([[StyledText(line)] for line in answer.answer.splitlines()])


def summary(
    screen: Screen,
    shown: "Summary",
    decided: "MemorySettings",
    questions: Sequence["Question"],
) -> None:
    """Entries by topic, then settings, then open questions."""
    if shown.count:
        pinned = f", {shown.pinned} of them pinned" if shown.pinned else ""
        screen.line(
            StyledText(f"{counted(shown.count, 'entry', 'entries')} of you{pinned}:", "bold")
        )
        screen.lines([[StyledText(line)] for line in shown.text.splitlines()], indent=1)
    else:
        screen.line(StyledText("Nothing is remembered about you here yet."))
    settings(screen, decided)
    open_questions(screen, questions)


def is_shortened(shown: "Summary") -> bool:
    """Whether a summary leaves entries out."""
    return any(_MORE.fullmatch(line) for line in shown.text.splitlines())


def entries(screen: Screen, found: Sequence["Entry"], questions: Sequence["Question"]) -> None:
    """Entries, one per line, then open questions."""
    rows: list[list[Line]] = [
        [
            [StyledText(entry.id, "cyan")],
            [StyledText(stamp(entry.memory.valid_from), "dim")],
            [StyledText("pinned" if entry.memory.pinned else "", "bold")],
            [StyledText(shortened(one_line(entry.memory.content), 160))],
        ]
        for entry in found
    ]
    if rows:
        screen.table(("id", "told", "", "what"), rows)
    open_questions(screen, questions)


def open_questions(screen: Screen, questions: Sequence["Question"]) -> None:
    """Open questions, one per line."""
    for question in questions:
        screen.line(StyledText(question.reason, "yellow"))


def settings(screen: Screen, decided: "MemorySettings") -> None:
    """Settings in one sentence."""
    state = StyledText("on", "green") if decided.memory_enabled else StyledText("off", "red")
    kept = "as long as it fits (nothing is erased by age: 'recollect memory retain 180' would)"
    if decided.retention_days is not None:
        kept = f"for {counted(decided.retention_days, 'day')}"
    screen.line(
        StyledText("Memory is "),
        state,
        StyledText(f" here; up to {decided.soft_cap:,} entries are kept, {kept}."),
    )


def audit(screen: Screen, entries: Sequence["AuditEntry"]) -> None:
    """Actions, one per line."""
    rows: list[list[Line]] = [
        [
            [StyledText(stamp(entry.at), "dim")],
            [StyledText(entry.action, "bold")],
            [StyledText(entry.subject or "")],
            [StyledText(entry.session or "", "dim")],
            [StyledText(entry.id, "dim")],
        ]
        for entry in entries
    ]
    if rows:
        screen.table(("when", "what", "to which", "session", "id"), rows)


def suspects(screen: Screen, found: Sequence["Suspect"]) -> None:
    """Quarantined texts, each with the reason."""
    for one in found:
        screen.line(
            StyledText(one.id, "cyan"), StyledText(f"  {stamp(one.at)}  {one.origin}", "dim")
        )
        screen.line(StyledText("  it " + "; it ".join(one.reasons), "yellow"))
        screen.line(StyledText(f"  {shortened(one_line(one.text), 200)}"))


def budgets(screen: Screen, found: Sequence["Budget"]) -> None:
    """Budgets, one per line."""
    rows: list[list[Line]] = [
        [
            [StyledText(one.kind, "bold")],
            [StyledText(f"{one.used:,.2f}".rstrip("0").rstrip("."))],
            [StyledText("no limit" if one.allowed is None else f"{one.allowed:,.0f}")],
            [StyledText(one.month, "dim")],
        ]
        for one in found
    ]
    screen.table(("kind", "used", "allowed", "month"), rows)
