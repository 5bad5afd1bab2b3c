"""Readers of other programs' histories, and the records that each of them gives.

A reader goes through its source once, in the source's own order, and can say at any time from where
it would go on. What it cannot read it counts and names as a problem, and goes on; it looks at
nothing outside of its source and changes nothing.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from recollect.vocabulary.events import EventKind
from recollect.vocabulary.streams import StreamAccess, StreamKind

PROBLEMS_LISTED: Final = 20
#: What the payload of an event says whose time could not be read.
TIME_UNKNOWN: Final = "time_unknown"

Position = Mapping[str, Any]


class StreamWish(NamedTuple):
    """The stream a record wants to be on, for when it is not there yet."""

    name: str
    kind: StreamKind = StreamKind.CHAT
    access: StreamAccess = StreamAccess.OPEN
    members: tuple[str, ...] = ()


class Reference(NamedTuple):
    """Another record of the same stream, as the source names it; its time, if the source tells."""

    external_id: str
    occurred_at: datetime | None = None


class Record(NamedTuple):
    """One thing that happened, as its source tells it, and the position after it.

    ``assumed_at`` is where a record without a time of its own stands among the others.
    """

    text: str
    kind: EventKind
    author: str | None
    occurred_at: datetime | None
    payload: Mapping[str, Any]
    external_id: str
    stream: str
    place: int | str
    after: int
    answers: Reference | None = None
    reply_to: str | None = None
    edited_at: datetime | None = None
    reactions: tuple[tuple[str, str], ...] = ()
    assumed_at: datetime | None = None


class Problems:
    """What could not be read: all of it counted, the first few named."""

    def __init__(
        self,
        count: int = 0,
        listed: tuple[str, ...] = (),
        without_time: int = 0,
        repaired: int = 0,
    ) -> None:
        self.count = count
        self.listed = list(listed)
        self.without_time = without_time
        self.repaired = repaired

    def add(self, place: int | str, why: str) -> None:
        """Note one that is left out; a number is that of a line."""
        self.count += 1
        self._name(place, why)

    def add_without_time(self, place: int | str, why: str) -> None:
        """Note one that is kept although its time cannot be read."""
        self.without_time += 1
        self._name(place, f"kept without a time, {why}")

    def add_repaired(self, place: int | str) -> None:
        """Note one that is kept with a sign in place of bytes that are no UTF-8."""
        self.repaired += 1
        self._name(place, "kept, with \ufffd for bytes that are not UTF-8")

    def _name(self, place: int | str, why: str) -> None:
        if len(self.listed) < PROBLEMS_LISTED:
            where = f"line {place:,}" if isinstance(place, int) else place
            self.listed.append(f"{where}: {why}")


class Reader(Protocol):
    """One source, read once."""

    @property
    def format(self) -> str:
        """The name of the format."""
        ...

    @property
    def name(self) -> str:
        """What a person would call the source."""
        ...

    @property
    def fingerprint(self) -> str:
        """What tells this source from others, wherever it lies and however it has grown."""
        ...

    @property
    def total(self) -> int:
        """How long the source is, in whatever it is measured by."""
        ...

    @property
    def done(self) -> int:
        """How much of that was read."""
        ...

    @property
    def taken(self) -> int:
        """How many bytes of content were taken up, to tell when a batch is heavy."""
        ...

    def continues(self, position: Position) -> bool:
        """Whether the source is still the same up to a position that was noted earlier."""
        ...

    def records(self, position: Position | None, problems: Problems) -> Iterator[Record]:
        """What stands after the position, or everything."""
        ...

    def position(self) -> Position | None:
        """From where to go on when all that was given is kept; None where it cannot go on.

        ``after`` in it is the ``after`` of the last record before it.
        """
        ...

    def wish(self, stream: str) -> StreamWish:
        """How a stream is to be opened."""
        ...

    def close(self) -> None:
        """Let go of the source."""
        ...
