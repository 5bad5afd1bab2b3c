"""Served: what was asked and given, and why; and what agents were told without asking."""

from typing import Final

from recollect.engine import Recollect
from recollect.surfaces.panel.page_request import GET, PageRequest, PageRoute, Rendered
from recollect.vocabulary.errors import NotFound
from recollect.vocabulary.memory import Memory

PAGE: Final = 20


def served(request: PageRequest) -> Rendered:
    """The viewer's questions, newest first, and the sessions of agents."""
    memory = request.memory
    page = memory.retrievals(cursor=request.query.get("cursor") or None, limit=PAGE)
    rows = [(one, [(item, _title(memory, item.id)) for item in one.served]) for one in page.items]
    return Rendered(
        "served.html",
        {
            "rows": rows,
            "next": page.next_cursor,
            "runs": memory.agents.sessions(10),
            "tokens": memory.tokens.list(),
        },
    )


def why(request: PageRequest) -> Rendered:
    """A question asked again, with the parts of each score."""
    question = request.query.get("q")
    recalled = (
        request.memory.recall(question, limit=10, explain=True, explicit=False) if question else ()
    )
    return Rendered("why.html", {"question": question, "recalled": recalled})


def _title(memory: Recollect, item_id: str) -> str:
    """The first words of something that was served; nothing when it is gone."""
    try:
        found = memory.get(item_id)
    except NotFound:
        return ""
    return found.content if isinstance(found, Memory) else found.text


ROUTES: Final = (
    PageRoute(GET, "/panel/served", served),
    PageRoute(GET, "/panel/served/why", why),
)
