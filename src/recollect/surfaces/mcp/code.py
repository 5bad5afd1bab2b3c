"""The code graph for the tools, where there is one; an honest word where there is none."""

from collections.abc import Sequence
from typing import Any, Final

from recollect.engine import Recollect

NO_INDEX: Final = "No code index yet; run 'recollect index' in the project first."
SHOWN: Final = 20


def code_of(memory: Recollect) -> Any:
    """The verbs of the code graph; None where nothing has been indexed."""
    code = getattr(memory, "code", None)
    return code if code is not None and code.status().get("indexed") else None


def impact(found: Any, limit: int = SHOWN) -> str:
    """What a change reaches: users, tests, notes, in short lines."""
    lines = [f"A change of {found.target} may reach {len(found.touched) + found.cut} places."]
    lines += _places("used by", found.touched, limit)
    lines += _places("tested by", found.tests, limit)
    lines += [f"note: {_note(one)}" for one in found.memories[:5]]
    return "\n".join([*lines, *found.notes])


def neighbours(heading: str, found: Any, limit: int = SHOWN) -> str:
    """What is near a target, in short lines."""
    lines = _places(heading, found.reached, limit) or [f"{heading}: nothing known"]
    return "\n".join([f"{found.target}:", *lines, *found.notes])


def _places(heading: str, places: Sequence[Any], limit: int) -> list[str]:
    lines = [
        f"{heading} {place.node.label}:{place.node.start_line} (step {place.depth}, "
        f"{place.score:.2f})"
        for place in places[:limit]
    ]
    left = len(places) - limit
    return [*lines, f"{heading} {left} more"] if left > 0 else lines


def _note(one: Any) -> str:
    return f"[{one.get('type', 'note')} {str(one.get('id', ''))[-8:]}] {one.get('content', '')}"
