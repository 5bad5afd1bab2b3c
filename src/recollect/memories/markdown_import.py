"""Imports Markdown exports: memories by their headings and marks, messages by their streams.

Markdown holds less than JSON: validity, history and relations are not in it and cannot be restored.
Memories with the same content count as the same, so a second import adds nothing. A message is
identified by its stream, its time, its author and its words, and is imported like every history.
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
from recollect.vocabulary.files import private_file
from recollect.vocabulary.memory_types import MemoryType, OnRepeat, Source
from recollect.vocabulary.reports import ImportReport
from recollect.vocabulary.results import Filters
from recollect.vocabulary.spaces import Space

#: Beginning of an export: a title, then the time of the export.
_BEGINS: Final = re.compile(r"# [^\n]{1,300}\n\nExported \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n")
_LISTED: Final = 20
_STREAM: Final = "## Stream: "
_MARKS: Final = re.compile(
    r"  <small>confidence ([01]\.\d\d) · ([a-z_]{1,40})([^<]{0,8000})</small>"
)
_MESSAGE: Final = re.compile(r"- (\d{4}-\d\d-\d\d \d\d:\d\d) \*\*([^*\n]{1,200})\*\*: (.*)")
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
        return ImportReport(
            len(memories) + said.read,
            added + said.added,
            known + said.already_there,
            len(problems) + said.skipped,
            said.streams,
            (*problems[:_LISTED], *said.problems),
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
    event_fields = {
        "text": one.text,
        "author": one.author,
        "stream": one.stream,
        "time": one.occurred_at.isoformat(),
    }
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


def is_markdown_export(path: Path) -> bool:
    """Whether a file begins like a Markdown export of Recollect."""
    try:
        with path.open("r", encoding="utf-8") as file:
            return _BEGINS.match(file.read(400)) is not None
    except (OSError, UnicodeDecodeError):
        return False


def parsed(path: Path) -> Iterator[MarkdownMemory | MarkdownMessage]:
    """All memories and messages of an export, in order; other lines are skipped."""
    heading, body = "", list[str]()
    with path.open("r", encoding="utf-8", errors="replace") as file:
        for raw in file:
            line = raw.rstrip("\n")
            if line.startswith("#"):
                heading, body = line, []
            elif heading.startswith(_STREAM):
                if message := _message(heading.removeprefix(_STREAM), line):
                    yield message
            elif marks := _MARKS.fullmatch(line):
                if body:
                    yield _memory(heading, body, marks)
                body = []
            elif line.startswith("- "):
                body = [line[2:]]
            elif body:
                body.append(line.removeprefix("  "))


def _memory(heading: str, body: list[str], marks: re.Match[str]) -> MarkdownMemory:
    words = [mark.strip() for mark in marks[3].split(" · ") if mark.strip()]
    body[-1] = body[-1].removesuffix("  ")
    fields: dict[str, Any] = {
        "type": _TYPES.get(heading.removeprefix("## "), MemoryType.FACT.value),
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
    if found is None or found[3] == "*deleted*":
        return None
    at = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    private = stream.endswith(PRIVATE)
    return MarkdownMessage(stream.removesuffix(PRIVATE), found[2], found[3], at, private)
