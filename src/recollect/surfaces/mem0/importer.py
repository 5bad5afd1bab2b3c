"""Imports mem0's memories into the space that ``recollect.mem0`` works in.

A source is the output of ``get_all`` as JSON (or one JSON document per line), or mem0's history
database. A memory keeps its mem0 id as a tag, so that importing twice adds nothing.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, Final

from recollect.engine import Recollect
from recollect.engine.for_surfaces import declared_origin
from recollect.surfaces.mem0.scopes import ENTITIES, tags_of
from recollect.surfaces.mem0.shapes import extras_of
from recollect.vocabulary.errors import ImportFailed, RecollectError
from recollect.vocabulary.reports import ImportReport

_ID: Final = "mem0_id="
_LISTS: Final = ("results", "memories", "data", "items")
_SQLITE: Final = b"SQLite format 3\x00"
_PAGE: Final = 1_000
_PROBLEMS: Final = 20

Item = Mapping[str, Any]


def import_mem0(
    memory: Recollect,
    source: str | PathLike[str],
    progress: Callable[[int, int, int], None] | None = None,
    *,
    origin: str | None = None,
) -> ImportReport:
    """Import a file of mem0; memories that were imported before are left unchanged.

    ``origin`` marks all of them as outside text; texts that give orders are then quarantined.
    """
    outside = () if origin is None else (declared_origin(origin),)
    items = list(_items(Path(source)))
    known = _known(memory)
    added = already = 0
    problems: list[str] = []
    skipped = 0
    for number, item in enumerate(items, 1):
        try:
            identifier = _identifier(item)
            if identifier in known:
                already += 1
            else:
                _keep(memory, item, identifier, outside)
                known.add(identifier)
                added += 1
        except RecollectError as error:
            skipped += 1
            problems.append(f"memory {number:,}: {error}")
        if progress is not None:
            progress(number, len(items), number)
    return ImportReport(len(items), added, already, skipped, 0, tuple(problems[:_PROBLEMS]))


def _items(path: Path) -> Iterator[Item]:
    try:
        with path.open("rb") as file:
            database = file.read(len(_SQLITE)) == _SQLITE
        yield from _from_history(path) if database else _from_json(path.read_text("utf-8"), path)
    except OSError as error:
        raise ImportFailed(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ImportFailed(f"{path} is not JSON: {error}.") from error


def _from_json(text: str, path: Path) -> Iterator[Item]:
    """Read a JSON file: an object with a list in it, a bare list, or one document per line."""
    try:
        document = json.loads(text)
    except ValueError:
        document = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(document, dict):
        document = next((document[name] for name in _LISTS if name in document), [document])
    if not isinstance(document, list):
        raise ImportFailed(f"{path} holds no list of memories. Nothing was changed.")
    for item in document:
        yield item if isinstance(item, dict) else {}


def _from_history(path: Path) -> Iterator[Item]:
    """Latest text of each memory in mem0's history; deleted memories are left out."""
    query = (
        "SELECT memory_id, new_memory, event, created_at, updated_at, actor_id, role"
        " FROM history ORDER BY memory_id, coalesce(updated_at, created_at), rowid"
    )
    latest: dict[str, Item] = {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            for row in opened.execute(query):
                if row[2] == "DELETE" or row[1] is None:
                    latest.pop(row[0], None)
                    continue
                names = ("id", "memory", "event", "created_at", "updated_at", "actor_id", "role")
                stored_item = dict(zip(names, row, strict=True))
                stored_item["created_at"] = latest.get(row[0], stored_item)["created_at"]
                latest[row[0]] = stored_item
    except sqlite3.Error as error:
        raise ImportFailed(f"{path} is not mem0's history: {error}.") from error
    yield from latest.values()


def _identifier(item: Item) -> str:
    identifier = item.get("id")
    if not isinstance(identifier, str | int) or not str(identifier).strip():
        raise ImportFailed("It has no id.")
    return str(identifier).strip()


def _keep(memory: Recollect, item: Item, identifier: str, outside: tuple[str, ...]) -> None:
    text = item.get("memory") or item.get("text") or item.get("data")
    if not isinstance(text, str):
        raise ImportFailed("It has no text.")
    metadata = item.get("metadata")
    beside: dict[str, Any] = dict(metadata) if isinstance(metadata, dict) else {}
    for name in ("created_at", "updated_at", "actor_id", "role"):
        if isinstance(item.get(name), str):
            beside[name] = item[name]
    scope = {name: str(item[name]) for name in ENTITIES if item.get(name)}
    memory.remember(
        text,
        tags=[*tags_of(scope), f"{_ID}{identifier}"],
        extras=extras_of(beside),
        source="user_taught",
        outside=outside,
        repeats="keep",
    )


def _known(memory: Recollect) -> set[str]:
    """mem0 ids that were imported before, also of memories archived since."""
    found: set[str] = set()
    for archived in (False, True):
        cursor: str | None = None
        while True:
            page = memory.list(cursor=cursor, limit=_PAGE, archived=archived, superseded=True)
            for one in page.items:
                found.update(tag[len(_ID) :] for tag in one.tags if tag.startswith(_ID))
            cursor = page.next_cursor
            if cursor is None:
                break
    return found
