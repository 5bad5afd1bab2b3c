"""Results of recall: the items found, their scores, and the explanation of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory

#: How many of the last sessions a recall may be kept to, whoever asks.
MAX_SESSIONS: Final = 100
#: Maximum number of tokens of a text for a prompt, and the default.
LARGEST_BUDGET: Final = 10_000_000
DEFAULT_BUDGET: Final = 8_000


@dataclass(frozen=True, slots=True)
class ScorePart:
    """Contribution of one signal to a score: its value from 0 to 1, its weight, its share."""

    signal: str
    value: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Why:
    """Explanation of a rank: the parts of its relevance, then the adjustments."""

    parts: tuple[ScorePart, ...]
    relevance: float
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was left out, and why."""

    id: str
    text: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Packed:
    """Results as one text for a prompt, within its budget, with its citations."""

    text: str
    tokens: int
    budget: int
    cited: tuple[str, ...]
    left_out: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A searchable piece of a file: a function, a class head, a section, some lines."""

    id: str
    space_id: str
    path: str
    kind: str
    name: str
    heading: str
    start_line: int
    end_line: int
    text: str
    role: str = "code"  # one of ``FileRole``


@dataclass(frozen=True, slots=True)
class Found:
    """One result of recall: a memory, an event or a chunk of code, with its keyword and vector
    ranks.
    """

    item: Memory | Event | Chunk
    score: float
    keyword_score: float | None = None
    keyword_rank: int | None = None
    vector_score: float | None = None
    vector_rank: int | None = None
    why: Why | None = None
    #: Why it was added although the question did not find it; None if it did.
    along: str | None = None
    #: Why it is here: relevance from its neighbours in the code, or that a personal memory and a
    #: shared one contradict each other.
    reason: str = ""
    #: The passage of a long text that fits the question best; None if the text is short.
    passage: str | None = None

    @property
    def id(self) -> str:
        """The id of the result."""
        return self.item.id

    @property
    def text(self) -> str:
        """The text of the result."""
        return self.item.content if isinstance(self.item, Memory) else self.item.text

    @property
    def path(self) -> str | None:
        """The file of a piece of code; None for other results."""
        return self.item.path if isinstance(self.item, Chunk) else None

    @property
    def kind(self) -> str:
        """One of ``memory``, ``event`` and ``chunk``."""
        if isinstance(self.item, Chunk):
            return "chunk"
        return "memory" if isinstance(self.item, Memory) else "event"


@dataclass(frozen=True, slots=True)
class Recalled:
    """The results of one recall, best first, and what could not take part in it."""

    query: str
    found: tuple[Found, ...]
    missing: tuple[str, ...] = ()
    profile: str = ""
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    packed: Packed | None = None
    #: Argument for ``feedback``: the id of the question in its asker's log, if it is logged.
    id: str | None = None
    #: Whether nothing was searched, because memory is off or the session incognito.
    closed: bool = False
    #: Whether nothing fits well: results share a word with the question, but not its meaning.
    weak: bool = False

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@dataclass(frozen=True, slots=True)
class TrendPeriod:
    """How often something came up in a time interval, its end excluded."""

    start: datetime
    end: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Trend:
    """How often something came up over time: rising, falling or steady."""

    query: str
    stretches: tuple[TrendPeriod, ...]
    direction: str
    total: int


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters for recall and lists. An empty field does not filter.

    Archived or no longer valid items are included only if requested.
    """

    types: frozenset[str] = field(default_factory=frozenset)
    sources: frozenset[str] = field(default_factory=frozenset)
    scopes: frozenset[str] = field(default_factory=frozenset)
    tags: frozenset[str] = field(default_factory=frozenset)
    files: frozenset[str] = field(default_factory=frozenset)
    modules: frozenset[str] = field(default_factory=frozenset)
    authors: frozenset[str] = field(default_factory=frozenset)
    streams: frozenset[str] = field(default_factory=frozenset)
    created_after: datetime | None = None
    created_before: datetime | None = None
    minimum_confidence: float | None = None
    pinned: bool | None = None
    needs_review: bool | None = None
    has_code: bool | None = None
    archived: bool = False
    superseded: bool = False
    as_of: datetime | None = None
    #: Leave out personal memories that are not preferences: they are no notes on a project.
    for_work: bool = False
