"""Teach page: add a memory by hand, and import rules and histories by dropping a file."""

import asyncio
import json
import os
import queue
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from recollect.engine import Recollect
from recollect.surfaces.panel.error_texts import error_words
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.surfaces.panel.renderer import RULE_FILES, translated
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.memory_types import MemoryType
from recollect.vocabulary.reports import ImportReport

#: Types that people teach; the product finds out the others itself.
TYPES: Final = (
    MemoryType.FACT,
    MemoryType.DECISION,
    MemoryType.PREFERENCE,
    MemoryType.PATTERN,
    MemoryType.REQUIREMENT,
    MemoryType.GOTCHA,
    MemoryType.WORKFLOW_RECIPE,
    MemoryType.DEAD_END,
)
_EVERY: Final = 0.2  # seconds between two lines of progress

Run = Callable[[Callable[[], Any]], Awaitable[Any]]


def teach(request: PageRequest) -> Rendered:
    """Show the form, with fields filled in from what is known of a file."""
    return Rendered("teach.html", {**_shown(), "file": request.query.get("file")})


def keep(request: PageRequest) -> Redirect:
    """Store what was taught."""
    form = request.form
    content = form.whole("content").strip()
    if not content:
        raise InvalidInput("There is nothing to keep. Write what should be remembered.")
    kept = request.memory.remember(
        content,
        type=form.get("type") or MemoryType.FACT.value,
        source="user_taught",
        tags=form.words("tags"),
        files=form.words("files"),
        pinned=form.has("pinned"),
    )
    done = "kept" if kept.times_told == 1 else "known already; it counts for more now"
    return Redirect(f"/panel/memories/{kept.id}", done)


def preview_rules(request: PageRequest) -> Rendered:
    """Preview what would be kept of a file of rules; with the second button, keep it."""
    form = request.form
    text, name = form.whole("rules"), form.get("name") or RULE_FILES[0]
    if not text.strip():
        raise InvalidInput("The file of rules is empty. Nothing was kept.")
    if name not in RULE_FILES:
        raise InvalidInput("That is not a known kind of rule file. Nothing was kept.")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(text, encoding="utf-8", errors="replace")
        if form.has("keep"):
            report = request.memory.agents.import_rules(folder, [name])
            return Rendered("teach.html", {**_shown(), "file": "", "report": report})
    lines = [line.strip(" -*\t") for line in text.splitlines()]
    rules = [line for line in lines if line and not line.startswith(("#", "```"))]
    preview = {"name": name, "text": text, "rules": rules[:200]}
    return Rendered("teach.html", {**_shown(), "file": "", "preview": preview})


def _shown() -> dict[str, Any]:
    return {
        "types": [one.value for one in TYPES],
        "rule_files": RULE_FILES,
        "preview": None,
        "report": None,
    }


async def received(name: str, body: AsyncIterator[bytes], run: Run) -> str:
    """Save a dropped file to a temporary path, which its reader removes."""
    suffix = "".join(Path(name).suffixes[-2:])[:20]
    handle, place = tempfile.mkstemp(prefix="recollect-import-", suffix=suffix)
    try:
        with os.fdopen(handle, "wb") as file:
            async for piece in body:
                await run(partial(file.write, piece))
    except BaseException:
        Path(place).unlink(missing_ok=True)
        raise
    return place


async def import_lines(
    memory: Recollect, place: str, *, name: str, language: str, run: Run
) -> AsyncIterator[bytes]:
    """Import a file that was dropped on the page; yields a line of JSON per step.

    The last line holds the result. Closing the page stops the import; the same file dropped again
    continues where it stopped.
    """
    steps: queue.SimpleQueue[tuple[int, float]] = queue.SimpleQueue()
    stopped = False

    def progress(done: int, total: int, read: int) -> None:
        if stopped:
            raise InvalidInput("The page was closed. What was imported so far is kept.")
        steps.put((read, done / total if total else 0.0))

    def read_in() -> ImportReport | None:
        try:
            return memory.import_(place, progress=progress)
        except RecollectError:
            if stopped:
                return None  # nobody waits for it any more
            raise

    try:
        work = asyncio.ensure_future(run(read_in))
        while not work.done():
            await asyncio.wait([work], timeout=_EVERY)
            last = None
            while not steps.empty():
                last = steps.get()
            if last is not None:
                yield _line(read=last[0], share=round(last[1], 3))
        try:
            report = work.result()
        except RecollectError as error:
            message, hint = error_words(language, error)
            yield _line(error=_named(message, place, name), hint=hint)
            return
        yield _line(
            done=translated(
                language,
                "{read} read, {added} added, {known} known already, {skipped} skipped.",
                read=report.read,
                added=report.added,
                known=report.already_there,
                skipped=report.skipped,
            ),
            problems=[_named(one, place, name) for one in report.problems[:10]],
        )
    finally:
        stopped = True
        Path(place).unlink(missing_ok=True)


def _named(text: str, place: str, name: str) -> str:
    """A sentence that names the file as its owner does, not as it is called on the server."""
    return text.replace(place, name).replace(Path(place).name, name)


def _line(**values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


ROUTES: Final = (
    PageRoute(GET, "/panel/teach", teach),
    PageRoute(POST, "/panel/teach", keep),
    PageRoute(POST, "/panel/teach/rules", preview_rules),
)
