"""Routes of the server itself: start page, health, readiness, metrics, and export.

The start page lists the routes of the API, from its OpenAPI description.
"""

from collections.abc import Iterator
from html import escape
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse

from recollect import __version__
from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import SpaceName
from recollect.surfaces.rest.dispatcher import bearer_of, dispatcher_of
from recollect.surfaces.rest.metrics import CONTENT_TYPE, ServerMetrics
from recollect.surfaces.rest.query_parameters import refuse_unknown_parameters
from recollect.surfaces.rest.response_models import FAULTS, SHAPE_OF_FAULTS, Figures, operation_id
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


_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 3rem auto; padding: 0 1rem;
       color: #222; background: #fff }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #f4f4f2; border-radius: 4px }
pre { padding: .8rem; overflow-x: auto } code { padding: .1rem .3rem }
h2 { margin-top: 2.2rem; font-size: 1.1rem; text-transform: capitalize }
td { padding: .15rem .8rem .15rem 0; vertical-align: top } td.verb { color: #666 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 }
  code, pre { background: #262626 } }
"""


def welcome_page(document: dict[str, Any], address: str) -> str:
    """HTML of the page; it loads nothing from elsewhere."""
    sections: dict[str, list[str]] = {}
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            row = (
                f"<tr><td class=verb>{escape(verb.upper())}</td><td><code>{escape(path)}</code>"
                f"</td><td>{escape(_first(operation))}</td></tr>"
            )
            sections.setdefault(operation.get("tags", ["other"])[0], []).append(row)
    tables = "".join(
        f"<h2>{escape(name)}</h2><table>{''.join(rows)}</table>" for name, rows in sections.items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Recollect</title>"
        f"<style>{_STYLE}</style><h1>Recollect is running.</h1>"
        f"<p>Keep something, then ask for it:</p><pre>{escape(_example(address))}</pre>"
        '<p>The whole description: <a href="/openapi.json">/openapi.json</a>. '
        'Figures: <a href="/metrics">/metrics</a>. Well? <a href="/ready">/ready</a>.</p>'
        f"{tables}</html>"
    )


def _first(operation: dict[str, Any]) -> str:
    text: str = operation.get("description") or operation.get("summary") or ""
    return text.split("\n", maxsplit=1)[0]


def _example(address: str) -> str:
    return (
        f"curl {address}/v1/memory/entries -H 'Content-Type: application/json' \\\n"
        '     -d \'{"text": "My sister Ana is allergic to peanuts."}\'\n'
        f"curl {address}/v1/recall -H 'Content-Type: application/json' \\\n"
        '     -d \'{"query": "what can Ana not eat?"}\''
    )
