"""Views of memos, topics, experts, gaps and related conversations."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, one_line, shortened, stamp

if TYPE_CHECKING:
    from recollect.vocabulary.workspace import (
        CoverageGap,
        Expert,
        KnowledgeImported,
        Memo,
        MemoHit,
        Related,
        Topic,
    )

_LINE = 100


def memos(screen: Screen, found: "Sequence[Memo]") -> None:
    """Memos, one per line, with their topics."""
    for one in found:
        screen.line(screen.name(one.id), StyledText(f"  {shortened(one.summary, _LINE)}", "bold"))
        screen.lines([[StyledText(_facts(one), "dim")]], indent=1)
    screen.names(one.id for one in found)


def memo(screen: Screen, one: "Memo") -> None:
    """One memo with the current text of its events."""
    screen.line(StyledText(one_line(one.summary) or "(its source was deleted)", "bold"))
    screen.lines([[StyledText(_facts(one), "dim")]], indent=1)
    for quote in one.quotes:
        when = "time unknown" if quote.time_unknown else stamp(quote.at)
        said = "(deleted)" if quote.deleted else one_line(quote.text)
        screen.lines(
            [
                [StyledText(f"{quote.author} in {quote.stream}, {when}: ", "dim")],
                [StyledText(said)],
            ],
            indent=1,
        )
    screen.line(StyledText(one.id, "dim"))


def hits(screen: Screen, found: "Sequence[MemoHit]") -> None:
    """Memos with their similarity."""
    for hit in found:
        screen.line(
            StyledText(f"{hit.score:.2f}  ", "bold"),
            StyledText(shortened(hit.memo.summary, _LINE)),
        )
        screen.lines([[StyledText(shortened(hit.preview, _LINE), "dim")]], indent=3)
        screen.lines([[StyledText(hit.memo.id, "dim")]], indent=3)


def topics(screen: Screen, found: "Sequence[Topic]") -> None:
    """Table of topics."""
    rows: list[list[Line]] = [
        [
            [StyledText(one.name, "bold")],
            [StyledText(f"{one.memos:,}")],
            [screen.when(one.last_activity)],
        ]
        for one in found
    ]
    if rows:
        screen.table(["topic", "memos", "last activity"], rows)


def experts(screen: Screen, found: "Mapping[str, Sequence[Expert]]") -> None:
    """Experts of each subject, with the evidence."""
    for subject, people in found.items():
        screen.line(StyledText(shortened(subject, _LINE), "bold"))
        for one in people:
            proof = f"{counted(one.answered, 'answer')}, {one.cited} cited, {one.helpful} helpful"
            screen.lines(
                [
                    [
                        StyledText(one.user, "cyan"),
                        StyledText(f"  {one.score:.2f}  {proof}", "dim"),
                    ]
                ],
                indent=1,
            )
            screen.lines(
                [[StyledText(shortened(sample.preview, _LINE))] for sample in one.samples],
                indent=2,
            )


def gaps(screen: Screen, found: "Sequence[CoverageGap]") -> None:
    """Table of questions without answers."""
    rows: list[list[Line]] = [
        [
            [StyledText(f"{one.asked}x", "bold")],
            [StyledText(one.query)],
            [screen.when(one.last_asked)],
        ]
        for one in found
    ]
    if rows:
        screen.table(["asked", "question", "last"], rows)


def related(screen: Screen, found: "Related") -> None:
    """Memos, then other conversations."""
    hits(screen, found.memos)
    for one in found.discussions:
        people = ", ".join(one.participants[:4])
        screen.line(
            StyledText(f"{one.score:.2f}  ", "bold"), StyledText(shortened(one.preview, _LINE))
        )
        where = f"{one.stream}, {stamp(one.at)}: {people}  {one.event_id}"
        screen.lines([[StyledText(where, "dim")]], indent=3)


def imported(screen: Screen, report: "KnowledgeImported") -> None:
    """Results of importing an older table."""
    already = f", {report.already_there:,} were there already" if report.already_there else ""
    lone = (
        f"; the message of {report.without_source:,} is not here" if report.without_source else ""
    )
    screen.line(
        StyledText(f"{report.added:,} of {report.read:,} rows became memos", "green"),
        StyledText(f"{already}{lone}."),
    )
    for problem in report.problems:
        screen.line(StyledText(problem, "yellow"))


def _facts(one: "Memo") -> str:
    parts = [", ".join(one.topics), f"confidence {one.confidence:.2f}", f"by {one.source.value}"]
    if one.primary_answerer:
        parts.append(f"answered by {one.primary_answerer}")
    return " · ".join(part for part in parts if part)
