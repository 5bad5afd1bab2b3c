"""Converts memories into mem0's result format, and mem0's metadata into extras."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recollect.surfaces.mem0.scopes import Mem0ValueError, scope_in
from recollect.vocabulary.json_depth import DEEPEST, is_too_deep, read_document
from recollect.vocabulary.memory import Action, HistoryEntry, Memory

#: Key in a fact's extras (a key and a value) whose value is mem0's metadata as JSON.
KEY: Final = "mem0"
_OWN: Final = ("actor_id", "role", "created_at", "updated_at", "id")

Item = dict[str, Any]


def extras_of(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Convert metadata into extras for storage."""
    if not metadata:
        return {}
    if is_too_deep(metadata):
        raise Mem0ValueError(f"metadata is nested deeper than {DEEPEST} levels. Nothing was kept.")
    try:
        return {"key": KEY, "value": json.dumps(dict(metadata), ensure_ascii=False, sort_keys=True)}
    except (TypeError, ValueError) as error:
        raise Mem0ValueError(f"metadata must be JSON: {error}.") from None


def metadata_of(memory: Memory) -> dict[str, Any]:
    """Metadata that was stored with a memory."""
    if memory.extras.get("key") != KEY:
        return {}
    found: dict[str, Any] = read_document(memory.extras["value"])
    return found


def item_of(memory: Memory) -> Item:
    """Memory in mem0's result format."""
    kept = metadata_of(memory)
    changed = memory.updated_at if memory.revision > 1 else None
    shown: Item = {
        "id": memory.id,
        "memory": memory.content,
        "hash": hashlib.md5(memory.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {name: value for name, value in kept.items() if name not in _OWN} or None,
        "created_at": kept.get("created_at") or memory.created_at.isoformat(),
        "updated_at": kept.get("updated_at") if changed is None else changed.isoformat(),
        **scope_in(memory.tags),
    }
    shown.update({name: kept[name] for name in ("actor_id", "role") if name in kept})
    return shown


def history_of(memory: Memory, entries: Sequence[HistoryEntry]) -> list[Item]:
    """Changes of a memory's text, oldest first, with mem0's event names."""
    kept = metadata_of(memory)
    texts = _texts(memory, entries)
    made = memory.created_at.isoformat()
    shown: list[Item] = []
    for number, (entry, (old, new)) in enumerate(zip(entries, texts, strict=True)):
        event = _EVENTS.get(entry.action)
        if event == "UPDATE" and "content" not in entry.changes:
            continue
        if event is None:
            continue
        shown.append(
            {
                "id": f"{memory.id}.{entry.revision}",
                "memory_id": memory.id,
                "old_memory": None if event == "ADD" else old,
                "new_memory": None if event == "DELETE" else new,
                "event": event,
                "created_at": made,
                "updated_at": None if number == 0 else entry.at.isoformat(),
                "is_deleted": event == "DELETE",
                "actor_id": kept.get("actor_id"),
                "role": kept.get("role"),
            }
        )
    return shown


def _texts(memory: Memory, entries: Sequence[HistoryEntry]) -> list[tuple[str, str]]:
    """Text of a memory before and after each history entry, reconstructed backwards from now."""
    now = memory.content
    found: list[tuple[str, str]] = []
    for entry in reversed(entries):
        old = entry.changes["content"][0] if "content" in entry.changes else now
        found.append((old, now))
        now = old
    return found[::-1]


_EVENTS: Final = {
    Action.CREATED: "ADD",
    Action.UPDATED: "UPDATE",
    Action.ARCHIVED: "DELETE",
    Action.RESTORED: "ADD",
}
