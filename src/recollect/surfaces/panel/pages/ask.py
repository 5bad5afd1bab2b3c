"""Ask page: answers a question in the words that are kept, each with its source.

The script of the page shows the steps to an answer as they are made; without scripts the page is
sent with the answer in it.
"""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
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
    back_to,
    chosen,
)
from recollect.surfaces.panel.renderer import moment, translated
from recollect.vocabulary.errors import RecollectError
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.question_texts import makes_claim
from recollect.vocabulary.research import Citation, ResearchAnswer, ResearchStep, StepKind

_MEMORIES: Final = 6
_VERDICTS: Final = ("helpful", "unhelpful", "wrong")
_MOST_OPEN: Final = 5  # a longer list of sources is folded
#: Lines of an answer that quote nothing.
ANSWER_LINES: Final = (
    "I could not find this.",
    "Nearest to it:",
    "Stopped before there was an answer.",
)
_MARK: Final = re.compile(r"\[(\d{1,2})\]")

Run = Callable[[Callable[[], Any]], Awaitable[Any]]


def ask(request: PageRequest) -> Rendered:
    """Show the question and, when there is one, its answer with its sources."""
    question = request.query.get("q")
    if not question:
        return Rendered("ask.html", {"question": "", "log": None})
    return Rendered(
        "ask.html", _answered(request.memory, request.memory.research(question), request.language)
    )


async def answer_lines(
    request: PageRequest, *, run: Run, render: Callable[[Rendered], str]
) -> AsyncIterator[bytes]:
    """Steps to an answer, one line of JSON each; the last holds the answer as HTML.

    Closing the page stops the research, and nothing of it is stored.
    """
    gone = False
    steps = request.memory.researching(request.form.get("q"), stop=lambda: gone)
    try:
        while (step := await run(lambda: next(steps, None))) is not None:
            if step.answer is not None:
                made = await run(partial(_turn, request, step.answer))
                yield _line(html=await run(partial(render, made)))
            elif step.kind is StepKind.SENTENCE:
                yield _line(sentence=translated(request.language, step.text))
            else:
                yield _line(step=_step(step, request.language))
    except RecollectError as error:
        message, hint = error_words(request.language, error)
        yield _line(error=message, hint=hint)
    finally:
        gone = True


def _turn(request: PageRequest, answer: ResearchAnswer) -> Rendered:
    return Rendered("answer.html", _answered(request.memory, answer, request.language))


def _step(step: ResearchStep, language: str) -> str:
    """Short description of a step."""
    names = {
        StepKind.LOOK: "Looking at what is known already",
        StepKind.PLAN: "Planning the searches",
        StepKind.SEARCH: "Searching",
        StepKind.REFLECT: "Checking whether that is enough",
    }
    if step.kind not in names:
        return step.text
    name = translated(language, names[step.kind])
    return (
        translated(language, "{step}: {words}", step=name, words=step.text) if step.text else name
    )


def _line(**values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _answered(memory: Recollect, answer: ResearchAnswer, language: str) -> dict[str, object]:
    """Template values of an answer: its sentences and all their sources."""
    question = answer.question
    own = memory.chat.ask(question, explicit=not answer.known)
    recalled = memory.recall(question, limit=_MEMORIES, kinds=("memory",))
    sources = [_cited(one) for one in answer.citations]
    related = [
        _kept(one.item)
        for one in recalled
        if isinstance(one.item, Memory) and makes_claim(one.item)
    ]
    said = own.text if own.known and not answer.known else answer.text
    known = answer.known or own.known
    return {
        "question": question,
        "known": known,
        "said": _sentences(said, {one.number: one for one in answer.citations}, language),
        "groups": [
            ("Used {count} memories and events" if known else "Nearest to it: {count}", sources),
            ("Related memories: {count}", related),
        ],
        "sources": sources + related,
        "most_open": _MOST_OPEN,
        "log": answer.id if answer.known or not own.known else own.id,
        "notes": answer.notes,
    }


def _sentences(
    text: str, cited: dict[int, Citation], language: str
) -> list[tuple[str, Citation | None]]:
    """Split an answer into pieces that each end with a citation or a line, to place the links."""
    pieces: list[tuple[str, Citation | None]] = []
    for told in text.splitlines():
        begun, line = 0, _in_language(told, cited, language)
        for mark in _MARK.finditer(line):
            citation = cited.get(int(mark.group(1)))
            if citation is not None:
                pieces.append((line[begun : mark.start()].strip(), citation))
                begun = mark.end()
        if line[begun:].strip():
            pieces.append((line[begun:].strip(), None))
    return pieces or [("", None)]


def _in_language(line: str, cited: dict[int, Citation], language: str) -> str:
    """A line of an answer with the words around its quote in the visitor's language."""
    if language == "en" or line in ANSWER_LINES:
        return translated(language, line)
    numbers = _MARK.findall(line)
    citation = cited.get(int(numbers[-1])) if numbers else None
    beginning = "" if citation is None else f"{citation.author} in {citation.stream}, "
    if citation is None or not line.startswith(beginning):
        return line
    return translated(
        language,
        "{author} in {stream}, {day}: {quote}",
        author=citation.author,
        stream=citation.stream,
        day=translated(language, "time unknown")
        if citation.time_unknown
        else moment(citation.at.date()),
        quote=line[len(beginning) :].partition(": ")[2],
    )


def suggestions(request: PageRequest) -> Rendered:
    """Suggest what is known already about a question being typed, for the script of the page."""
    found = request.memory.workspace.suggest(request.query.get("q")).found
    return Rendered("suggestions.html", {"found": found})


def say_of_it(request: PageRequest) -> Redirect:
    """Record the asker's feedback on an answer, or on one item in it."""
    form = request.form
    verdict = chosen(form.get("verdict"), _VERDICTS, "unhelpful")
    request.memory.feedback(form.get("log"), verdict, items=form.all("item"))
    return Redirect(back_to(request, "/panel/ask"), "noted")


def _cited(citation: Citation) -> dict[str, object]:
    """Template values of an event that the answer cites."""
    return {
        "kind": "event",
        "cited": True,
        "id": citation.event_id,
        "path": f"/panel/events/{citation.event_id}",
        "label": citation.stream,
        "text": citation.quote,
        "who": citation.author,
        "at": citation.at,
        "time_unknown": citation.time_unknown,
        "outside": (),
    }


def _kept(memory: Memory) -> dict[str, object]:
    """Template values of a related memory."""
    return {
        "cited": False,
        "time_unknown": False,
        "kind": "dead_end" if memory.type.value == "dead_end" else "memory",
        "id": memory.id,
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
