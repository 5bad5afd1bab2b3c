"""Session review page: what an agent was given and learned, with evidence, for a decision."""

from typing import Final

from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)
from recollect.vocabulary.agents import TrustLevel
from recollect.vocabulary.errors import InvalidInput

_NEWEST: Final = 50


def sessions(request: PageRequest) -> Rendered:
    """List the newest sessions, and the trust level for what is learned."""
    return Rendered(
        "sessions.html",
        {
            "runs": request.memory.agents.sessions(_NEWEST),
            "trust": request.memory.agents.trust(),
            "levels": list(TrustLevel),
        },
    )


def session_page(request: PageRequest) -> Rendered:
    """Show one session for review."""
    review = request.memory.agents.review(request.names["session"])
    return Rendered("session.html", {"review": review})


def decide(request: PageRequest) -> Redirect:
    """Confirm, correct or reject one learned item; or mark the session as reviewed."""
    agents, form = request.memory.agents, request.form
    session = request.names["session"]
    home = f"/panel/sessions/{session}"
    act, memory_id = form.get("act"), form.get("id")
    if act == "confirm":
        agents.confirm(memory_id)
    elif act == "correct":
        agents.correct(memory_id, form.whole("content").strip())
    elif act == "reject":
        agents.reject(memory_id)
        return Redirect(home, "rejected", f"/panel/memories/{memory_id}/restore")
    elif act == "confirm_all":
        for learned in agents.review(session).open:
            agents.confirm(learned.memory.id)
        agents.close_review(session)
    elif act == "close":
        agents.close_review(session)
    else:
        raise InvalidInput("There is no such action. Nothing was done.")
    return Redirect(home, "noted")


def set_trust(request: PageRequest) -> Redirect:
    """Set the trust level for what is learned, or let the figures decide."""
    wanted = request.form.get("level")
    if wanted not in ("", "1", "2", "3", "4"):
        raise InvalidInput("A trust level is 1, 2, 3 or 4. Nothing was changed.")
    request.memory.agents.set_trust(int(wanted) if wanted else None)
    return Redirect("/panel/sessions", "saved")


ROUTES: Final = (
    PageRoute(GET, "/panel/sessions", sessions),
    PageRoute(POST, "/panel/sessions/trust", set_trust),
    PageRoute(GET, "/panel/sessions/{session:path}", session_page),
    PageRoute(POST, "/panel/sessions/{session:path}", decide),
)
