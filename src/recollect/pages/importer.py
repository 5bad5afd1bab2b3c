"""Imports a history: each batch and its checkpoint are written in one transaction.

One thread reads, analyses and embeds the next batch while this one writes the last; a source of one
batch needs no such thread. Whatever stops an import, committed batches stay, and the same import
started again resumes at its last checkpoint if the source is unchanged up to there; otherwise it
starts from the beginning. Event ids come from the source, so nothing is ever stored twice.
"""

import hashlib
import zipfile
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final

from recollect.index.indexer import Indexer
from recollect.jobs.queue import enqueue
from recollect.pages.append import append
from recollect.pages.authors import require_authors
from recollect.pages.formats import Reader, StreamProperties
from recollect.pages.formats.jsonl import JsonLines
from recollect.pages.formats.slack import SlackExport
from recollect.pages.formats.slack_files import MARKS, Archive, Folder
from recollect.pages.formats.transcripts import Transcripts
from recollect.pages.formats.transcripts.files import recognised, transcript_files
from recollect.pages.import_batches import Batch, Batches, ImportStream, Tally
from recollect.pages.prepared import PreparedEvent
from recollect.pages.repeated_ids import KnownEvent
from recollect.pages.signals import BACKFILL
from recollect.pages.streams import Streams, open_stream_as
from recollect.storage.access.visibility_filter import all_visible
from recollect.storage.database import Database, Transaction
from recollect.storage.pages import imports, streams
from recollect.storage.pages.events import events_with_digests, existing_ids
from recollect.storage.pages.imports import Checkpoint
from recollect.storage.prepared import dialect_of
from recollect.trust.authorisation import authorise, require_memory, require_role
from recollect.trust.origins import declared_origin
from recollect.trust.secrets import redacted
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, from_microseconds
from recollect.vocabulary.errors import (
    ImportFailed,
    InferenceError,
    InvalidInput,
    NotAllowed,
    StoreError,
)
from recollect.vocabulary.rare_collections import rare_collections
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.spaces import Role, Space

#: Formats that can be imported, for the error about any other source.
FORMS: Final = (
    "What can be read: JSON Lines (one object a line, with a text), a Slack export (its folder or "
    "zip), transcripts of agents, what 'recollect export' wrote, mem0's memories, and rule files."
)
FORMATS: Final = ("auto", "jsonl", "slack", "transcripts", "recollect", "markdown")
_BEGINNINGS: Final = 100
#: Size of the sample that shows whether a file is text: it has few or no bytes that no text has.
_LOOKED_AT: Final = 8_192
_NEVER_IN_TEXT: Final = bytes(one for one in range(32) if one not in b"\t\n\r\f\v\b\x1b")
_MOSTLY: Final = 0.98
_PACKED: Final = b"\x1f\x8b"

Progress = Callable[[int, int, int], None]


