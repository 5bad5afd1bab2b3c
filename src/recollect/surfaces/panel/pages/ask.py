"""Ask: a question in plain words, an answer in the words that are kept, each with its source."""

from typing import Final

from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
    back_to,
    chosen,
)
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found

_SOURCES: Final = 8
_VERDICTS: Final = ("helpful", "unhelpful", "wrong")


def ask(request: PageRequest) -> Rendered:
    """The question and, when there is one, its answer with what it rests on."""
    question = request.query.get("q")
    if not question:
        return Rendered("ask.html", {"question": "", "answer": None, "sources": (), "log": None})
    memory = request.memory
    told = memory.chat.ask(question)
    recalled = memory.recall(question, limit=_SOURCES, kinds=("memory", "event"))
    return Rendered(
        "ask.html",
        {
            "question": question,
            "answer": told,
            "sources": [_source(one) for one in recalled],
            "log": recalled.id,
        },
    )


def say_of_it(request: PageRequest) -> Redirect:
    """What the asker says of an answer, or of one thing in it."""
    form = request.form
    verdict = chosen(form.get("verdict"), _VERDICTS, "unhelpful")
    request.memory.feedback(form.get("log"), verdict, items=form.all("item"))
    return Redirect(back_to(request, "/panel/ask"), "noted")


def _source(found: Found) -> dict[str, object]:
    """One thing that was found, as a card shows it."""
    item = found.item
    if isinstance(item, Memory):
        return {
            "kind": "dead_end" if item.type == "dead_end" else "memory",
            "id": item.id,
            "path": f"/panel/memories/{item.id}",
            "label": item.type.value,
            "text": item.content,
            "who": item.provenance.created_by,
            "at": item.created_at,
            "outside": item.provenance.outside,
        }
    return {
        "kind": "event",
        "id": found.id,
        "path": f"/panel/events/{found.id}",
        "label": "event",
        "text": found.text,
        "who": getattr(item, "author", ""),
        "at": getattr(item, "occurred_at", None),
        "outside": (),
    }


ROUTES: Final = (
    PageRoute(GET, "/panel/ask", ask),
    PageRoute(POST, "/panel/ask/feedback", say_of_it),
)
