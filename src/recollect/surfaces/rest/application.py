"""Puts the server together: routes, the guard before them, one error shape, the worker inside."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.routing import APIRoute

from recollect import __version__
from recollect.engine import Recollect
from recollect.surfaces.rest import faults
from recollect.surfaces.rest.dispatcher import Dispatcher
from recollect.surfaces.rest.metrics import ServerMetrics
from recollect.surfaces.rest.middleware import RequestMiddleware
from recollect.surfaces.rest.routes import (
    budgets,
    code,
    evolution,
    memories,
    personal,
    quarantine,
    recall,
    server,
    shares,
    spaces,
    streams,
)

MEGABYTE: Final = 1_048_576
#: In the order in which they are tried: what is asked most comes first.
ROUTERS: Final = (
    recall,
    personal,
    quarantine,
    shares,
    memories,
    streams,
    code,
    evolution,
    spaces,
    budgets,
    server,
)

_ABOUT: Final = """\
A memory engine. On its own machine it answers without any setup; to others it wants an access token
(`recollect token create`), sent as `Authorization: Bearer rcl_...`. Every error has one shape.
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the server takes."""

    body: int = 8 * MEGABYTE
    body_seconds: float = 60.0
    at_once: int = 512
    #: For what may wait. Python works on one request at a time: more threads only wait for one
    #: another, unless they wait for a model.
    threads: int = 2


def application(
    memory: Recollect,
    *,
    tokens_required: bool = False,
    local_only: bool = True,
    limits: Limits | None = None,
    figures: Path | None = None,
) -> FastAPI:
    """The server on an open memory; whoever opened it closes it.

    ``figures`` is where several processes count together, when there are several.
    """
    limits = limits or Limits()
    measures = ServerMetrics(figures)
    door = Dispatcher(memory, tokens_required=tokens_required, threads=limits.threads)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        app.state.stopping = True
        door.close()

    app = FastAPI(
        title="Recollect",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # its pages would fetch scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # a redirect would name whatever host the request named
        lifespan=lifespan,
        generate_unique_id_function=_operation_id,
    )
    app.state.door = door
    app.state.measures = measures
    app.state.stopping = False
    faults.install(app)
    for module in ROUTERS:
        app.include_router(module.router)
    app.add_middleware(
        RequestMiddleware,
        measures=measures,
        admit=door.admit,
        body_limit=limits.body,
        body_seconds=limits.body_seconds,
        busy_limit=limits.at_once,
        local_only=local_only,
    )
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
