"""Attention page: contradictions, disputes, memories out of date, and quarantined texts."""

from contextlib import suppress
from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.error_texts import values_in
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.surfaces.panel.renderer import translated
from recollect.vocabulary.errors import InvalidInput, MemoryNotFound, NotFound
from recollect.vocabulary.memory import Memory

_MAX_ROWS: Final = 50
#: What the engine says about a memory's files, as a sentence of the page.
REASONS: Final = {
    "gone": "A file that it is about is no longer there",
    "changed since its commit": "A file that it is about has changed since",
    "marked as stale": "Marked as out of date",
}

#: Reasons with numbers in them.
COUNTED_REASONS: Final = (
    "{path} is newer by {days} days",
    "unused for {days} days; its half-life is {half_life}",
)


def attention(request: PageRequest) -> Rendered:
    """Show everything that waits for a person."""
    memory = request.memory
    asked = {(one.old_id, one.new_id): one.id for one in memory.chat.questions()}
    return Rendered(
        "attention.html",
        {
            "asked": asked,
            "torn": len(memory.sync.conflicts()),
            "contradictions": memory.contradictions.list(limit=_MAX_ROWS).items,
            "disputes": [
                (one, found)
                for one in memory.disputes.list(limit=_MAX_ROWS).items
                if (found := _maybe(memory, one.memory_id)) is not None
            ],
            "suspects": memory.chat.suspects(limit=_MAX_ROWS).items,
            "waiting": memory.list(limit=_MAX_ROWS, needs_review=True).items,
            "stale": _stale(memory, request.language),
        },
    )


def settle(request: PageRequest) -> Redirect:
    """Settle which of two contradicting entries holds."""
    request.memory.chat.answer(
        request.names["question_id"], replaces=request.form.get("holds") == "new"
    )
    return Redirect("/panel/attention", "settled")


def resolve(request: PageRequest) -> Redirect:
    """Resolve which of two contradicting memories stands."""
    request.memory.contradictions.resolve(
        request.names["contradiction_id"], request.form.get("resolution")
    )
    return Redirect("/panel/attention", "settled")


def judge(request: PageRequest) -> Redirect:
    """Keep a quarantined text, or delete it."""
    suspect = request.names["suspect_id"]
    verdict = request.form.get("act")
    if verdict == "release":
        request.memory.chat.release(suspect)
    elif verdict == "reject":
        request.memory.chat.reject(suspect)
    else:
        raise InvalidInput("There is no such action. Nothing was done.")
    return Redirect("/panel/attention", "done")


def _maybe(memory: Recollect, memory_id: str) -> Memory | None:
    with suppress(MemoryNotFound):
        found = memory.get(memory_id, explicit=False)
        return found if isinstance(found, Memory) else None
    return None


def _stale(memory: Recollect, language: str) -> list[tuple[Memory, str]]:
    """Memories about code that may be out of date, and why."""
    found: list[tuple[Memory, str]] = []
    with suppress(NotFound):
        for one in memory.code.staleness()[:_MAX_ROWS]:
            kept = _maybe(memory, one.memory_id)
            if kept is not None and one.stale:
                found.append((kept, "; ".join(_said(reason, language) for reason in one.reasons)))
    return found


def _said(reason: str, language: str) -> str:
    """A reason in the visitor's language, followed by the files that it names."""
    for sentence in COUNTED_REASONS:
        values = values_in(sentence, reason)
        if values is not None:
            return translated(language, sentence, **values)
    words, colon, files = reason.partition(": ")
    told = translated(language, REASONS.get(words, words))
    return translated(language, "{reason}: {files}", reason=told, files=files) if colon else told


ROUTES: Final = (
    PageRoute(GET, "/panel/attention", attention),
    PageRoute(POST, "/panel/attention/questions/{question_id}", settle),
    PageRoute(POST, "/panel/attention/contradictions/{contradiction_id}", resolve),
    PageRoute(POST, "/panel/attention/suspects/{suspect_id}", judge),
)
