"""Personal memory page: what an assistant keeps about the visitor, settings, and erasure."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    Download,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.surfaces.panel.renderer import translated
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.personal import AuditEntry

PAGE: Final = 50
_EVERYTHING: Final = "delete everything"  # in the visitor's language


def personal(request: PageRequest) -> Rendered:
    """Show the person's entries, settings and audit log."""
    chat = request.memory.chat
    page = chat.entries(cursor=request.query.get("cursor") or None, limit=PAGE)
    audit = chat.audit(limit=30).items
    return Rendered(
        "personal.html",
        {
            "entries": page.items,
            "next": page.next_cursor,
            "settings": chat.settings(),
            "audit": audit,
            "subjects": _subjects(request.memory, audit),
            "phrase": translated(request.language, _EVERYTHING),
        },
    )


def _subjects(memory: Recollect, audit: Sequence[AuditEntry]) -> dict[str, str]:
    """The words of the entries that the log names, as far as they are still kept."""
    found: dict[str, str] = {}
    for subject in {one.subject for one in audit if one.subject}:
        with suppress(NotFound):
            kept = memory.get(subject, explicit=False)
            found[subject] = kept.content if isinstance(kept, Memory) else kept.text
    return found


def say(request: PageRequest) -> Redirect:
    """Handle a sentence to the memory: store something, or forget."""
    text = request.form.whole("text").strip()
    if not text:
        raise InvalidInput("Nothing was said, so nothing was done.")
    said = request.memory.chat.say(text)
    if said.intent.value != "none":
        return Redirect("/panel/personal", said.answer)
    heard = request.memory.chat.hear(text)
    kept = len(heard.kept)
    return Redirect(
        "/panel/personal",
        "kept: {kept}" if kept else "nothing lasting in it",
        values={"kept": kept},
    )


def set_switches(request: PageRequest) -> Redirect:
    """Change the person's settings."""
    form = request.form
    days = form.get("retention_days")
    if days and not days.isdigit():
        raise InvalidInput("Retention is a number of days. Nothing was changed.")
    request.memory.chat.set(
        memory_enabled=form.has("memory_enabled"),
        incognito_default=form.has("incognito_default"),
        retention_days=int(days) if days else None,
    )
    return Redirect("/panel/personal", "saved")


def forget(request: PageRequest) -> Redirect:
    """Erase one entry; for a quarter of an hour it can be restored."""
    forgotten = request.memory.chat.forget(request.form.get("id"))
    undo = f"/panel/personal/undo/{forgotten.undo}" if forgotten.undo else ""
    return Redirect("/panel/personal", "forgotten", undo)


def pin(request: PageRequest) -> Redirect:
    """Pin an entry so that it is never trimmed, or unpin it."""
    chat = request.memory.chat
    entry = chat.entry(request.form.get("id"))
    chat.pin(entry.id, not entry.memory.pinned)
    return Redirect("/panel/personal", "unpinned" if entry.memory.pinned else "pinned")


def undo(request: PageRequest) -> Redirect:
    """Restore what was forgotten a moment ago."""
    return Redirect("/panel/personal", request.memory.chat.undo(request.names["code"]))


def forget_everything(request: PageRequest) -> Redirect:
    """Erase every entry of the person here, after a written confirmation."""
    wanted = translated(request.language, _EVERYTHING)
    if request.form.get("phrase").lower() not in (wanted, _EVERYTHING):
        raise InvalidInput(
            "Nothing was deleted.", hint=f"Write “{wanted}” into the field to confirm it."
        )
    chat = request.memory.chat
    gone = 0
    while True:
        ids = [entry.id for entry in chat.entries(limit=200).items]
        if not ids:
            return Redirect("/panel/personal", "deleted: {gone}", values={"gone": gone})
        chat.forget(*ids)
        gone += len(ids)


def export(request: PageRequest) -> Download:
    """Export everything the person may see here, as a file that can be imported."""
    return Download("recollect.json", request.memory.export("json"), "application/json")


def export_audit(request: PageRequest) -> Download:
    """Export the person's audit log, line by line."""
    return Download("audit.jsonl", request.memory.chat.export_audit(), "application/x-ndjson")


def export_entries(request: PageRequest) -> Download:
    """Export all of the person's entries, and nothing else."""
    return Download("entries.jsonl", _entry_lines(request.memory), "application/x-ndjson")


def _entry_lines(memory: Recollect) -> Iterator[str]:
    cursor: str | None = None
    while True:
        page = memory.chat.entries(cursor=cursor, limit=1_000)
        for one in page.items:
            told = {"id": one.id, "text": one.memory.content}
            yield json.dumps(told, ensure_ascii=False) + "\n"
        cursor = page.next_cursor
        if cursor is None:
            return


ROUTES: Final = (
    PageRoute(GET, "/panel/personal", personal),
    PageRoute(POST, "/panel/personal/say", say),
    PageRoute(POST, "/panel/personal/settings", set_switches),
    PageRoute(POST, "/panel/personal/forget", forget),
    PageRoute(POST, "/panel/personal/pin", pin),
    PageRoute(POST, "/panel/personal/undo/{code}", undo),
    PageRoute(POST, "/panel/personal/everything", forget_everything),
    PageRoute(GET, "/panel/personal/export", export),
    PageRoute(GET, "/panel/personal/audit", export_audit),
    PageRoute(GET, "/panel/personal/entries", export_entries),
)
