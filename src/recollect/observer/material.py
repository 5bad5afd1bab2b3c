"""Material of a session for a model to read: numbered lines, each the text of one event.

It holds users' turns with what they refused, statements of the agent, checks that failed and
passed, and additions to a project's notes. Statements that follow outside text are left out, so
that a page that imitates a correction is never read as one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.observer.phrases import shortened

#: Maximum characters read of a session, and of one line.
ROOM: Final = 36_000
LINE: Final = 1_000


@dataclass(frozen=True, slots=True)
class MaterialLine:
    """Text of one event."""

    step: int
    event: str
    who: str
    text: str
    worth: float = 9.0

    @property
    def is_user(self) -> bool:
        """Whether a user wrote the line."""
        return self.who.startswith("user")


def readable(lines: Iterable[MaterialLine]) -> tuple[MaterialLine, ...]:
    """Lines in their order, each event once; the least valuable are left out beyond the limit."""
    known: dict[str, MaterialLine] = {}
    for one in lines:
        if one.event and one.text.strip():
            known.setdefault(one.event, one)
    room, kept = ROOM, set[str]()
    for one in sorted(known.values(), key=lambda one: -one.worth):
        room -= min(LINE, len(one.text)) + 40
        if room < 0:
            break
        kept.add(one.event)
    return tuple(
        sorted((one for one in known.values() if one.event in kept), key=lambda one: one.step)
    )


def numbered(lines: Sequence[MaterialLine]) -> tuple[str, ...]:
    """The lines as shown to a model."""
    return tuple(
        f"[{number}] {one.who}: {shortened(one.text, LINE)}" for number, one in enumerate(lines)
    )
