"""Views of contradictions, nightly runs and consolidations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.surfaces.cli.views.screen import Screen, StyledText
from recollect.surfaces.cli.views.words import one_line, shortened, stamp
from recollect.vocabulary.contradictions import reach

if TYPE_CHECKING:
    from recollect.vocabulary.contradictions import Contradiction
    from recollect.vocabulary.evolution import Consolidation, NightChange, NightReport

_WIDTH = 200
_NAMED = 3


def contradictions(screen: Screen, found: Sequence["Contradiction"]) -> None:
    """Contradictions, each with both texts and dates, and the decision."""
    for one in found:
        decided = f"  {one.resolution.value}" if one.resolution else ""
        screen.line(StyledText(one.id, "bold"), StyledText(f"  {one.reason}{decided}", "dim"))
        told_by = [(reach(side), side.provenance.created_by) for side in (one.a, one.b)]
        for name, memory, (whose, author) in zip("ab", (one.a, one.b), told_by, strict=True):
            later = "  (later)" if one.suggested == name else ""
            if told_by[0] != told_by[1]:
                later = f"  ({whose}, by {author}){later}"
            screen.line(
                StyledText(f"  {name}  {stamp(memory.valid_from)}  ", "dim"),
                StyledText(shortened(one_line(memory.content), _WIDTH)),
                StyledText(later, "dim"),
            )
        if one.note:
            screen.line(StyledText(f"  {one.note}"))


def reports(screen: Screen, found: Sequence["NightReport"]) -> None:
    """Summary of each night."""
    for one in found:
        first, *rest = one.text.splitlines()
        screen.line(StyledText(first, "bold"), StyledText(f"  {one.id}", "dim"))
        screen.lines([[StyledText(line)] for line in rest])


def changes(screen: Screen, found: Sequence["NightChange"]) -> None:
    """Changes, one per line."""
    screen.table(
        ["memory", "step", "before"],
        [
            [
                [StyledText(one.memory_id)],
                [StyledText(one.step.value)],
                [StyledText(", ".join(f"{name} {value}" for name, value in one.before.items()))],
            ]
            for one in found
        ],
    )


def consolidation(screen: Screen, done: "Consolidation") -> None:
    """Counts by step, with the first of the memories of each."""
    prefix = "Would be done" if done.dry_run else "Done"
    if not done.counts:
        screen.line(StyledText(f"{prefix}: nothing."))
    for name, count in done.counts.items():
        screen.line(StyledText(f"{prefix}: {name} {count:,}"))
        named = [" and ".join(pair) for pair in done.pairs.get(name, ())]
        named = named or list(done.memories.get(name, ()))
        screen.lines([[StyledText(f"  {one}", "dim")] for one in named[:_NAMED]])
        if len(named) > _NAMED:
            screen.line(StyledText(f"  and {len(named) - _NAMED:,} more: see --json", "dim"))
    if done.waiting:
        screen.line(StyledText(f"{done.waiting:,} more memories wait for the next time."))
