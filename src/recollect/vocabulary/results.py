"""What calls give back: pages of a list, what recall found with why, what long work did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, TypeVar

from recollect.vocabulary.code import Chunk
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory

T = TypeVar("T")

#: How many of the last sessions a recall may be kept to, whoever asks.
MOST_SESSIONS: Final = 100


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a longer list, and the cursor that fetches the next."""

    items: tuple[T, ...]
    next_cursor: str | None = None


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


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    ``skipped`` was left out, ``without_time`` was kept although its time could not be read, and
    ``problems`` names the first of both.
    """

    read: int
    added: int
    already_there: int
    skipped: int
    streams: int
    problems: tuple[str, ...] = ()
    without_time: int = 0
    private: int = 0  # of the streams, those that only the people in them may read
    repaired: int = 0  # of what was read, what held bytes that are not UTF-8


@dataclass(frozen=True, slots=True)
class PartReport:
    """How one part of a store compares with the same part of another."""

    part: str
    source_rows: int
    source_digest: str
    target_rows: int
    target_digest: str
    same: bool


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move did, and how the two stores compare. ``copied`` is what this run brought over."""

    parts: tuple[PartReport, ...]
    copied: int
    resumed: bool
    anew: bool
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RescuedTable:
    """One table of a damaged store: rows that can be read, and rows that are lost.

    ``exact`` says whether ``lost`` is known; otherwise it is the least that it may be.
    ``lost_ids`` names some of the lost rows, as far as an index of theirs is left.
    """

    table: str
    rows: int
    lost: int = 0
    exact: bool = True
    lost_ids: tuple[str, ...] = ()
    #: Whether it is made anew from the others, so that nothing is lost with it.
    derived: bool = False

    @property
    def whole(self) -> bool:
        """Whether every row of it can be read, or made anew."""
        return self.derived or (self.exact and not self.lost)


@dataclass(frozen=True, slots=True)
class RescueReport:
    """What of a damaged store can be read; and what was made of it, where a target was named."""

    source: str
    target: str | None
    tables: tuple[RescuedTable, ...]
    #: Rows that were left out because what they belong to is lost, by table.
    orphans: Mapping[str, int] = field(default_factory=dict)
    #: What had to be put in place of something that is lost, in words.
    replaced: tuple[str, ...] = ()
    indexed: int = 0
    #: Whether somebody wrote to the source while it was read.
    changed_meanwhile: bool = False

    @property
    def rows(self) -> int:
        """How many rows can be read."""
        return sum(one.rows for one in self.tables)

    @property
    def whole(self) -> bool:
        """Whether nothing is lost."""
        return not self.orphans and not self.replaced and all(one.whole for one in self.tables)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something that an export had to leave out: what it is, and its id where that is known."""

    kind: str
    id: str | None
    problem: str
