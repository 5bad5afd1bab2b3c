"""What recall gives back: what was found, and why."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory

#: How many of the last sessions a recall may be kept to, whoever asks.
MOST_SESSIONS: Final = 100
#: How many tokens a text for a prompt may have, and how many it has where nobody says.
LARGEST_BUDGET: Final = 10_000_000
DEFAULT_BUDGET: Final = 8_000


@dataclass(frozen=True, slots=True)
class ScorePart:
    """What one signal gave to a score: its value from 0 to 1, its weight, and their share."""

    signal: str
    value: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class Why:
    """Why something stands where it stands: the parts of its relevance, then what changed it."""

    parts: tuple[ScorePart, ...]
    relevance: float
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something that was looked at and left out, and why."""

    id: str
    text: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Packed:
    """What was found as one text for a prompt, never over its budget, with what it cites."""

    text: str
    tokens: int
    budget: int
    cited: tuple[str, ...]
    left_out: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file that recall can find: a function, a class head, a section, some lines."""

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
    """One thing recall found: a memory, an event or a chunk of code, with each leg's part in it."""

    item: Memory | Event | Chunk
    score: float
    keyword_score: float | None = None
    keyword_rank: int | None = None
    vector_score: float | None = None
    vector_rank: int | None = None
    why: Why | None = None
    #: Why it came along although the question did not find it; None where it did.
    along: str | None = None
    #: Why it stands here: what its neighbours in the code lent it, or that a personal memory and
    #: what others hold contradict each other.
    reason: str = ""
    #: The passage of a long text that fits the question best; None where the text is short.
    passage: str | None = None

    @property
    def id(self) -> str:
        """The id of what was found."""
        return self.item.id

    @property
    def text(self) -> str:
        """The words of what was found."""
        return self.item.content if isinstance(self.item, Memory) else self.item.text

    @property
    def path(self) -> str | None:
        """The file that a piece of code stands in; None for what is no code."""
        return self.item.path if isinstance(self.item, Chunk) else None

    @property
    def kind(self) -> str:
        """One of ``memory``, ``event`` and ``chunk``."""
        if isinstance(self.item, Chunk):
            return "chunk"
        return "memory" if isinstance(self.item, Memory) else "event"


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer of one recall, best first, and what could not take part in it."""

    query: str
    found: tuple[Found, ...]
    missing: tuple[str, ...] = ()
    profile: str = ""
    notes: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    packed: Packed | None = None
    #: What ``feedback`` is given to: the id of the question in its asker's log, if it is kept.
    id: str | None = None
    #: Whether nothing was looked for, because memory is off or the session incognito.
    closed: bool = False
    #: Whether nothing of it fits well: it shares a word with the question, and not its meaning.
    weak: bool = False

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)


@dataclass(frozen=True, slots=True)
class Stretch:
    """How often something came up from a time, up to but not at another."""

    start: datetime
    end: datetime
    count: int


@dataclass(frozen=True, slots=True)
class Trend:
    """How often something came up over time: rising, falling or steady."""

    query: str
    stretches: tuple[Stretch, ...]
    direction: str
    total: int


@dataclass(frozen=True, slots=True)
class Filters:
    """What recall and lists may be narrowed by. An empty field narrows nothing.

    What is archived, or no longer valid, shows only when it is asked for.
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
