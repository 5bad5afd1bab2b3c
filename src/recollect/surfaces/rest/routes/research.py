"""Research routes: answers with citations, at once or streamed step by step."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from pydantic import Field, ValidationError

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import (
    Body,
    Cursor,
    Limit,
    Name,
    NewFeedback,
    SpaceName,
    encoded,
    examples,
    page,
)
from recollect.surfaces.rest.dispatcher import (
    Dispatcher,
    bearer_of,
    client_of,
    dispatcher_of,
    secret_of,
)
from recollect.surfaces.rest.response_models import FAULTS, SERVER_SENT, Listed, operation_id
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.research import (
    LONGEST_QUESTION,
    Requester,
    ResearchAnswer,
    ResearchPlan,
    ResearchRecord,
    ResearchStep,
)
from recollect.vocabulary.retrievals import Retrieval

router = APIRouter(
    prefix="/v1/research",
    tags=["research"],
    responses=FAULTS,
    generate_unique_id_function=operation_id,
)


class ResearchBody(Body):
    """A question for research in all events."""

    model_config = examples({"question": "Why did we move the invoices to PostgreSQL?"})

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)] = Field(
        description="The question."
    )
    requester: Requester = Field(default=Requester.USER, description="Who asks.")
    session: Name | None = Field(default=None, description="The conversation it is asked in.")
    space: Name | None = Field(default=None, description="The space to search.")


@router.post("", response_model=ResearchAnswer)
async def research(request: Request, body: ResearchBody) -> Response:
    """Answer a question from events, every sentence with its citation; or say it is not known."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.research(
            body.question, requester=body.requester, session=body.session
        ),
        space=body.space,
    )


@router.post("/stream", response_class=Response, responses={**FAULTS, **SERVER_SENT})
async def stream(request: Request, body: ResearchBody) -> Response:
    """Answer a question step by step, as server-sent events; the last one holds the answer.

    Closing the connection stops the research; nothing of it is stored.
    """
    dispatcher = dispatcher_of(request)
    steps = _Steps(dispatcher, bearer_of(request), body, client_of(request))
    first = await steps.take()  # an invalid question is answered with an error status

    async def lines() -> AsyncIterator[bytes]:
        try:
            step = first
            while step is not None:
                yield b"event: " + step.kind.encode() + b"\ndata: " + encoded(step) + b"\n\n"
                step = await steps.take()
        except RecollectError as error:
            yield b"event: error\ndata: " + encoded(_error_document(error)) + b"\n\n"
        finally:
            steps.stop.set()

    return StreamingResponse(lines(), media_type="text/event-stream")


@router.post("/plan", response_model=ResearchPlan)
async def plan(request: Request, body: ResearchBody) -> Response:
    """Plan how a question would be researched, without searching."""
    return await dispatcher_of(request).answer(
        request, lambda memory: memory.plan_research(body.question), space=body.space
    )


@router.get("/log", response_model=Listed[ResearchRecord])
async def researches(
    request: Request, space: SpaceName = None, cursor: Cursor = None, limit: Limit = 20
) -> Response:
    """List the sender's researched questions, newest first, with rounds and verdicts."""
    return await dispatcher_of(request).answer(
        request, lambda memory: page(memory.researches(cursor=cursor, limit=limit)), space=space
    )


@router.post("/{retrieval_id}/feedback", response_model=Retrieval)
async def research_feedback(
    request: Request, retrieval_id: str, body: NewFeedback, space: SpaceName = None
) -> Response:
    """Give feedback on an answer; a helpful one becomes a memo, or raises the existing memo."""
    return await dispatcher_of(request).answer(
        request,
        lambda memory: memory.feedback(
            retrieval_id, body.verdict, items=body.items, note=body.note
        ),
        space=space,
    )


@router.websocket("/live")
async def live(socket: WebSocket) -> None:
    """Answer questions step by step over a WebSocket.

    Each message is a question, as the body of ``POST /v1/research`` has it; ``{"stop": true}``
    ends the one under way with what it has.
    """
    dispatcher: Dispatcher = socket.app.state.dispatcher
    try:
        secret = secret_of(socket.headers.get("authorization"))
        await dispatcher.run(lambda: dispatcher.view(secret, None))
    except RecollectError:
        await socket.close(code=1008)
        return
    await socket.accept()
    coming: asyncio.Future[str] = asyncio.ensure_future(socket.receive_text())
    try:
        while True:
            message = await coming
            coming = asyncio.ensure_future(socket.receive_text())
            coming = await _answer_live(socket, _Asking(dispatcher, secret, message), coming)
    except WebSocketDisconnect:
        return
    finally:
        coming.cancel()


class _Asking(NamedTuple):
    """Message of a WebSocket, and its sender."""

    dispatcher: Dispatcher
    secret: str | None
    message: str


async def _answer_live(
    socket: WebSocket, asking: _Asking, coming: "asyncio.Future[str]"
) -> "asyncio.Future[str]":
    """Answer one question while listening for a stop message; return the next message."""
    try:
        asked = _question_in(asking.message)
        if asked is None:
            return coming  # no research is running that could be stopped
        steps = _Steps(asking.dispatcher, asking.secret, asked, client_of(socket))
    except InvalidInput as error:
        await _send(socket, {"error": _error_document(error)})
        return coming
    try:
        while (step := await steps.take()) is not None:
            await _send(socket, step)
            if coming.done() and _is_stop(coming.result()):
                steps.stop.set()
                coming = asyncio.ensure_future(socket.receive_text())
    except RecollectError as error:
        await _send(socket, {"error": _error_document(error)})
    finally:
        steps.stop.set()
    return coming


async def _send(socket: WebSocket, value: Any) -> None:
    await socket.send_text(encoded(value).decode())


def _is_stop(message: str) -> bool:
    with suppress(InvalidInput):
        return _question_in(message) is None
    return False


def _question_in(message: str) -> ResearchBody | None:
    """Question in a message; None when the message is a stop."""
    try:
        question_document: Any = json.loads(message)
        if isinstance(question_document, dict) and question_document.get("stop") is True:
            return None
        return ResearchBody.model_validate(question_document)
    except (ValueError, RecursionError, ValidationError) as error:
        raise InvalidInput(
            "The message is not a JSON object with a question. Nothing was done.",
            hint='Send {"question": "..."}.',
        ) from error


class _Steps:
    """Steps of one research, each computed on the pool when it is requested."""

    def __init__(
        self, dispatcher: Dispatcher, secret: str | None, body: ResearchBody, client: str
    ) -> None:
        self.stop = threading.Event()
        self._client = client
        self._dispatcher = dispatcher
        self._secret = secret
        self._body = body
        self._steps: Iterator[ResearchStep] | None = None

    async def take(self) -> ResearchStep | None:
        """Return the next step; None after the last."""
        taken: ResearchStep | None = await self._dispatcher.run(self._next)
        return taken

    def _next(self) -> ResearchStep | None:
        if self._steps is None:
            view: Recollect = self._dispatcher.view(
                self._secret, self._body.space, client=self._client
            )
            self._steps = view.researching(
                self._body.question,
                requester=self._body.requester,
                session=self._body.session,
                stop=self.stop.is_set,
            )
        return next(self._steps, None)


def _error_document(error: RecollectError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "hint": error.hint}
