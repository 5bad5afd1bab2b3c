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
from recollect.vocabulary.research import Citation

_MEMORIES: Final = 6
_VERDICTS: Final = ("helpful", "unhelpful", "wrong")
_FOLDED: Final = 5  # more sources than these are folded away


def ask(request: PageRequest) -> Rendered:
    """The question and, when there is one, its answer with what it rests on."""
    question = request.query.get("q")
    if not question:
        return Rendered("ask.html", {"question": "", "log": None})
    memory = request.memory
    answer = memory.research(question)
    told = memory.chat.ask(question)
    recalled = memory.recall(question, limit=_MEMORIES, kinds=("memory",), explicit=False)
    sources = [_cited(one) for one in answer.citations]
    sources += [_kept(one.item) for one in recalled if isinstance(one.item, Memory)]
    return Rendered(
        "ask.html",
        {
            "question": question,
            "known": answer.known or told.known,
            "said": told.text if told.known and not answer.known else answer.text,
            "sources": sources,
            "folded": len(sources) > _FOLDED,
            "log": answer.id,
        },
    )


def suggestions(request: PageRequest) -> Rendered:
    """What is known already about a question that is being typed, for the script of the page."""
    found = request.memory.workspace.suggest(request.query.get("q")).found
    return Rendered("suggestions.html", {"found": found})


def say_of_it(request: PageRequest) -> Redirect:
    """What the asker says of an answer, or of one thing in it."""
    form = request.form
    verdict = chosen(form.get("verdict"), _VERDICTS, "unhelpful")
    request.memory.feedback(form.get("log"), verdict, items=form.all("item"))
    return Redirect(back_to(request, "/panel/ask"), "noted")


def _cited(citation: Citation) -> dict[str, object]:
    """An event that the answer cites."""
    return {
        "kind": "event",
        "id": citation.event_id,
        "path": f"/panel/events/{citation.event_id}",
        "label": citation.stream,
        "text": citation.quote,
        "who": citation.author,
        "at": citation.at,
        "outside": (),
    }


def _kept(memory: Memory) -> dict[str, object]:
    """A memory about the same."""
    return {
        "kind": "dead_end" if memory.type.value == "dead_end" else "memory",
        "id": "",
        "path": f"/panel/memories/{memory.id}",
        "label": memory.type.value,
        "text": memory.content,
        "who": memory.provenance.created_by,
        "at": memory.created_at,
        "outside": memory.provenance.outside,
    }


ROUTES: Final = (
    PageRoute(GET, "/panel/ask", ask),
    PageRoute(GET, "/panel/suggestions", suggestions),
    PageRoute(POST, "/panel/ask/feedback", say_of_it),
)
