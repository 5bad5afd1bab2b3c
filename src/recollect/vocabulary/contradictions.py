"""Contradictions: two memories that cannot both be true, and their resolution."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.memory import Memory


class ContradictionKind(StrEnum):
    """The way in which two memories contradict each other."""

    VALUE = "value"  # the same thing with another value
    NEGATION = "negation"
    ADVICE = "advice"  # the opposite is advised
    ENDED = "ended"  # the later one says that it is over
    REPLACED = "replaced"  # something else has replaced it


class Resolution(StrEnum):
    """How a contradiction was resolved."""

    A_WINS = "a_wins"  # the other one is superseded
    B_WINS = "b_wins"
    BOTH = "both"  # both are true: in different places, at different times
    MERGED = "merged"  # a new memory replaces both


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that cannot both be true; ``a`` is the one that was known first."""

    id: str
    a: Memory
    b: Memory
    kind: ContradictionKind
    reason: str
    score: float
    detected_at: datetime
    #: Who found it: ``rules``, or the name of a model.
    judged_by: str = "rules"
    resolution: Resolution | None = None
    note: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    #: The memory that replaced both, if they were merged.
    merged_id: str | None = None
    #: Which one is probably right: the later one; None on the same day.
    suggested: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        a, b = self.a.valid_from, self.b.valid_from
        if a.date() != b.date():
            object.__setattr__(self, "suggested", "b" if b > a else "a")


def in_display_order(a: Memory, b: Memory) -> tuple[Memory, Memory]:
    """Two contradicting memories in display order: a personal one first if it is more confident and
    newer than the shared one, otherwise the shared one first; between equals, the later one.
    """
    own = [one for one in (a, b) if one.audience.visibility is Visibility.PERSONAL]
    if len(own) == 1:
        mine, others = own[0], b if own[0] is a else a
        leads = mine.confidence >= others.confidence and mine.valid_from > others.valid_from
        return (mine, others) if leads else (others, mine)
    return (b, a) if b.valid_from >= a.valid_from else (a, b)


def reach(one: Memory) -> str:
    """Reach of a memory: its owner alone, or others too."""
    visibility = one.audience.visibility
    personal = visibility is Visibility.PERSONAL
    return f"personal to {one.audience.owner}" if personal else visibility.value