class Importer:
    """Imports histories of other programs into a space."""

    def __init__(self, database: Database, indexer: Indexer, clock: Clock) -> None:
        self._database = database
        self._indexer = indexer
        self._clock = clock

    def run(
        self,
        viewer: Viewer,
        space: Space,
        path: str | PathLike[str],
        *,
        format: str = "auto",
        stream: str | None = None,
        origin: str | None = None,
        private: Collection[str] | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import a source; ``progress`` gets the amount done, the total and the record count.

        ``origin`` says that all of it came from outside, and from where; without it the words are
        their authors'. ``private`` names the private channels and direct messages of a Slack export
        to include; without it all of them are.
        """
        origin = None if origin is None else declared_origin(origin)
        opener = _opener(Path(path), format, stream, private)
        with self._database.reading() as transaction:
            access = require_role(authorise(transaction, viewer, space), Role.MEMBER, "import")
            require_memory(transaction, access, None)
        if stream is not None:
            Streams(self._database, self._clock).planned(viewer, space, stream)
        request = _ImportRequest(viewer, space, stream, opener, progress, origin)
        added = 0
        for _ in range(_BEGINNINGS):
            with closing(opener()) as reader, rare_collections():
                run = _Run(self._database, self._indexer, self._clock, request, reader)
                try:
                    return run.finish(added)
                except _StreamAppeared:
                    added += run.added
        raise ImportFailed("Others keep creating the streams of this import. Try again later.")


@dataclass(frozen=True, slots=True)
class _ImportRequest:
    """The source, the viewer and space of an import, and its progress callback."""

    viewer: Viewer
    space: Space
    stream: str | None
    open: Callable[[], Reader]
    progress: Progress | None
    origin: str | None = None


class _StreamAppeared(Exception):
    """Somebody else opened a stream of that name first, so ids made for ours are invalid."""


class _Run:
    """The writing half of one import, from its checkpoint to its end."""

    def __init__(
        self,
        database: Database,
        indexer: Indexer,
        clock: Clock,
        request: _ImportRequest,
        reader: Reader,
    ) -> None:
        self._database, self._indexer, self._clock = database, indexer, clock
        self._request, self._reader = request, reader
        self._viewer, self._space = request.viewer, request.space
        self._import_id = _import_id(reader, request.stream)
        self._start = self._found()
        self._audiences: dict[str, int] = {}
        #: Private streams of others, and whether this run opened them.
        self._hidden: dict[str, bool] = {}
        self._tally = Tally(self._start.read if self._start else 0, 0, (), 0)
        self.added = 0

    def finish(self, added_earlier: int) -> ImportReport:
        """Write the remaining batches; return the result, or report what a failure left stored."""
        try:
            with closing(_prefetched(iter(self._batches()))) as coming:
                for batch in coming:
                    self._keep(batch)
                    if self._request.progress is not None:
                        self._request.progress(batch.done, self._reader.total, batch.tally.read)
        except KeyboardInterrupt as error:
            raise self._stopped("it was interrupted.") from error
        except NotAllowed as error:
            raise NotAllowed(
                f"{error.message} {self._progress_sentence}", hint=error.hint
            ) from error
        except (StoreError, InferenceError, ImportFailed) as error:
            raise self._stopped(str(error)) from error
        return _report(self._tally, self.added + added_earlier)

    def _batches(self) -> Batches:
        return Batches(
            self._reader,
            self._start,
            self._request.open,
            viewer=self._viewer,
            space=self._space,
            streams=Streams(self._database, self._clock),
            indexer=self._indexer,
            clock=self._clock,
            stored=self._stored_events,
            origin=self._request.origin,
        )

    def _stored_events(self, stream_id: str, digests: Sequence[str]) -> list[KnownEvent]:
        """The events of a stream whose ids have one of these digests."""
        with self._database.reading() as transaction:
            authorise(transaction, self._viewer, self._space)
            found = events_with_digests(transaction, self._space.id, stream_id, digests)
        return [KnownEvent(*one) for one in found]

    def _keep(self, batch: Batch) -> None:
        """Write a batch with its checkpoint."""
        if batch.events or not self._is_checkpointed(batch):
            added, audiences = self._database.write(
                lambda transaction: self._write(transaction, batch)
            )
            self.added += added
            self._audiences = audiences
        self._tally = batch.tally

    def _write(self, transaction: Transaction, batch: Batch) -> tuple[int, dict[str, int]]:
        access = require_role(
            authorise(transaction, self._viewer, self._space), Role.MEMBER, "import"
        )
        authors = {event.author for event in batch.events}
        programs = authors if isinstance(self._reader, Transcripts) else ()
        require_authors(transaction, access, authors, programs)
        audiences = dict(self._audiences)
        for import_stream in batch.import_streams:
            home = self._audience_for(transaction, access, import_stream)
            audiences[import_stream.stream.id] = home
        self._check_open(transaction, access, audiences, batch)
        if self._hidden:  # written even where the importer may not read it
            dialect_of(transaction).bypass_row_security(transaction)
        events = self._answering(transaction, batch)
        fresh = append(
            transaction,
            self._database,
            self._indexer,
            self._space.id,
            audiences=audiences,
            batch=events,
        )
        self._mark(transaction, batch, fresh)
        self._note(transaction, batch, len(fresh))
        return len(fresh), audiences

    def _note(self, transaction: Transaction, batch: Batch, added: int) -> None:
        now = self._clock()
        checkpoint = Checkpoint(
            source=redacted(f"{self._reader.format}: {self._reader.name}"),
            position=batch.position,
            read=batch.settled,
            added=(self._start.added if self._start else 0) + self.added + added,
            finished_at=now if batch.last else None,
        )
        imports.put_checkpoint(transaction, self._space.id, self._import_id, checkpoint, now)
        if batch.last and checkpoint.added:  # reactions and replies of a history count too
            enqueue(transaction, self._space.id, BACKFILL, {}, now=now)

    def _audience_for(
        self, transaction: Transaction, access: Access, import_stream: ImportStream
    ) -> int:
        """Audience of a stream; a new stream is opened."""
        if import_stream.audience is not None:
            self._hidden[import_stream.stream.id] = False
            return import_stream.audience
        if import_stream.new:
            stream, audience = open_stream_as(transaction, access, import_stream.stream)
            if audience is None or stream.id != import_stream.stream.id:
                raise _StreamAppeared
            for member in import_stream.members:
                streams.admit(transaction, self._space.id, stream.id, member, stream.created_at)
            if self._viewer.user not in (stream.owner, *import_stream.members):
                self._hidden[stream.id] = True
            return audience
        return streams.audience_of(transaction, self._space.id, import_stream.stream.id)

    def _check_open(
        self, transaction: Transaction, access: Access, audiences: dict[str, int], batch: Batch
    ) -> None:
        """Refuse others' private streams unless this import opened them or a steward writes, and
        streams of this batch that the importer may no longer read.
        """
        if not all(self._hidden.values()):
            require_role(access, Role.STEWARD, "add to private streams of others")
        used = {event.stream_id for event in batch.events} - self._hidden.keys()
        if not all_visible(transaction, access, {audiences[home] for home in used}):
            raise NotAllowed(f"A stream of this import is no longer open to {self._viewer.user}.")

    def _answering(self, transaction: Transaction, batch: Batch) -> list[PreparedEvent]:
        """The events; each answered event must be among them or exist already."""
        if not batch.answered:
            return batch.events
        outside = sorted(batch.answered.difference(event.id for event in batch.events))
        gone = set(outside) - existing_ids(transaction, self._space.id, outside)
        return [
            event._replace(reply_to=None) if event.reply_to in gone else event
            for event in batch.events
        ]

    def _mark(self, transaction: Transaction, batch: Batch, fresh: list[PreparedEvent]) -> None:
        """Give new events the reactions and edit times that they had in the source."""
        if not batch.marked:
            return
        new = [event for event in fresh if event.id in batch.marked]
        signs = [
            (event.id, redacted(user), redacted(sign), from_microseconds(event.occurred_at))
            for event in new
            for user, sign in batch.marked[event.id].reactions
        ]
        edits = [(event.id, at) for event in new if (at := batch.marked[event.id].edited_at)]
        imports.add_reactions(transaction, self._space.id, signs)
        imports.mark_edited(transaction, self._space.id, edits)

    def _found(self) -> Checkpoint | None:
        """Checkpoint of an earlier run, if the source is unchanged up to there."""
        with self._database.reading() as transaction:
            authorise(transaction, self._viewer, self._space)
            found = imports.get_checkpoint(transaction, self._space.id, self._import_id)
        if found and "at" in found.position and self._reader.continues(found.position["at"]):
            return found
        return None

    def _is_checkpointed(self, batch: Batch) -> bool:
        """Whether an empty batch adds nothing to the stored checkpoint."""
        start = self._start
        return bool(
            start and start.finished_at and not self.added and batch.position == start.position
        )

    @property
    def _progress_sentence(self) -> str:
        return f"{self._tally.read:,} events of the import are kept."

    def _stopped(self, why: str) -> ImportFailed:
        return ImportFailed(
            f"The import stopped: {why} {self._progress_sentence}",
            hint="Start it again and it continues from there.",
        )


def _report(tally: Tally, added: int) -> ImportReport:
    return ImportReport(
        read=tally.read,
        added=added,
        already_there=tally.read - added,
        skipped=tally.skipped,
        streams=tally.streams,
        problems=tally.problems,
        without_time=tally.without_time,
        private=tally.private,
        repaired=tally.repaired,
        repeated_ids=tally.repeated_ids,
        unknown_replies=tally.unknown_replies,
    )


def _prefetched(batches: Generator[Batch, None, None]) -> Generator[Batch, None, None]:
    """The batches, each made in a separate thread while the one before is used. A small source is
    one batch, and needs no thread."""
    with closing(batches):
        batch = next(batches, None)
        if batch is not None and batch.last:
            yield batch
            return
        with ThreadPoolExecutor(1, "import") as pool:
            while batch is not None:
                coming = pool.submit(next, batches, None)
                yield batch
                batch = coming.result()


def private_streams(path: str | PathLike[str]) -> list[StreamProperties]:
    """The private channels and direct messages of a Slack export; none for any other source."""
    source = Path(path)
    archive = source.is_file() and zipfile.is_zipfile(source)
    if not (source.is_dir() or archive) or _is_transcript(source):
        return []
    try:
        files = _export_files(source)
    except InvalidInput:
        return []
    with closing(SlackExport(source.name, files)) as export:
        return export.private()


def _opener(
    path: Path, format: str, stream: str | None, private: Collection[str] | None = None
) -> Callable[[], Reader]:
    """The function that opens the source, if its format is recognised."""
    if format not in FORMATS:
        raise InvalidInput(
            f"There is no format {format!r}.", hint=f"Choose one of: {', '.join(FORMATS)}."
        )
    if not path.exists():
        raise InvalidInput(f"There is no file {str(path)!r}.")
    if format == "transcripts" or (format == "auto" and _is_transcript(path)):
        return _transcripts_opener(path, stream)
    archive = path.is_file() and zipfile.is_zipfile(path)
    if format == "slack" or (format == "auto" and (path.is_dir() or archive)):
        if stream is not None:
            raise InvalidInput("A Slack export brings its own streams.", hint="Leave stream out.")
        if format == "auto" and path.is_dir() and not any(path.iterdir()):
            raise InvalidInput(f"The folder {str(path)!r} is empty.", hint=FORMS)
        return lambda: SlackExport(path.name, _export_files(path), private)
    if not path.is_file():
        raise InvalidInput(f"{str(path)!r} is not a file.")
    _refuse_what_is_no_text(path)
    return lambda: JsonLines(path, stream)


def _refuse_what_is_no_text(path: Path) -> None:
    """Refuse a file that is empty or no text as a whole, instead of reporting each of its lines."""
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if start.startswith(_PACKED):  # what is in it is read line by line, up to where it is torn
        return
    if not start.strip() and len(start) < _LOOKED_AT:
        raise InvalidInput(f"{path.name} is empty: there is nothing to import.", hint=FORMS)
    if start.startswith(b"PK\x03\x04") or path.suffix.lower() == ".zip":
        raise InvalidInput(
            f"{path.name} cannot be opened as an archive. Is it incomplete?", hint=FORMS
        )
    if len(start.translate(None, _NEVER_IN_TEXT)) < _MOSTLY * len(start):
        raise InvalidInput(f"{path.name} is not a text file.", hint=FORMS)


def _transcripts_opener(path: Path, stream: str | None) -> Callable[[], Reader]:
    if stream is not None:
        raise InvalidInput(
            "Each session of a transcript gets its own stream.", hint="Leave stream out."
        )
    files = transcript_files(path)
    if not files:
        raise InvalidInput(
            f"{str(path)!r} holds no transcripts.",
            hint="Claude Code, Codex, SWE-agent and the plain form are read: docs/observer.md.",
        )
    return lambda: Transcripts(path, files)


def _is_transcript(path: Path) -> bool:
    """Whether a source is recognisable as a transcript without being named one."""
    if path.is_dir():
        files = Folder(path)
        slack = any(mark in files for mark in MARKS)
        files.close()
        return not slack and any(_other_than_plain(file.format) for file in transcript_files(path))
    found = None if zipfile.is_zipfile(path) else recognised(path)
    return found is not None and _other_than_plain(found.format)


def _other_than_plain(format: str) -> bool:
    return format != "acts"


def _export_files(path: Path) -> Folder | Archive:
    files = Folder(path) if path.is_dir() else Archive(path)
    if not any(mark in files for mark in MARKS):
        files.close()
        raise InvalidInput(
            f"{str(path)!r} is not a Slack export: it holds no {' and no '.join(MARKS)}.",
            hint=FORMS,
        )
    return files


def _import_id(reader: Reader, stream: str | None) -> str:
    """Id of an import: its source and its target stream, independent of the source's location."""
    parts = "\x1f".join((reader.format, reader.fingerprint, stream or ""))
    return f"imp_{hashlib.blake2b(parts.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
