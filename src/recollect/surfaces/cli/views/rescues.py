"""Views of a rescue: what was saved of a damaged store, and what is lost, per table."""

from recollect.surfaces.cli.views.screen import Line, Screen, StyledText
from recollect.surfaces.cli.views.words import counted, listed
from recollect.vocabulary.reports import RescuedTable, RescueReport

_SHOWN = 5
#: The tables that hold what people kept, named before those that only belong to it.
_KEPT = ("memories", "events", "streams", "spaces", "contradictions", "memory_history")


def sentence(report: RescueReport) -> str:
    """Share of the store that can be read, in one or two sentences."""
    if report.whole:
        return f"Every row can be read: {counted(report.rows, 'row')}."
    lost = [one for one in report.tables if not one.whole]
    said = f"{counted(report.rows, 'row')} can be read."
    if not lost:
        return said
    kept = {one.table: one for one in lost}
    first = [f"{_lost(kept[name])} of {name}" for name in _KEPT if name in kept]
    rest = len(lost) - len(first)
    others = counted(rest, "other table" if first else "table")
    named = [*first, *([f"rows of {others}"] if rest else [])]
    return f"Lost: {listed(named)}. {said}"


def damage(screen: Screen, report: RescueReport) -> None:
    """Tables that have rows or lost some."""
    titles = ["table", "readable", "lost", ""]
    shown = [one for one in report.tables if one.rows or not one.whole]
    places = {name: place for place, name in enumerate(_KEPT)}
    shown.sort(key=lambda one: places.get(one.table, len(places)))
    rows = [_row(one) for one in shown]
    screen.table(titles, rows)


def rescued(screen: Screen, report: RescueReport) -> None:
    """Content of the new store, and what could not be copied into it."""
    damage(screen, report)
    for name, count in report.orphans.items():
        words = f"{counted(count, 'row')} of {name} belonged to something that is lost."
        screen.line(StyledText(words, "yellow"))
    for words in report.replaced:
        screen.line(StyledText(words, "yellow"))
    if report.changed_meanwhile:
        words = "Somebody wrote to the file meanwhile. Stop other programs and do it again."
        screen.line(StyledText(words, "bold red"))
    texts = counted(report.indexed, "text")
    screen.line(
        StyledText(f"Wrote {report.target}, with a new search index of {texts}. ", "bold green")
    )
    screen.line(
        StyledText(
            f"{sentence(report)} {report.source} is as it was; work with the new file by --db."
        )
    )


def _row(one: RescuedTable) -> list[Line]:
    if one.derived:
        note = "made anew"
    elif one.lost_ids:
        more = ", ..." if one.lost > _SHOWN else ""
        note = f"lost: {', '.join(one.lost_ids[:_SHOWN])}{more}"
    else:
        note = ""
    style = "" if one.whole else "bold red"
    return [
        [StyledText(one.table, "bold")],
        [StyledText(f"{one.rows:,}")],
        [StyledText("0" if one.whole and not one.lost else _lost(one), style)],
        [StyledText(note, "dim")],
    ]


def _lost(one: RescuedTable) -> str:
    if one.exact or one.derived:
        return f"{one.lost:,}"
    return f"at least {one.lost:,}" if one.lost else "an unknown number"
