"""Readers of other programs' histories, and the records that they produce.

A reader goes through its source once, in the source's own order, and can report at any time the
position from which to resume. Unreadable content is counted and reported as a problem, and reading
continues; a reader accesses nothing outside its source and changes nothing.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from recollect.vocabulary.events import EventKind
from recollect.vocabulary.streams import StreamAccess, StreamKind

PROBLEMS_LISTED: Final = 20

Position = Mapping[str, Any]


class StreamProperties(NamedTuple):
    """Properties of the stream for a record, used when the stream does not exist yet."""

    name: str
    kind: StreamKind = StreamKind.CHAT
    access: StreamAccess = StreamAccess.OPEN
    members: tuple[str, ...] = ()


class Reference(NamedTuple):
    """Another record of the same stream, by its name in the source, with its time if given."""

    external_id: str
    occurred_at: datetime | None = None


class Record(NamedTuple):
    """One event as its source describes it, and the position after it.

    ``assumed_at`` is the place in time of a record without a time of its own. ``has_id`` is true
    where the source itself gave the id, which may then come again with another time.
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
    has_id: bool = False


class Problems:
    """Unreadable content: all of it counted, the first few items named."""

    def __init__(
        self,
        count: int = 0,
        listed: tuple[str, ...] = (),
        *,
        without_time: int = 0,
        repaired: int = 0,
        repeated_ids: int = 0,
        unknown_replies: int = 0,
    ) -> None:
        self.count = count
        self.listed = list(listed)
        self.without_time = without_time
        self.repaired = repaired
        self.repeated_ids = repeated_ids
        self.unknown_replies = unknown_replies

    def add(self, place: int | str, why: str) -> None:
        """Report a record that is left out; a number is a line number."""
        self.count += 1
        self._name(place, why)

    def add_without_time(self, place: int | str, why: str) -> None:
        """Report a record that is kept although its time cannot be read."""
        self.without_time += 1
        self._name(place, f"kept without a time, {why}")

    def add_repaired(self, place: int | str) -> None:
        """Report a record that is kept with replacement characters for invalid UTF-8."""
        self.repaired += 1
        self._name(place, "kept, with \ufffd for bytes that are not UTF-8")

    def add_repeated_id(self, place: int | str, why: str) -> None:
        """Report a record whose id came before with another time or text."""
        self.repeated_ids += 1
        self._name(place, why)

    def add_unknown_reply(self, place: int | str, name: str) -> None:
        """Report a record that is kept although nothing before it has the id that it answers."""
        self.unknown_replies += 1
        self._name(place, f"kept as no answer: nothing before it has the id {name!r}")

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
        """Name of the source for a person."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of the source, independent of its location and of its growth."""
        ...

    @property
    def total(self) -> int:
        """Length of the source, in the unit of the format."""
        ...

    @property
    def done(self) -> int:
        """Amount read so far, in the unit of ``total``."""
        ...

    @property
    def taken(self) -> int:
        """Number of bytes of content read, to limit the size of a batch."""
        ...

    def continues(self, position: Position) -> bool:
        """Whether the source is unchanged up to a position that was recorded earlier."""
        ...

    def records(self, position: Position | None, problems: Problems) -> Iterator[Record]:
        """Records after the position, or all of them."""
        ...

    def position(self) -> Position | None:
        """Position to resume from once all records so far are stored; None if there is none.

        ``after`` in it is the ``after`` of the last record before it.
        """
        ...

    def stream_properties(self, stream: str) -> StreamProperties:
        """Properties with which a stream is opened."""
        ...

    def close(self) -> None:
        """Close the source."""
        ...
