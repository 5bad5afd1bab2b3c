"""Knowledge page: memos by topic, experts, and questions that find no answer."""

from typing import Final

from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
)

_TOPICS: Final = 40


def knowledge(request: PageRequest) -> Rendered:
    """Show the overview; with a subject, also its experts."""
    workspace = request.memory.workspace
    subject = request.query.get("subject")
    seen = workspace.overview()
    found = workspace.experts(subject) if subject else seen.experts
    return Rendered(
        "knowledge.html",
        {
            "overview": seen,
            "topics": workspace.topics(limit=_TOPICS),
            "subject": subject,
            "experts": [one for one in found if one.samples or one.answered or one.cited],
        },
    )


def memo(request: PageRequest) -> Rendered:
    """Show one memo with the current text of its sources."""
    workspace = request.memory.workspace
    return Rendered("memo.html", {"memo": workspace.memo(request.names["memo_id"])})


def save(request: PageRequest) -> Redirect:
    """Save the conversation around an event as a memo."""
    kept = request.memory.workspace.save(request.form.get("event"))
    return Redirect(f"/panel/knowledge/{kept.id}", "saved")


def rate(request: PageRequest) -> Redirect:
    """Say whether a memo helped."""
    memo_id = request.names["memo_id"]
    request.memory.workspace.rate_memo(memo_id, helpful=request.form.get("verdict") == "helpful")
    return Redirect(f"/panel/knowledge/{memo_id}", "noted")


ROUTES: Final = (
    PageRoute(GET, "/panel/knowledge", knowledge),
    PageRoute(POST, "/panel/knowledge", save),
    PageRoute(GET, "/panel/knowledge/{memo_id}", memo),
    PageRoute(POST, "/panel/knowledge/{memo_id}", rate),
)
