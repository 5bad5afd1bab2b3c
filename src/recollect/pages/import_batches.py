"""The reading half of an import: turns records into batches that are ready to be stored.

It runs in a thread of its own and only reads. A batch ends at a position from which the reader can
resume, or carries the last such position; so whichever batches are stored, the rest can be read
again and nothing is written twice.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any, Final, NamedTuple

from recollect.index.indexer import Indexer
from recollect.pages.formats import Position, Problems, Reader, Record, Reference, StreamProperties
from recollect.pages.prepared import PreparedEvent, index_all, named_id, prepare
from recollect.pages.repeated_ids import RepeatedIds, Stored
from recollect.pages.streams import StreamLookup, Streams
from recollect.storage.pages.imports import Checkpoint
from recollect.trust.origins import origin_of
from recollect.trust.secrets import redacted
from recollect.vocabulary.arguments import NAME_LIMIT, checked_name
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock, from_microseconds, to_microseconds
from recollect.vocabulary.errors import ImportFailed, InvalidInput, NotAllowed, StreamNotFound
from recollect.vocabulary.ids import STREAM, derived_id
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.streams import Stream, StreamAccess

BATCH: Final = 4_000
HEAVY_BATCH: Final = 16 * 1024 * 1024
NAMES_KEPT: Final = 100_000
#: Characters of an id in the source that a problem shows.
NAME_SHOWN: Final = 40
#: What a checkpoint notes of the problems, besides how many records were left out.
_COUNTS: Final = ("without_time", "repaired", "repeated_ids", "unknown_replies")
STREAMS_NOTED: Final = 10_000
#: Owner of a private stream of which no member is known.
NOBODY: Final = "nobody"

Name = tuple[str, str]


class ImportStream(NamedTuple):
    """A stream that the import sees for the first time, and whether it must be opened."""

    stream: Stream
    new: bool
    members: tuple[str, ...] = ()
    audience: int | None = None  # of a stream that is there and that the importer may not read


class Tally(NamedTuple):
    """Counts of everything read so far, in this run and before."""

    read: int
    skipped: int
    problems: tuple[str, ...]
    streams: int
    without_time: int = 0
    private: int = 0
    repaired: int = 0
    repeated_ids: int = 0
    unknown_replies: int = 0


class Batch(NamedTuple):
    """Events to store in one transaction, and the position of the import after them."""

    events: list[PreparedEvent]
    import_streams: tuple[ImportStream, ...]
    answered: frozenset[str]
    marked: dict[str, Record]
    tally: Tally
    done: int
    position: Position
    settled: int
    last: bool


class Batches:
    """Makes the batches of one import, starting at its checkpoint."""

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
        stored: Stored,
        origin: str | None = None,
    ) -> None:
        noted: Position = start.position if start else {}
        self._reader = reader
        self._viewer, self._space = viewer, space
        self._streams, self._indexer, self._clock = streams, indexer, clock
        self._ids: dict[str, str] = {}
        self._import_streams: list[ImportStream] = []
        self._seen: set[str] = set(noted.get("streams", ()))
        self._private: set[str] = set(noted.get("private", ()))
        self._problems = Problems(
            noted.get("skipped", 0),
            tuple(noted.get("problems", ())),
            **{name: noted.get(name, 0) for name in _COUNTS},
        )
        self._existing: list[str] = []  # ids of streams that were there before
        self._repeated = RepeatedIds(stored)
        self._position, self._settled = noted, start.read if start else 0
        self._read = self._settled
        self._after: int = noted["at"]["after"] if noted else 0
        self._again = again
        self._origin = origin
        self._names = _Names(self._earlier)

    def __iter__(self) -> Generator[Batch, None, None]:
        """The batches in order; everything read before a failure comes before the failure."""
        records = self._reader.records(self._position.get("at"), self._problems)
        while True:
            taken, end = self._take(records)
            yield self._batch(taken, last=end is _END)
            if isinstance(end, ImportFailed):
                raise end
            if end is _END:
                return

    def _take(self, records: Iterator[Record]) -> tuple[list[Record], object]:
        """As many records as fit into a batch, and how the batch ended."""
        records = records if self._origin is None else map(self._from_outside, records)
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

    def _from_outside(self, record: Record) -> Record:
        """The record with the origin of the whole import, unless it names an origin itself."""
        if origin_of(record.payload) is not None:
            return record
        return record._replace(payload={**record.payload, "origin": self._origin})

    def _batch(self, taken: Sequence[Record], *, last: bool) -> Batch:
        events, records = self._prepared(taken)
        answered = self._answer(events, records)
        self._read += len(events)
        self._after = taken[-1].after if taken else self._after
        self._settle()
        import_streams, self._import_streams = tuple(self._import_streams), []
        return Batch(
            index_all(events, self._indexer),
            import_streams,
            answered,
            {
                event.id: record
                for event, record in zip(reversed(events), reversed(records), strict=True)
                if record.reactions or record.edited_at
            },
            self._tally(),
            self._reader.done,
            self._position,
            self._settled,
            last,
        )

    def _prepared(self, taken: Sequence[Record]) -> tuple[list[PreparedEvent], list[Record]]:
        """Events of the valid records, and those records."""
        self._resolve_new_streams(taken)
        now, author = self._clock(), self._viewer.user
        events: list[PreparedEvent] = []
        fitting: list[Record] = []
        for record in taken:
            try:
                stream = self._ids.get(record.stream) or self._resolve_stream(record.stream)
                events.append(_placed(prepare(record, stream, author, now), record))
                fitting.append(record)
            except (InvalidInput, StreamNotFound) as error:
                self._problems.add(record.place, error.message)
        return self._repeated.resolve(events, fitting, self._existing, self._problems), fitting

    def _answer(self, events: list[PreparedEvent], records: Sequence[Record]) -> frozenset[str]:
        """Give the reply events the ids of the events they answer; return all these ids."""
        answering = [
            (place, record, record.answers)
            for place, record in enumerate(records)
            if record.answers is not None
        ]
        if answering or self._names.wanted:
            self._names.note(events, records)
        for place, record, answers in answering:
            events[place] = self._answering(events[place], record, answers)
        targets = (events[place].reply_to for place, _, _ in answering)
        return frozenset(target for target in targets if target)

    def _answering(self, event: PreparedEvent, record: Record, answers: Reference) -> PreparedEvent:
        """The event with the id of the event it answers; an unknown one stays in the payload."""
        target = self._target(event.stream_id, answers)
        if target is not None and target != event.id:
            return event._replace(reply_to=target)
        if self._reader.format == "jsonl":
            self._problems.add_unknown_reply(record.place, answers.external_id[:NAME_SHOWN])
        with_reply = record._replace(payload={"reply_to": answers.external_id, **record.payload})
        return event._replace(
            payload=prepare(with_reply, event.stream_id, "-", self._clock()).payload
        )

    def _target(self, stream: str, answers: Reference) -> str | None:
        if answers.occurred_at is not None:
            return named_id(stream, answers.external_id, answers.occurred_at)
        return self._names.find((stream, answers.external_id))

    def _earlier(self) -> Iterator[tuple[Name, str]]:
        """Names and ids of the records before this batch, read again."""
        with closing(self._again()) as reader:
            for record in reader.records(None, Problems()):
                if record.after > self._after:
                    return
                try:
                    stream = self._ids.get(record.stream) or self._resolve_stream(record.stream)
                except (InvalidInput, StreamNotFound):
                    continue
                event = named_id(stream, record.external_id, record.occurred_at)
                yield (stream, record.external_id), event

    def _resolve_new_streams(self, taken: Sequence[Record]) -> None:
        """Look the new streams of a batch up in one transaction. One that cannot be had is reported
        with each of its records."""
        names = {record.stream: None for record in taken if record.stream not in self._ids}
        if not names:
            return
        with self._streams.lookup(self._viewer, self._space) as lookup:
            for name in names:
                with suppress(InvalidInput, StreamNotFound):
                    self._resolve_stream(name, lookup)

    def _resolve_stream(self, name: str, lookup: StreamLookup | None = None) -> str:
        """Id of a stream that is new in this run."""
        properties = self._reader.stream_properties(name)
        plain = redacted(checked_name(properties.name, "stream"))[:NAME_LIMIT]
        if plain not in self._ids:
            stream, new = self._planned(plain, properties, lookup)
            private = properties.access is StreamAccess.PRIVATE
            import_stream = ImportStream(stream, new, properties.members)
            if private and new:
                import_stream = self._of_others(stream, properties)
            if private and stream.access is not StreamAccess.PRIVATE:
                raise NotAllowed(
                    f"The stream {stream.name!r} is open, and a private one is to be imported.",
                    hint="Make it private first, or import into another space.",
                )
            self._import_streams.append(
                import_stream._replace(members=tuple(map(redacted, import_stream.members)))
            )
            self._seen.add(stream.name)
            if private:
                self._private.add(stream.name)
            self._ids[plain] = import_stream.stream.id
            if not import_stream.new:
                self._existing.append(import_stream.stream.id)
        self._ids[name] = self._ids[plain]
        return self._ids[plain]

    def _planned(
        self, name: str, properties: StreamProperties, lookup: StreamLookup | None
    ) -> tuple[Stream, bool]:
        """The stream of that name, or the one to open; whether it is new."""
        if lookup is not None:
            return lookup.planned(name, kind=properties.kind, access=properties.access)
        with self._streams.lookup(self._viewer, self._space) as own:
            return own.planned(name, kind=properties.kind, access=properties.access)

    def _of_others(self, planned: Stream, properties: StreamProperties) -> ImportStream:
        """A private stream that belongs to the people in it, whoever imports it.

        Its id comes from its name in the source, so that an import that may not read it finds it
        again.
        """
        members = self._streams.known_as(self._space, properties.members)
        own = self._viewer.user
        first = own if own in members else next(iter(members), NOBODY)
        identifier = derived_id(
            STREAM, from_microseconds(0), self._space.id, self._reader.format, planned.name
        )
        there = self._streams.hidden(self._space, identifier)
        if there is not None:
            return ImportStream(there[0], False, (), there[1])
        return ImportStream(replace(planned, id=identifier, owner=first), True, members)

    def _settle(self) -> None:
        """Advance the position to here, if the reader could resume here."""
        at = self._reader.position()
        if at is None:
            return
        self._settled = self._read
        noted: dict[str, Any] = {"at": at}
        problems = self._problems
        if problems.listed:
            listed = [redacted(problem) for problem in problems.listed]
            noted |= {"skipped": problems.count, "problems": listed}
        noted |= {name: count for name in _COUNTS if (count := getattr(problems, name))}
        if self._private:
            noted["private"] = sorted(self._private)[:STREAMS_NOTED]
        self._position = noted | {"streams": sorted(self._seen)[:STREAMS_NOTED]}

    def _tally(self) -> Tally:
        problems = self._problems
        return Tally(
            self._read,
            problems.count,
            tuple(problems.listed),
            len(self._seen),
            problems.without_time,
            len(self._private),
            problems.repaired,
            problems.repeated_ids,
            problems.unknown_replies,
        )


def _placed(event: PreparedEvent, record: Record) -> PreparedEvent:
    """An event without a time of its own, at its neighbours' time, which is not in its id."""
    if record.occurred_at is not None or record.assumed_at is None:
        return event
    return event._replace(occurred_at=to_microseconds(record.assumed_at))


class _Names:
    """Ids of the latest events by their names in the source. Collected from the first lookup on, at
    which the earlier records are searched once."""

    def __init__(self, earlier: Callable[[], Iterator[tuple[Name, str]]]) -> None:
        self.wanted = False
        self._earlier = earlier
        self._young: dict[Name, str] = {}
        self._old: dict[Name, str] = {}

    def note(self, events: Sequence[PreparedEvent], records: Sequence[Record]) -> None:
        """Add a batch's names."""
        if len(self._young) >= NAMES_KEPT // 2:
            self._old, self._young = self._young, {}
        for event, record in zip(events, records, strict=True):
            self._young[event.stream_id, record.external_id] = event.id

    def find(self, name: Name) -> str | None:
        """The event of that name, if it is among the collected ones."""
        found = self._young.get(name) or self._old.get(name)
        if found is None and not self.wanted:
            self.wanted = True
            self._old = dict(deque(self._earlier(), NAMES_KEPT // 2))
            found = self._old.get(name)
        return found


_END: Final = object()
