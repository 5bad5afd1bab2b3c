"""Imports Markdown exports: memories by their headings and marks, messages by their streams.

Markdown holds less than JSON: validity, history and relations are not in it and cannot be restored.
People edit such files: an item without the line of marks is a memory too, and a line that is
neither an item nor the rest of one is counted and named. Memories with the same content count as
the same, so a second import adds nothing. A message is identified by its stream, its time, its
author and its words, and is imported like every history.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from recollect.memories.drafts import Draft
from recollect.memories.exporter import PRIVATE, SUPERSEDED
from recollect.memories.operations import MemoryKeeper
from recollect.memories.reader import MemoryReader
from recollect.memories.write_policy import REMEMBER
from recollect.pages.importer import Importer
from recollect.pages.streams import Streams
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.events import TIME_UNKNOWN
from recollect.vocabulary.files import private_file
from recollect.vocabulary.memory_types import MemoryType, OnRepeat, Source
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

#: Beginning of an export: a title, then the time of the export.
_BEGINS: Final = re.compile(r"# [^\n]{1,300}\n\nExported \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n")
_LISTED: Final = 20
_SHOWN: Final = 60
_STREAM: Final = "## Stream: "
_LEFT_OUT: Final = "## Could not be read"
_EXPORTED: Final = re.compile(r"Exported \d{4}-\d\d-\d\d \d\d:\d\d UTC\.")
_MARKS: Final = re.compile(
    r"  <small>confidence ([01]\.\d\d) · ([a-z_]{1,40})([^<]{0,8000})</small>"
)
_MESSAGE: Final = re.compile(
    r"- (\d{4}-\d\d-\d\d \d\d:\d\d)( \(time unknown\))? \*\*([^*\n]{1,200})\*\*: (.*)"
)
_DELETED: Final = re.compile(
    r"- \d{4}-\d\d-\d\d \d\d:\d\d(?: \(time unknown\))? \*\*[^*\n]{1,200}\*\*: \*deleted\*"
)
_TYPES: Final = {kind.value.replace("_", " ").capitalize(): kind.value for kind in MemoryType}
_SOURCES: Final = frozenset(source.value for source in Source)


class MarkdownImporter:
    """Imports a Markdown export into a space."""

    def __init__(
        self,
        memories: tuple[MemoryKeeper, MemoryReader],
        importer: Importer,
        streams: Streams,
        clock: Clock,
    ) -> None:
        self._keeper, self._reader = memories
        self._known: frozenset[str] | None = None
        self._importer = importer
        self._streams = streams
        self._clock = clock

    def run(
        self,
        viewer: Viewer,
        space: Space,
        source: str | PathLike[str],
        *,
        origin: str | None = None,
    ) -> ImportReport:
        """Import everything readable; the unreadable rest is counted and named."""
        path = Path(source)
        if not path.is_file():
            raise InvalidInput(f"There is no file {str(path)!r}.")
        found = list(parsed(path))
        begun = self._clock()
        unread = [one for one in found if isinstance(one, UnreadLine)]
        added, problems = 0, list[str]()
        memories = [one for one in found if isinstance(one, MarkdownMemory)]
        for one in memories:
            try:
                added += self._remember(viewer, space, one, origin, begun)
            except RecollectError as error:
                problems.append(f"{one.content[:40]!r}: {error.message}")
        messages = [one for one in found if isinstance(one, MarkdownMessage)]
        said = self._messages(viewer, space, messages, origin)
        known = len(memories) - added - len(problems)
        lines = [f"line {one.number}: {one.text[:_SHOWN]!r} {one.why}" for one in unread[:_LISTED]]
        return ImportReport(
            len(memories) + len(unread) + said.read,
            added + said.added,
            known + said.already_there,
            len(problems) + len(unread) + said.skipped,
            said.streams,
            (*problems[:_LISTED], *lines, *said.problems),
        )

    def _remember(
        self,
        viewer: Viewer,
        space: Space,
        one: "MarkdownMemory",
        origin: str | None,
        begun: datetime,
    ) -> bool:
        """Store a memory unless it is known; return whether it is new."""
        if one.archived and one.content in self._archived(viewer, space):
            return False
        draft = Draft(one.content, outside=() if origin is None else (origin,), **one.fields)
        policy = replace(REMEMBER, repeats=OnRepeat.SKIP)
        kept = self._keeper.path.create(viewer, space, draft, policy)
        fresh = kept.created_at >= begun
        if one.archived and fresh:
            self._keeper.archive(viewer, space, kept.id)
        return fresh

    def _archived(self, viewer: Viewer, space: Space) -> frozenset[str]:
        """Contents of archived memories, which the write path does not compare with new ones."""
        if self._known is None:
            found: list[str] = []
            cursor = None
            while True:
                page = self._reader.list(
                    viewer, space, Filters(archived=True), cursor=cursor, limit=500
                )
                found += [one.content for one in page.items]
                cursor = page.next_cursor
                if cursor is None:
                    break
            self._known = frozenset(found)
        return self._known

    def _messages(
        self,
        viewer: Viewer,
        space: Space,
        messages: "Sequence[MarkdownMessage]",
        origin: str | None,
    ) -> ImportReport:
        if not messages:
            return ImportReport(0, 0, 0, 0, 0, ())
        for name in {one.stream: None for one in messages if one.private}:
            self._streams.ensure(viewer, space, name, access="private")
        with TemporaryDirectory(prefix="recollect-") as folder:
            lines = Path(folder) / "messages.jsonl"
            with private_file(lines) as file:
                file.writelines(f"{_line(one)}\n" for one in messages)
            return self._importer.run(viewer, space, lines, format="jsonl", origin=origin)


def _line(one: "MarkdownMessage") -> str:
    """A message as a line of JSONL, with an id that is the same at every import."""
    event_fields: dict[str, Any] = {
        "text": one.text,
        "author": one.author,
        "stream": one.stream,
        "time": one.occurred_at.isoformat(),
    }
    if one.time_unknown:
        event_fields[TIME_UNKNOWN] = True
    digest = hashlib.blake2b(json.dumps(event_fields).encode(), digest_size=12).hexdigest()
    return json.dumps({"id": digest, **event_fields}, ensure_ascii=False)


class MarkdownMemory(NamedTuple):
    """A memory parsed from Markdown: its words, and fields of a draft."""

    content: str
    fields: dict[str, Any]
    archived: bool


class MarkdownMessage(NamedTuple):
    """A message parsed from Markdown."""

    stream: str
    author: str
    text: str
    occurred_at: datetime
    private: bool = False
    time_unknown: bool = False


class UnreadLine(NamedTuple):
    """A line that is no part of a memory or a message."""

    number: int
    text: str
    why: str


def is_markdown_export(path: Path) -> bool:
    """Whether a file begins like a Markdown export of Recollect."""
    try:
        with path.open("r", encoding="utf-8") as file:
            return _BEGINS.match(file.read(400)) is not None
    except (OSError, UnicodeDecodeError):
        return False


def parsed(path: Path) -> Iterator[MarkdownMemory | MarkdownMessage | UnreadLine]:
    """All memories and messages of an export, in order, and the lines that are neither."""
    section = _Section("")
    with path.open("r", encoding="utf-8", errors="replace") as file:
        for number, raw in enumerate(file, 1):
            line = raw.rstrip("\n")
            if line.startswith("#"):
                yield from section.close()
                section = _Section(line)
            else:
                yield from section.read(number, line)
    yield from section.close()


class _Section:
    """What stands under one heading: messages, or memories of one type."""

    def __init__(self, heading: str) -> None:
        self._stream = heading.removeprefix(_STREAM) if heading.startswith(_STREAM) else None
        self._left_out = heading == _LEFT_OUT
        self._type = _TYPES.get(heading.removeprefix("## "), MemoryType.FACT.value)
        self._items: list[list[str]] = []
        self._within = False

    def read(
        self, number: int, line: str
    ) -> Iterator[MarkdownMemory | MarkdownMessage | UnreadLine]:
        """What a line brings to an end, or that it could not be read."""
        if self._left_out and line.startswith("- "):
            yield UnreadLine(number, line, "could not be exported")
        elif self._stream is not None:
            message = _message(self._stream, line)
            if message is not None:
                yield message
            elif line.strip() and not _DELETED.fullmatch(line):
                yield UnreadLine(number, line, "is no message")
        elif marks := _MARKS.fullmatch(line):
            yield from self._marked(number, line, marks)
        elif line.startswith("- "):
            self._items.append([line[2:]])
            self._within = True
        elif self._within and line.startswith("  "):
            self._items[-1].append(line.removeprefix("  "))
        elif line.strip():
            self._within = False
            if not _EXPORTED.fullmatch(line):
                yield UnreadLine(number, line, "is neither an item nor the rest of one")
        else:
            self._within = False

    def _marked(
        self, number: int, line: str, marks: re.Match[str]
    ) -> Iterator[MarkdownMemory | UnreadLine]:
        """The item that a line of marks belongs to: it ends with the line break of the export."""
        waiting = [one for one in self._items if one[-1].endswith("  ")] or self._items[-1:]
        if not waiting:
            yield UnreadLine(number, line, "has no item above it")
            return
        body = waiting[-1]
        self._items = [one for one in self._items if one is not body]
        self._within = False
        yield _memory(self._type, body, marks)

    def close(self) -> Iterator[MarkdownMemory]:
        """Items without marks: somebody typed them."""
        for body in self._items:
            content = "\n".join(body).strip()
            if content:
                fields = {"type": self._type, "source": Source.USER_TAUGHT.value}
                yield MarkdownMemory(content, fields, False)
        self._items = []


def _memory(type: str, body: list[str], marks: re.Match[str]) -> MarkdownMemory:
    words = [mark.strip() for mark in marks[3].split(" · ") if mark.strip()]
    body[-1] = body[-1].removesuffix("  ")
    fields: dict[str, Any] = {
        "type": type,
        "confidence": float(marks[1]),
        "source": marks[2] if marks[2] in _SOURCES else Source.USER_TAUGHT.value,
        "tags": [mark[1:] for mark in words if mark.startswith("#")],
        "files": [mark.strip("`") for mark in words if mark.startswith("`")],
        "pinned": "pinned" in words,
    }
    if "personal" in words:
        fields["visibility"] = "personal"
    over = "archived" in words or SUPERSEDED in words
    return MarkdownMemory("\n".join(body).strip(), fields, over)


def _message(stream: str, line: str) -> MarkdownMessage | None:
    found = _MESSAGE.fullmatch(line)
    if found is None or found[4] == "*deleted*":
        return None
    at = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    private = stream.endswith(PRIVATE)
    untold = found[2] is not None
    return MarkdownMessage(stream.removesuffix(PRIVATE), found[3], found[4], at, private, untold)
