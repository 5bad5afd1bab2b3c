"""Imports memos from a team's earlier knowledge table: CSV, SQLite or PostgreSQL.

A row becomes a memo of confidence 0.8 with its title, its tags and the message it was anchored at.
A row whose message is not here is visible to the importer alone until somebody shares it, unless it
says that it was for the whole workspace: nobody finds here what they might not have read at its
source. The old table is only read. A row that was imported is not imported again.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from recollect.memories.drafts import Draft
from recollect.memories.write_path import WritePath
from recollect.memories.write_policy import AS_IT_IS
from recollect.storage.workspace.knowledge_tables import knowledge_rows
from recollect.vocabulary.audiences import Viewer, Visibility
from recollect.vocabulary.errors import EventNotFound, InvalidInput, RecollectError
from recollect.vocabulary.memory_types import MemoryType, Source
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.workspace import KnowledgeImported
from recollect.workspace.memos import Memos

CONFIDENCE: Final = 0.8
_PROBLEMS: Final = 20
_PAGE: Final = 1_000
_LARGEST_FIELD: Final = 1_000_000


class KnowledgeImporter:
    """Imports rows as memos."""

    def __init__(self, memos: Memos, path: WritePath) -> None:
        self._memos = memos
        self._path = path

    def run(
        self, viewer: Viewer, space: Space, source: str, *, table: str = "knowledge"
    ) -> KnowledgeImported:
        """Read a source and keep a memo for each row that is not archived."""
        known = self._known(viewer, space)
        read = added = there = pointless = skipped = 0
        problems: list[str] = []
        for read, row in enumerate(_rows(source, table), 1):
            mark = f"{table}:{row.get('id') or read}"
            summary = _text(row, "title", "summary", "content")
            if row.get("archived_at") or not summary:
                skipped += 1
            elif mark in known:
                there += 1
            else:
                try:
                    pointless += not self._keep(viewer, space, row, summary, mark)
                    added += 1
                except RecollectError as error:
                    skipped += 1
                    problems.append(f"{mark}: {error.message}")
        return KnowledgeImported(
            read, added, there, skipped, pointless, tuple(problems[:_PROBLEMS])
        )

    def _known(self, viewer: Viewer, space: Space) -> set[str]:
        marks: set[str] = set()
        for archived in (False, True):
            cursor: str | None = None
            while True:
                page = self._memos.list(
                    viewer, space, archived=archived, cursor=cursor, limit=_PAGE
                )
                marks |= {one.imported_from for one in page.items if one.imported_from}
                cursor = page.next_cursor
                if cursor is None:
                    break
        return marks

    def _keep(
        self, viewer: Viewer, space: Space, row: Mapping[str, Any], summary: str, mark: str
    ) -> bool:
        """Keep one row as a memo; return whether the message it was anchored at is here."""
        topics = _topics(row.get("tags") or row.get("topics"))
        made = _time(row.get("created_at"))
        anchor = _text(row, "anchor_event_id", "event_id")
        try:
            if anchor:
                self._memos.save(
                    viewer,
                    space,
                    anchor,
                    summary=summary,
                    topics=topics,
                    confidence=CONFIDENCE,
                    happened_at=made,
                    imported_from=mark,
                )
                return True
        except EventNotFound:
            pass
        everyone = row.get("visibility") == "workspace"
        draft = Draft(
            summary,
            type=MemoryType.MEMO.value,
            confidence=CONFIDENCE,
            source=Source.USER_TAUGHT.value,
            visibility=None if everyone else Visibility.PERSONAL.value,
            tags=topics,
            happened_at=made,
            extras={"summary_by": "user", "topics_by": "user", "imported_from": mark},
        )
        self._path.create(viewer, space, draft, AS_IT_IS)
        return False


def _rows(source: str, table: str) -> Iterator[Mapping[str, Any]]:
    if source.startswith(("postgresql://", "postgres://")):
        yield from knowledge_rows(source, table)
        return
    path = Path(source)
    if not path.is_file():
        raise InvalidInput(f"There is no file {source!r}.")
    with path.open("rb") as file:
        database = file.read(16).startswith(b"SQLite format 3")
    if database:
        yield from knowledge_rows(str(path.resolve()), table)
        return
    csv.field_size_limit(_LARGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            yield from csv.DictReader(lines)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path.name} cannot be read as CSV: {error}.") from None


def _text(row: Mapping[str, Any], *names: str) -> str:
    return next((str(row[name]).strip() for name in names if row.get(name)), "")


def _topics(given: Any) -> tuple[str, ...]:
    """Tags given as a list, as JSON, as a PostgreSQL array, or separated by commas."""
    if isinstance(given, list | tuple):
        named = [str(one) for one in given]
    else:
        text = str(given or "").strip()
        try:
            found = json.loads(text) if text.startswith("[") else None
        except ValueError:
            found = None
        named = (
            [str(one) for one in found] if isinstance(found, list) else text.strip("{}").split(",")
        )
    kept = (one.strip().strip('"').lower()[:100] for one in named)
    return tuple(dict.fromkeys(one for one in kept if one))[:20]


def _time(given: Any) -> datetime | None:
    if isinstance(given, datetime):
        return given if given.tzinfo else given.replace(tzinfo=UTC)
    try:
        found = datetime.fromisoformat(str(given)) if given else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
