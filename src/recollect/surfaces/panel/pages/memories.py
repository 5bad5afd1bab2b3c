"""Memories pages: search, read with provenance, confirm, correct, pin, forget."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from recollect.engine import Recollect
from recollect.surfaces.panel.charts import time_line
from recollect.surfaces.panel.memo_answers import as_read
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    Fields,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
    back_to,
    chosen,
)
from recollect.vocabulary.clock import parse_time
from recollect.vocabulary.errors import EventNotFound, InvalidInput, MemoryNotFound
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import ListOrder, MemoryType, Source

PAGE: Final = 40
#: Reasons for a correction, as the correction form offers them.
REASONS: Final = ("inaccurate", "outdated", "too_specific", "duplicate")
_ORDERS: Final = tuple(one.value for one in ListOrder)
#: Actions in a dispute; the last three settle it.
DISPUTE_ACTS: Final = ("open", "comment", "escalate", "updated", "confirmed", "withdrawn")
_WORDS: Final = {"tags": "tag", "files": "file", "modules": "module", "authors": "author"}
_SHOWN_EVENTS: Final = 12
_ALIKE: Final = 5
_ALIKE_CHARACTERS: Final = 1_000


def browse(request: PageRequest) -> Rendered:
    """List a page of memories: all of them, newest first, or the results of a search."""
    query = request.query
    narrow = _filters(query)
    question = query.get("q")
    order = chosen(query.get("sort"), _ORDERS, _ORDERS[0])
    found: list[tuple[Memory, float | None]]
    cursor: str | None = None
    if question:
        answer = request.memory.recall(
            question, limit=PAGE, kinds=("memory",), explicit=False, **narrow
        )
        found = [(item.item, item.score) for item in answer if isinstance(item.item, Memory)]
    else:
        page = request.memory.list(
            cursor=query.get("cursor") or None, limit=PAGE, order=order, **narrow
        )
        found, cursor = [(memory, None) for memory in page.items], page.next_cursor
    told = as_read(request.memory, [memory for memory, _ in found])
    found = [(memory, score) for memory, (_, score) in zip(told, found, strict=True)]
    return Rendered(
        "memories.html",
        {
            "found": found,
            "next": _next(query, cursor),
            "question": question,
            "types": [one.value for one in MemoryType],
            "sources": list(Source),
            "sorts": _ORDERS,
            "sort": order,
            "filtered": bool(question or _chosen_filters(query)),
        },
    )


def memory_page(request: PageRequest) -> Rendered:
    """Show one memory, as it is or as it was at a time, with all details."""
    memory = request.memory
    as_of = _time(request.query.get("as_of"))
    opened = not request.fragment
    found = _memory(memory, request.names["memory_id"], as_of, opened=opened)
    history = memory.history(found.id)
    related = [
        (arrow, _maybe(memory, arrow.target_id if arrow.source_id == found.id else arrow.source_id))
        for arrow in memory.relations(found.id)
    ]
    return Rendered(
        "memory.html",
        {
            "found": found,
            "as_read": as_read(memory, [found])[0],
            "as_of": as_of,
            "history": tuple(reversed(history)),
            "validity": time_line(found.valid_from, found.valid_to, as_of or datetime.now(UTC)),
            "related": related,
            "evidence": _evidence(memory, found),
            "replaced": _maybe(memory, found.supersedes),
            "replaced_by": _maybe(memory, found.superseded_by),
            "reasons": REASONS,
            "disputes": memory.disputes.list(resolved=None, memory=found.id).items,
        },
    )


def correct(request: PageRequest) -> Redirect:
    """Correct a memory, for one of the four reasons."""
    memory, form = request.memory, request.form
    found = _memory(memory, request.names["memory_id"])
    reason = chosen(form.get("reason"), REASONS)
    home = f"/panel/memories/{found.id}"
    text = form.whole("content").strip()
    if reason == "outdated":
        memory.update(found.id, valid_to=datetime.now(UTC), needs_review=False)
        return Redirect(home, "marked as no longer true")
    if reason == "duplicate":
        original = _memory(memory, form.get("chosen") or form.get("original"))
        if original.id == found.id:
            raise InvalidInput("A memory cannot be a duplicate of itself. Nothing was changed.")
        memory.relate(original.id, "supersedes", memory=found.id)
        memory.forget(found.id)
        return Redirect(f"/panel/memories/{original.id}", "archived as a duplicate", _undo(found))
    if not reason or not text:
        raise InvalidInput(
            "A correction needs a reason and the correct text. Nothing was changed.",
            hint="Choose what is wrong and write what is right.",
        )
    memory.agents.correct(found.id, text)
    return Redirect(home, "corrected")


def dispute(request: PageRequest) -> Redirect:
    """Open a dispute over a memory, answer in it, escalate it, or settle it."""
    memory, form = request.memory, request.form
    found = _memory(memory, request.names["memory_id"])
    home, text = f"/panel/memories/{found.id}", form.whole("text").strip()
    act, dispute_id = form.get("act"), form.get("dispute")
    if act not in DISPUTE_ACTS:
        raise InvalidInput("There is no such action. Nothing was done.")
    if act in ("open", "comment"):
        if not text:
            raise InvalidInput("Say why. Nothing was changed.")
        memory.disputes.open(found.id, text)
        return Redirect(home, "disputed")
    if act == "escalate":
        memory.disputes.escalate(dispute_id, text or None)
        return Redirect(home, "escalated")
    content = form.whole("content").strip() if act == "updated" else None
    memory.disputes.resolve(dispute_id, act, content=content, text=text or None)
    return Redirect(home, "settled")


def act(request: PageRequest) -> Redirect:
    """Perform the action of a button on one card."""
    found = _memory(request.memory, request.names["memory_id"])
    done = ACTS[_act_named(request.names["act"])](request.memory, found)
    undo = _undo(found) if request.names["act"] == "forget" else ""
    return Redirect(back_to(request, f"/panel/memories/{found.id}"), done, undo)


def act_on_many(request: PageRequest) -> Redirect:
    """Perform an action on every selected memory."""
    name = _act_named(request.form.get("act"))
    ids = request.form.all("id")
    if not ids:
        raise InvalidInput("Nothing was ticked, so nothing was done.")
    chosen_ones = [_memory(request.memory, memory_id) for memory_id in ids]
    if name == "pin":  # ticking a pinned one too means that all of them are to be pinned
        chosen_ones = [one for one in chosen_ones if not one.pinned] or chosen_ones
    for found in chosen_ones:
        ACTS[name](request.memory, found)
    done: dict[str, str | int] = {"act": name, "count": len(ids)}
    undo = "/panel/memories/restore?" + urlencode([("id", one) for one in ids])
    back = back_to(request, "/panel/memories")
    return Redirect(back, "{act}: {count}", undo if name == "forget" else "", values=done)


def restore_many(request: PageRequest) -> Redirect:
    """Take back that several memories were forgotten at once."""
    ids = request.query.all("id")
    for memory_id in ids:
        request.memory.restore(memory_id)
    done: dict[str, str | int] = {"act": "restore", "count": len(ids)}
    return Redirect("/panel/memories", "{act}: {count}", values=done)


def alike(request: PageRequest) -> Rendered:
    """Offer memories that one may be a duplicate of."""
    found = _memory(request.memory, request.names["memory_id"])
    recalled = request.memory.recall(
        found.content[:_ALIKE_CHARACTERS], limit=_ALIKE + 1, kinds=("memory",), explicit=False
    )
    others = as_read(request.memory, [one.item for one in recalled if isinstance(one.item, Memory)])
    return Rendered("alike.html", {"alike": [one for one in others if one.id != found.id][:_ALIKE]})


def _confirm(memory: Recollect, found: Memory) -> str:
    memory.agents.confirm(found.id)
    return "confirmed"


def _pin(memory: Recollect, found: Memory) -> str:
    memory.pin(found.id, not found.pinned)
    return "unpinned" if found.pinned else "pinned"


def _flag(memory: Recollect, found: Memory) -> str:
    memory.update(found.id, needs_review=True, user_verified=False)
    return "flagged as wrong; it waits for review"


def _forget(memory: Recollect, found: Memory) -> str:
    memory.forget(found.id)
    return "archived"


def _restore(memory: Recollect, found: Memory) -> str:
    memory.restore(found.id)
    return "restored"


def _erase(memory: Recollect, found: Memory) -> str:
    memory.forget(found.id, for_good=True)
    return "deleted permanently"


ACTS: Final[dict[str, Callable[[Recollect, Memory], str]]] = {
    "confirm": _confirm,
    "pin": _pin,
    "flag": _flag,
    "forget": _forget,
    "restore": _restore,
    "erase": _erase,
}


def _act_named(name: str) -> str:
    if name not in ACTS:
        raise InvalidInput("There is no such action. Nothing was done.")
    return name


def _undo(found: Memory) -> str:
    return f"/panel/memories/{found.id}/restore"


def _filters(query: Fields) -> dict[str, Any]:
    """Filters of a query, as the engine's verbs take them."""
    narrow: dict[str, Any] = {
        "type": query.all("type") or None,
        "source": query.all("source") or None,
        "pinned": True if query.has("pinned") else None,
        "needs_review": True if query.has("needs_review") else None,
        "archived": True if query.has("archived") else None,
        "superseded": True if query.has("superseded") else None,
        "as_of": _time(query.get("as_of")),
        "created_after": _time(query.get("after")),
        "created_before": _time(query.get("before")),
        "minimum_confidence": _share(query.get("confidence")),
    }
    narrow.update({name: query.words(field) or None for name, field in _WORDS.items()})
    return {name: value for name, value in narrow.items() if value is not None}


