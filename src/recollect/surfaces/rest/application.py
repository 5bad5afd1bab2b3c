"""Builds the HTTP application: routes, middleware, the error format, and the panel's pages."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from fastapi import FastAPI

from recollect import __version__
from recollect.engine import Recollect
from recollect.surfaces.rest import faults
from recollect.surfaces.rest.dispatcher import Dispatcher
from recollect.surfaces.rest.metrics import ServerMetrics
from recollect.surfaces.rest.middleware import RequestMiddleware
from recollect.surfaces.rest.routes import (
    budgets,
    code,
    context,
    evolution,
    live,
    memories,
    people,
    personal,
    quarantine,
    recall,
    research,
    server,
    shares,
    spaces,
    streams,
    sync,
    work,
    workspace,
)

MEGABYTE: Final = 1_048_576
#: Routers in the order in which they are tried: the most requested first.
ROUTERS: Final = (
    recall,
    research,
    personal,
    quarantine,
    shares,
    memories,
    streams,
    workspace,
    code,
    context,
    evolution,
    people,
    sync,
    spaces,
    budgets,
    work,
    live,
    server,
)

_ABOUT: Final = """\
A memory engine. On the same machine it works without setup; from other machines it requires an
access token (`recollect token create`), sent as `Authorization: Bearer rcl_...`. Every error has
one shape.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the server."""

    body: int = 8 * MEGABYTE
    body_seconds: float = 60.0
    at_once: int = 512
    #: Threads for requests that may wait. Python runs one request at a time: more threads only wait
    #: for one another, unless they wait for a model.
    threads: int = 2


class Pages(Protocol):
    """Surface of pages for people that runs in the same server."""

    def is_page(self, path: str) -> bool:
        """Whether a path belongs to the pages."""

    def load(self) -> None:
        """Load what the first page would load."""

    def authorization(self, headers: Mapping[bytes, bytes]) -> bytes | None:
        """Authorization header that corresponds to a browser's cookies."""

    def install(
        self,
        app: FastAPI,
        dispatcher: Dispatcher,
        *,
        tokens_required: bool,
        stopping: Callable[[], bool],
    ) -> None:
        """Add the routes of the pages."""


def application(
    memory: Recollect,
    *,
    tokens_required: bool = False,
    local_only: bool = True,
    limits: Limits | None = None,
    figures: Path | None = None,
    pages: Pages | None = None,
) -> FastAPI:
    """Build the server on an open memory, which the caller closes.

    ``figures`` is the folder for shared counters when there are several processes. ``pages`` are
    shown to people at the server's address; without pages, a list of the API's routes is.
    """
    limits = limits or Limits()
    measures = ServerMetrics(figures)
    feed = live.LiveFeed()
    dispatcher = Dispatcher(memory, tokens_required=tokens_required, threads=limits.threads)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.stopping = True
        feed.stop()
        dispatcher.close()

    app = FastAPI(
        title="Recollect",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # its pages would load scripts from other sites
        redoc_url=None,
        redirect_slashes=False,  # a redirect would contain whatever host the request named
        lifespan=lifespan,
    )
    app.state.dispatcher = dispatcher
    app.state.measures = measures
    app.state.stopping = False
    app.state.local_only = local_only
    app.state.live = feed
    app.state.load_pages = pages.load if pages is not None else None
    faults.install(app)
    for module in ROUTERS:
        # Not ``include_router``: it would build every route again, a second of work at the first
        # request. They were made with all they need.
        app.router.routes.extend(module.router.routes)
    if pages is not None:
        pages.install(
            app,
            dispatcher,
            tokens_required=tokens_required,
            stopping=lambda: bool(app.state.stopping),
        )
    app.add_middleware(
        RequestMiddleware,
        measures=measures,
        admit=dispatcher.admit,
        body_limit=limits.body,
        body_seconds=limits.body_seconds,
        busy_limit=limits.at_once,
        local_only=local_only,
        pages=pages,
    )
    return app
