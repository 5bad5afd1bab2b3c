"""Start page: how much is remembered, the health score, and what needs attention."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from recollect.engine import Recollect
from recollect.surfaces.panel.charts import bar_chart
from recollect.surfaces.panel.memo_answers import as_read
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.errors import NotAllowed, NotFound
from recollect.vocabulary.overview import Overview

#: Description of each part of the health score, and the page where it can be raised.
PARTS: Final = {
    "active": ("used or written in the last 30 days", "/panel/memories"),
    "sure": ("with a confidence of one half or more", "/panel/memories?sort=unsure"),
    "fresh": ("not overtaken by changes of their files", "/panel/attention"),
    "reviewed": ("not waiting for somebody to look", "/panel/memories?needs_review=yes"),
    "undisputed": ("that nobody disputes", "/panel/attention"),
    "consistent": ("open contradictions: {count}, a point less for each", "/panel/attention"),
}


def health(request: PageRequest) -> Rendered:
    """The whole page."""
    memory = request.memory
    seen = memory.overview()
    days = seen.days
    told = as_read(memory, [one.memory for one in seen.activity])
    activity = [
        replace(one, memory=as_read) for one, as_read in zip(seen.activity, told, strict=True)
    ]
    values: dict[str, Any] = {
        "overview": seen,
        "activity": activity,
        "explained": PARTS,
        "growth": bar_chart(days, [day.written for day in days]),
        "use": bar_chart(days, [day.asked for day in days]),
        "events": seen.events,
        "streams": seen.streams,
        "attention": attention_counts(memory, seen),
        "saved": _saved(memory),
        "empty": not seen.counts.total and not seen.events,
    }
    return Rendered("health.html", values)


def attention_counts(memory: Recollect, seen: Overview) -> tuple[tuple[str, int, str], ...]:
    """Counts of what waits for a person: name, count, and the page to handle it."""
    rows = [
        ("waiting for review", seen.counts.needs_review, "/panel/memories?needs_review=yes"),
        ("possibly out of date", seen.counts.stale, "/panel/attention"),
        ("disputed", seen.counts.disputed, "/panel/attention"),
        ("open contradictions", seen.counts.contradictions, "/panel/attention"),
        ("texts set aside", len(memory.chat.suspects(limit=50).items), "/panel/attention"),
    ]
    with suppress(NotAllowed):
        rows.append(("failed jobs", len(memory.dead_jobs()), "/panel/settings"))
    return tuple(row for row in rows if row[1])


def _saved(memory: Recollect) -> int | None:
    """Upper bound of what reminders saved the newest session; None without a session."""
    with suppress(NotFound):
        return memory.agents.review().savings.at_most
    return None


ROUTES: Final = (PageRoute(GET, "/", health),)