def _chosen_filters(query: Fields) -> bool:
    return any(value.strip() for name, value in query.pairs if name not in ("cursor", "sort"))


def _next(query: Fields, cursor: str | None) -> str:
    """Address of the next page."""
    if cursor is None:
        return ""
    kept = [pair for pair in query.pairs if pair[0] not in ("cursor", "done", "undo") and pair[1]]
    return "/panel/memories?" + urlencode([*kept, ("cursor", cursor)])


def _time(text: str) -> datetime | None:
    return parse_time(text) if text else None


def _share(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError as error:
        raise InvalidInput("A confidence is a number from 0 to 1.") from error


def _memory(
    memory: Recollect, memory_id: str, as_of: datetime | None = None, *, opened: bool = False
) -> Memory:
    """A memory; only a view of its own page counts as opening it, not a change made there."""
    found = memory.get(memory_id, as_of=as_of, explicit=opened)
    if not isinstance(found, Memory):
        raise MemoryNotFound(f"No memory {memory_id!r} is visible here.")
    return found


def _maybe(memory: Recollect, memory_id: str | None) -> Memory | None:
    if memory_id is None:
        return None
    with suppress(MemoryNotFound):
        return _memory(memory, memory_id)
    return None


def _evidence(memory: Recollect, found: Memory) -> list[Event]:
    """Events that a memory came from, as far as the viewer may read them."""
    evidence: list[Event] = []
    for event_id in found.provenance.events[:_SHOWN_EVENTS]:
        with suppress(EventNotFound):
            event = memory.get(event_id)
            if isinstance(event, Event):
                evidence.append(event)
    return evidence


ROUTES: Final = (
    PageRoute(GET, "/panel/memories", browse),
    PageRoute(POST, "/panel/memories", act_on_many),
    PageRoute(POST, "/panel/memories/restore", restore_many),
    PageRoute(GET, "/panel/memories/{memory_id}", memory_page),
    PageRoute(GET, "/panel/memories/{memory_id}/alike", alike),
    PageRoute(POST, "/panel/memories/{memory_id}/correct", correct),
    PageRoute(POST, "/panel/memories/{memory_id}/dispute", dispute),
    PageRoute(POST, "/panel/memories/{memory_id}/{act}", act),
)
