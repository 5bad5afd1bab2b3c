"""Served page: log of questions and answers by program, and of unprompted context for agents.

One question is often asked of several sources at once: the Ask page searches events, memories and
the asker's personal memory. Here the log rows are combined into one question with all its results.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Final

from recollect.engine import Recollect
from recollect.engine.for_surfaces import SIGNALS
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.retrievals import ANSWER, RESEARCH, Feedback, Retrieval, ServedItem

PAGE: Final = 20
_TOGETHER: Final = timedelta(minutes=1)
#: Surfaces that questions come from, with their names.
SURFACES: Final = {
    "panel": "The panel",
    "cli": "The command line",
    "mcp": "Agents, by MCP",
    "rest": "Programs, by REST",
    "mem0": "Programs, as mem0",
    "python": "Programs in Python",
}
#: Pages of the kinds of items that have one.
PLACES: Final = {"memory": "memories", "event": "events"}
#: Labels of log rows that are not plain searches.
WAYS: Final = {RESEARCH: "researched", ANSWER: "from what is kept about me"}


@dataclass(slots=True)
class ServedQuestion:
    """A question with all its results, from every source that was searched."""

    first: Retrieval
    ways: list[str] = field(default_factory=list)
    items: dict[str, tuple[ServedItem, str]] = field(default_factory=dict)
    feedback: list[Feedback] = field(default_factory=list)


def served(request: PageRequest) -> Rendered:
    """Show the viewer's questions, newest first, and the sessions of agents."""
    memory = request.memory
    client = request.query.get("client") or None
    cursor = request.query.get("cursor") or None
    page = memory.retrievals(cursor=cursor, limit=PAGE, client=client)
    return Rendered(
        "served.html",
        {
            "rows": grouped_by_question(page.items, cache(lambda item_id: _title(memory, item_id))),
            "next": page.next_cursor,
            "client": client,
            "surfaces": SURFACES,
            "ways": WAYS,
            "runs": memory.agents.sessions(10),
            "tokens": memory.tokens.list(),
        },
    )


def grouped_by_question(
    log: Iterable[Retrieval], title: Callable[[str], str]
) -> list[ServedQuestion]:
    """Combine the log rows of one question asked at one time."""
    found: list[ServedQuestion] = []
    for one in log:
        last = found[-1] if found else None
        if last is None or not _same(last, one):
            last = ServedQuestion(one)
            found.append(last)
        last.ways.append(one.profile)
        last.items |= {item.id: (item, title(item.id)) for item in one.served}
        last.feedback += one.feedback
    return found


def _same(asked: ServedQuestion, one: Retrieval) -> bool:
    """Whether a row is the same question as an earlier one, asked of another source."""
    first = asked.first
    return (
        (first.query, first.client) == (one.query, one.client)
        and first.at - one.at <= _TOGETHER
        and one.profile not in asked.ways
    )


def why(request: PageRequest) -> Rendered:
    """Ask a question again and show the parts of each score."""
    question = request.query.get("q")
    recalled = (
        request.memory.recall(question, limit=10, explain=True, explicit=False) if question else ()
    )
    return Rendered(
        "why.html",
        {"question": question, "recalled": recalled, "signals": SIGNALS, "places": PLACES},
    )


def _title(memory: Recollect, item_id: str) -> str:
    """First words of an item that was served; empty when it is gone."""
    try:
        found = memory.get(item_id, explicit=False)
    except NotFound:
        return ""
    return found.content if isinstance(found, Memory) else found.text


ROUTES: Final = (
    PageRoute(GET, "/panel/served", served),
    PageRoute(GET, "/panel/served/why", why),
)
