"""One question on its way to an answer: what was searched for, what is gathered, how sure it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.research.evidence import FoundPassage
from recollect.research.questions import ReadQuestion
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import ResearchRound
from recollect.vocabulary.spaces import Space

#: An answer draws on no more events than these, and cites no more than those.
MAX_EVENTS: Final = 10
MAX_CITED: Final = 5
_WORTH_CITING: Final = 0.35  # beside the best
_NEAR_BEST: Final = 0.5  # beside the best of the same search

Stop = Callable[[], bool]


@dataclass(slots=True)
class Inquiry:
    """A question, who asks it, and everything that was found out about it so far."""

    viewer: Viewer
    space: Space
    question: ReadQuestion
    session: str | None
    uses_model: bool
    stop: Stop
    searched: list[str] = field(default_factory=list)
    gathered: dict[str, FoundPassage] = field(default_factory=dict)
    found: list[FoundPassage] = field(default_factory=list)  # by the question as it was asked
    near: set[str] = field(default_factory=set)
    nameless: list[FoundPassage] = field(default_factory=list)
    people: frozenset[str] = frozenset()
    #: Events that asked the same, each with its best reply; None where nobody replied.
    asked_before: dict[str, Event | None] = field(default_factory=dict)
    memos: tuple[str, ...] = ()
    rounds: list[ResearchRound] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    confidence: float = 0.0
    closed: str | None = None

    @property
    def best(self) -> list[FoundPassage]:
        """What was gathered, the best first, no more than an answer may draw on."""
        ordered = sorted(self.gathered.values(), key=lambda one: -one.score)[:MAX_EVENTS]
        return [one for one in ordered if one.score >= _WORTH_CITING * ordered[0].score]

    def found_by(self, passages: Sequence[FoundPassage]) -> None:
        """Note which events of a search come near its best: it always finds others too."""
        best = max((one.score for one in passages), default=0.0)
        self.near |= {one.event.id for one in passages if one.score >= _NEAR_BEST * best}

    def citable(self, events: Sequence[Event]) -> list[Event]:
        """Those that answer in their own words: far from a question they would only distract."""
        far = self.gathered.keys() - self.near
        return ([one for one in events if one.id not in far] or list(events))[:MAX_CITED]

    def gather(self, passages: Sequence[FoundPassage], worth: float = 1.0) -> None:
        """Add passages to what is gathered; of one that is there already the better score stays."""
        for event, score in passages:
            kept = self.gathered.get(event.id)
            if kept is None or kept.score < worth * score:
                self.gathered[event.id] = FoundPassage(event, worth * score)
