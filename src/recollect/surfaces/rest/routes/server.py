"""Routes of the server itself: start page, health, readiness, metrics, and export."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from recollect import __version__
from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import SpaceName
from recollect.surfaces.rest.dispatcher import bearer_of, dispatcher_of
from recollect.surfaces.rest.metrics import CONTENT_TYPE, ServerMetrics
from recollect.surfaces.rest.query_parameters import refuse_unknown_parameters
from recollect.surfaces.rest.response_models import FAULTS, SHAPE_OF_FAULTS, Figures, operation_id
from recollect.surfaces.rest.welcome import welcome_page
from recollect.vocabulary.errors import NotAllowed, StoreUnavailable

router = APIRouter(responses=SHAPE_OF_FAULTS, generate_unique_id_function=operation_id)

_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}}
}
_TAKEN: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "text/markdown": {"schema": {"type": "string"}},
        }
    }
}


@router.get("/", response_class=HTMLResponse, include_in_schema=False)
@router.get("/api", response_class=HTMLResponse, include_in_schema=False)
async def welcome(request: Request) -> Response:
    """A start page: what the server offers, and how to ask."""
    return HTMLResponse(welcome_page(request.app.openapi(), str(request.base_url).rstrip("/")))


@router.get("/health", response_model=Figures, tags=["server"])
async def health() -> dict[str, str]:
    """Liveness: whether the server answers."""
    return {"status": "ok", "version": __version__}


@router.get("/ready", response_model=Figures, tags=["server"])
async def ready(request: Request) -> Response:
    """Readiness: whether the store can be read; 503 until it can."""
    dispatcher = dispatcher_of(request)
    if request.app.state.stopping:
        raise StoreUnavailable("The server is about to stop.")
    return await dispatcher.own(_readiness)


@router.get("/metrics", response_class=Response, tags=["server"], responses={**FAULTS, **_TEXT})
async def metrics(request: Request) -> Response:
    """Prometheus metrics of a space, for stewards; of the whole server in its own space."""
    dispatcher, measures = dispatcher_of(request), _measures(request)
    secret = bearer_of(request)

    def work() -> bytes:
        view = dispatcher.view(secret, None)
        try:
            view.dead_jobs()  # raises an error for everyone but stewards
        except NotAllowed:
            raise NotAllowed(
                f"{view.viewer.user} may not read the metrics of this space."
            ) from None
        tracked = view.metrics.of_every_space()
        return measures.text(view.stats(), tracked, server=dispatcher.is_own_space(view))

    return Response(await dispatcher.run(work), media_type=CONTENT_TYPE)


@router.get("/v1/export", response_class=Response, tags=["server"], responses={**FAULTS, **_TAKEN})
async def export(
    request: Request,
    space: SpaceName = None,
    format: Annotated[
        Literal["json", "markdown"], Query(description="json can be imported again.")
    ] = "json",
) -> Response:
    """Export everything that the sender may see in a space, streamed."""
    refuse_unknown_parameters(request)
    dispatcher = dispatcher_of(request)
    secret = bearer_of(request)

    def begin() -> Iterator[str]:
        return iter(dispatcher.view(secret, space).export(format))

    pieces = await dispatcher.run(begin)
    media = "application/json" if format == "json" else "text/markdown; charset=utf-8"
    return StreamingResponse(dispatcher.pieces(pieces), media_type=media)


def _readiness(memory: Recollect) -> dict[str, Any]:
    queue = memory.stats()["queue"]
    return {"status": "ready", "version": __version__, "backlog": queue.backlog, "dead": queue.dead}


def _measures(request: Request) -> ServerMetrics:
    measures: ServerMetrics = request.app.state.measures
    return measures
