"""What a model is given of a session to read: numbered lines, each the words of one event.

Users' turns with what they refused, what the agent stated, checks that failed and passed, and what
was written into a project's notes. What was said after strangers' words had been read is left out:
a page that imitates a correction is never read as one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from recollect.observer.phrases import shortened

#: So many characters of a session are read at most, and of one line.
ROOM: Final = 36_000
LINE: Final = 1_000


@dataclass(frozen=True, slots=True)
class MaterialLine:
    """The words of one event."""

    step: int
    event: str
    who: str
    text: str
    worth: float = 9.0

    @property
    def is_user(self) -> bool:
        """Whether a user said it."""
        return self.who.startswith("user")


def readable(lines: Iterable[MaterialLine]) -> tuple[MaterialLine, ...]:
    """The lines in their order, each event once, the least worth left out where room ends."""
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
    """The lines as a model reads them."""
    return tuple(
        f"[{number}] {one.who}: {shortened(one.text, LINE)}" for number, one in enumerate(lines)
    )
