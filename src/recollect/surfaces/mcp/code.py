"""Text answers from the code graph: a few lines, nearest first, each with the path to it."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from recollect.engine.for_surfaces import FRAME
from recollect.surfaces.mcp.answers import note_line
from recollect.vocabulary.code import Impact, Neighbourhood, Touched
from recollect.vocabulary.errors import CodeNotIndexed
from recollect.vocabulary.memory import Memory

NO_INDEX: Final = "No code index yet; run 'recollect index' in the project first."
#: Most places of a list, and most notes, that an answer shows.
SHOWN: Final = 25

A = TypeVar("A")


def asked(ask: Callable[[], A], tell: Callable[[A], str]) -> str:
    """Answer of the code graph, or a plain statement when nothing has been indexed."""
    try:
        return tell(ask())
    except CodeNotIndexed:
        return NO_INDEX


def impact_text(found: Impact, notes: Sequence[Memory]) -> str:
    """Impact of a change: users of the target, tests that cover it, and notes on their files."""
    head = f"Changing {found.target} may reach {len(found.touched) + found.cut:,} places."
    parts = [head, *_lines("Uses it", [one for one in found.touched if not one.test])]
    parts += _lines("Tests that cover it", found.tests)
    if notes:
        parts += [FRAME, "Notes on these files:", *(f"- {note_line(one)}" for one in notes)]
    return "\n".join([*parts, *found.notes])


def needs_text(needs: Neighbourhood, users: Neighbourhood) -> str:
    """Dependencies and dependents of a target."""
    parts = [
        needs.target,
        *(_lines("Uses", needs.reached) or ["Uses nothing of this code that is known."]),
        *(_lines("Used by", users.reached) or ["Nothing is known to use it."]),
    ]
    return "\n".join([*parts, *needs.notes])


def flow_text(found: Neighbourhood, wanted: str | None = None) -> str:
    """Data flow from a symbol: to a given symbol, or to any."""
    nowhere = (
        "Nothing is known to be called from it."
        if wanted is None
        else f"No way from it to {wanted} is known."
    )
    parts = [found.target, *(_lines("Goes to", found.reached) or [nowhere])]
    return "\n".join([*parts, *found.notes])


def _lines(title: str, touched: Sequence[Touched]) -> list[str]:
    if not touched:
        return []
    shown = [
        f"- {one.node.label}:{one.node.start_line} ({_path_text(one)})" for one in touched[:SHOWN]
    ]
    more = len(touched) - len(shown)
    return [f"{title}:", *shown, *([f"- and {more:,} more"] if more else [])]


def _path_text(one: Touched) -> str:
    steps = " <- ".join(step.kind for step in one.path)
    return f"{steps or 'itself'}, {one.depth} away"
