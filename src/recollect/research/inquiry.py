"""State of one research question: searches made, events gathered, confidence so far."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.research.questions import ReadQuestion
from recollect.research.topic_speakers import FoundPassage
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.events import Event
from recollect.vocabulary.research import ResearchRound
from recollect.vocabulary.spaces import Space

#: Maximum number of events that an answer draws on, and that it cites.
MAX_EVENTS: Final = 10
MAX_CITED: Final = 5
_WORTH_CITING: Final = 0.35  # share of the best score
_NEAR_BEST: Final = 0.5  # share of the best score in the same search

Stop = Callable[[], bool]


@dataclass(slots=True)
class Inquiry:
    """A question, its asker, and everything found so far."""

    viewer: Viewer
    space: Space
    question: ReadQuestion
    session: str | None
    uses_model: bool
    stop: Stop
    searched: list[str] = field(default_factory=list)
    gathered: dict[str, FoundPassage] = field(default_factory=dict)
    found: list[FoundPassage] = field(default_factory=list)  # results of the question as asked
    near: set[str] = field(default_factory=set)
    nameless: list[FoundPassage] = field(default_factory=list)
    people: frozenset[str] = frozenset()
    #: Events that asked the same, each with its best reply; None where nobody replied.
    asked_before: dict[str, Event | None] = field(default_factory=dict)
    #: What was found out about each of the questions that this one joins.
    parts: "list[Inquiry]" = field(default_factory=list)
    memos: tuple[str, ...] = ()
    rounds: list[ResearchRound] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    confidence: float = 0.0
    closed: str | None = None

    @property
    def best(self) -> list[FoundPassage]:
        """The gathered events, best first, at most as many as an answer may draw on."""
        ordered = sorted(self.gathered.values(), key=lambda one: -one.score)[:MAX_EVENTS]
        return [one for one in ordered if one.score >= _WORTH_CITING * ordered[0].score]

    def found_by(self, passages: Sequence[FoundPassage]) -> None:
        """Note the events that score near the best of a search, which always finds others too."""
        best = max((one.score for one in passages), default=0.0)
        self.near |= {one.event.id for one in passages if one.score >= _NEAR_BEST * best}

    def citable(self, events: Sequence[Event]) -> list[Event]:
        """The events worth quoting; events far from the question are left out, as they would
        distract.
        """
        far = self.gathered.keys() - self.near
        return ([one for one in events if one.id not in far] or list(events))[:MAX_CITED]

    def gather(self, passages: Sequence[FoundPassage], worth: float = 1.0) -> None:
        """Add passages to the gathered ones; of duplicates the better score is kept."""
        for event, score in passages:
            kept = self.gathered.get(event.id)
            if kept is None or kept.score < worth * score:
                self.gathered[event.id] = FoundPassage(event, worth * score)
