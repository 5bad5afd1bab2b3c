"""The half of an import that goes ahead of the writing: records become batches ready to be kept.

This runs in a thread of its own and only reads. Batches end where the reader can go on from, or
carry the last such place; so whatever of them is kept, the rest can be read again and nothing is
written twice.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Final, NamedTuple

from recollect.inference.indexer import Indexer
from recollect.pages.formats import Position, Problems, Reader, Record, Reference
from recollect.pages.prepared import PreparedEvent, index_all, named_id, prepare
from recollect.pages.streams import Streams
from recollect.storage.imports import Checkpoint
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import ImportFailed, InvalidInput, NotAllowed, StreamNotFound
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream, StreamAccess
from recollect.vocabulary.text import checked_name

BATCH: Final = 4_000
HEAVY_BATCH: Final = 16 * 1024 * 1024
NAMES_KEPT: Final = 100_000
STREAMS_NOTED: Final = 10_000

Name = tuple[str, str]


class Met(NamedTuple):
    """A stream that the import met for the first time, and whether it must be opened."""

    stream: Stream
    new: bool
    members: tuple[str, ...] = ()


class Tally(NamedTuple):
    """What was read so far, in this run and before it."""

    read: int
    skipped: int
    problems: tuple[str, ...]
    streams: int


class Batch(NamedTuple):
    """Events to be kept in one transaction, and where the import then stands."""

    events: list[PreparedEvent]
    met: tuple[Met, ...]
    answered: frozenset[str]
    marked: dict[str, Record]
    tally: Tally
    done: int
    position: Position
    settled: int
    last: bool


class Batches:
    """Makes the batches of one import, from its checkpoint on."""

    def __init__(
        self,
        reader: Reader,
        start: Checkpoint | None,
        again: Callable[[], Reader],
        *,
        viewer: Viewer,
        space: Space,
        streams: Streams,
        indexer: Indexer,
        clock: Clock,
    ) -> None:
        noted: Position = start.position if start else {}
        self._reader = reader
        self._viewer, self._space = viewer, space
        self._streams, self._indexer, self._clock = streams, indexer, clock
        self._ids: dict[str, str] = {}
        self._met: list[Met] = []
        self._seen: set[str] = set(noted.get("streams", ()))
        self._problems = Problems(noted.get("skipped", 0), tuple(noted.get("problems", ())))
        self._position, self._settled = noted, start.read if start else 0
        self._read = self._settled
        self._names = _Names(lambda: self._earlier(again(), noted) if noted else iter(()))

    def __iter__(self) -> Generator[Batch, None, None]:
        """The batches in order; what was read before a failure comes before the failure."""
        records = self._reader.records(self._position.get("at"), self._problems)
        while True:
            taken, end = self._take(records)
            yield self._batch(taken, last=end is _END)
            if isinstance(end, ImportFailed):
                raise end
            if end is _END:
                return

    def _take(self, records: Iterator[Record]) -> tuple[list[Record], object]:
        """As many records as a batch has, and how it ended."""
        taken: list[Record] = []
        heavy = self._reader.taken + HEAVY_BATCH
        try:
            for record in records:
                taken.append(record)
                if len(taken) == BATCH or self._reader.taken > heavy:
                    return taken, None
        except ImportFailed as error:
            return taken, error
        return taken, _END

    def _batch(self, taken: Sequence[Record], *, last: bool) -> Batch:
        events, marked = self._prepared(taken)
        own = {event.id for event in events} if any(event.reply_to for event in events) else set()
        answered = {event.reply_to for event in events if event.reply_to} - own
        self._read += len(events)
        self._settle()
        met, self._met = tuple(self._met), []
        return Batch(
            index_all(events, self._indexer),
            met,
            frozenset(answered),
            marked,
            self._tally(),
            self._reader.done,
            self._position,
            self._settled,
            last,
        )

    def _prepared(self, taken: Sequence[Record]) -> tuple[list[PreparedEvent], dict[str, Record]]:
        """The events of the records that fit; the records of those that bring more along."""
        now, author = self._clock(), self._viewer.user
        events: list[PreparedEvent] = []
        marked: dict[str, Record] = {}
        waiting: list[tuple[int, Record, Reference]] = []
        names: dict[Name, str] = {}
        for record in taken:
            try:
                stream = self._ids.get(record.stream) or self._meet(record.stream)
                event = prepare(record, stream, author, now)
            except (InvalidInput, StreamNotFound) as error:
                self._problems.add(record.place, error.message)
                continue
            names[stream, record.external_id] = event.id
            if record.answers is not None:
                waiting.append((len(events), record, record.answers))
            if record.reactions or record.edited_at is not None:
                marked.setdefault(event.id, record)
            events.append(event)
        self._names.note(names)
        for place, record, answers in waiting:
            events[place] = self._answering(events[place], record, answers)
        return events, marked

    def _answering(self, event: PreparedEvent, record: Record, answers: Reference) -> PreparedEvent:
        """The event with the id of what it answers; what cannot be found stays in its payload."""
        target = self._target(event.stream_id, answers)
        if target is not None and target != event.id:
            return event._replace(reply_to=target)
        told = record._replace(payload={"reply_to": answers.external_id, **record.payload})
        return event._replace(payload=prepare(told, event.stream_id, "-", self._clock()).payload)

    def _target(self, stream: str, answers: Reference) -> str | None:
        if answers.occurred_at is not None:
            return named_id(stream, answers.external_id, answers.occurred_at)
        return self._names.find((stream, answers.external_id))

    def _earlier(self, reader: Reader, noted: Position) -> Iterator[tuple[Name, str]]:
        """Names and ids of the records before the checkpoint."""
        end = noted["at"]["after"]
        for record in reader.records(None, Problems()):
            if record.after > end:
                return
            try:
                stream = self._ids.get(record.stream) or self._meet(record.stream)
            except (InvalidInput, StreamNotFound):
                continue
            event = named_id(stream, record.external_id, record.occurred_at)
            yield (stream, record.external_id), event

    def _meet(self, name: str) -> str:
        """The id of a stream that was not met before in this run."""
        wish = self._reader.wish(name)
        plain = checked_name(wish.name, "stream")
        if plain not in self._ids:
            stream, new = self._streams.planned(
                self._viewer, self._space, plain, kind=wish.kind, access=wish.access
            )
            if wish.access is StreamAccess.PRIVATE and stream.access is not StreamAccess.PRIVATE:
                raise NotAllowed(
                    f"The stream {stream.name!r} is open, and a private one is to be imported.",
                    hint="Make it private first, or import into another space.",
                )
            self._met.append(Met(stream, new, wish.members))
            self._seen.add(stream.name)
            self._ids[plain] = stream.id
        self._ids[name] = self._ids[plain]
        return self._ids[plain]

    def _settle(self) -> None:
        """Move the position up to here, if the reader could go on from here."""
        at = self._reader.position()
        if at is None:
            return
        self._settled = self._read
        noted: dict[str, Any] = {"at": at}
        if self._problems.count:
            noted |= {"skipped": self._problems.count, "problems": self._problems.listed}
        self._position = noted | {"streams": sorted(self._seen)[:STREAMS_NOTED]}

    def _tally(self) -> Tally:
        problems = self._problems
        return Tally(self._read, problems.count, tuple(problems.listed), len(self._seen))


class _Names:
    """Ids of events by what their source calls them: of the latest, and once of all before them."""

    def __init__(self, earlier: Callable[[], Iterator[tuple[Name, str]]]) -> None:
        self._earlier: Callable[[], Iterator[tuple[Name, str]]] | None = earlier
        self._young: dict[Name, str] = {}
        self._old: dict[Name, str] = {}

    def note(self, names: dict[Name, str]) -> None:
        """Remember a batch's names."""
        self._young.update(names)
        if len(self._young) >= NAMES_KEPT // 2:
            self._old, self._young = self._young, {}

    def find(self, name: Name) -> str | None:
        """The event of that name; what was read before this run is looked through at most once."""
        found = self._young.get(name) or self._old.get(name)
        if found is None and self._earlier is not None:
            earlier, self._earlier = self._earlier, None
            self._old |= {key: event for key, event in earlier() if key not in self._young}
            found = self._old.get(name)
        return found


_END: Final = object()
