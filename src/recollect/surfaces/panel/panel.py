"""The panel as part of the server: its pages, assets and login, and their protection.

Every page runs on the server's thread pool with the visitor's view of the memory, so that each
action is authorised where those of every other surface are. Pages load nothing from other sites,
and nothing written into a page is executed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from recollect.surfaces.panel import login
from recollect.surfaces.panel.page_request import (
    GET,
    POST,
    ConfiguredSetting,
)
from recollect.surfaces.panel.pages import (
    ask,
    attention,
    conflicts,
    health,
    knowledge,
    memories,
    module_map,
    people,
    personal,
    sample,
    served,
    sessions,
    settings,
    streams,
    teach,
    teams,
)
from recollect.surfaces.panel.renderer import Renderer, asset, asset_mark
from recollect.surfaces.panel.visits import HEADERS, PageVisits, PanelServer
from recollect.vocabulary.clock import Clock, system_clock

PAGES: Final = (
    health,
    memories,
    ask,
    knowledge,
    served,
    sessions,
    streams,
    module_map,
    attention,
    conflicts,
    personal,
    people,
    teams,
    settings,
    teach,
    sample,
)
_ASSETS: Final = {
    "panel.css": "text/css; charset=utf-8",
    "panel.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class Panel:
    """Adds the panel to a server."""

    def __init__(
        self, clock: Clock = system_clock, configured: Sequence[tuple[str, str, str, str]] = ()
    ) -> None:
        self._renderer = Renderer(clock)
        self._configured = [ConfiguredSetting(*one) for one in configured]

    def load(self) -> None:
        """Load the features and templates behind the first page.

        That takes about a second, which no visitor then waits for.
        """
        from recollect.engine import agents, chat, workspace

        del agents, chat, workspace
        self._renderer.load()

    @staticmethod
    def is_page(path: str) -> bool:
        """Whether a path belongs to the panel, where forms are sent and a cookie logs in."""
        return path == "/" or path.startswith("/panel")

    @staticmethod
    def authorization(headers: Mapping[bytes, bytes]) -> bytes | None:
        """Authorization header that corresponds to a browser's cookie."""
        cookies = login.cookies_of(headers.get(b"cookie", b"").decode("latin-1"))
        secret = cookies.get(login.LOGIN)
        return f"Bearer {secret}".encode() if secret else None

    def install(
        self,
        app: Starlette,
        server: PanelServer,
        *,
        tokens_required: bool,
        stopping: Callable[[], bool],
    ) -> None:
        """Add the panel's routes to an application."""
        visits = PageVisits(
            server,
            self._renderer,
            tokens_required=tokens_required,
            stopping=stopping,
            configured=self._configured,
        )
        routes = [Route("/panel/assets/{name}", _asset, methods=[GET])]
        routes += [
            Route("/panel", _start_page, methods=[GET]),
            Route("/panel/", _start_page, methods=[GET]),
            Route("/panel/login", visits.login, methods=[GET, POST]),
            Route("/panel/logout", visits.logout, methods=[POST]),
            Route("/panel/choose", visits.choose, methods=[POST]),
            Route("/panel/live", visits.live, methods=[GET]),
            Route("/panel/import", visits.imported, methods=[POST]),
            Route("/panel/ask/stream", visits.asked, methods=[POST]),
        ]
        for page in PAGES:
            routes += [
                Route(one.path, visits.endpoint(one), methods=[one.method]) for one in page.ROUTES
            ]
        routes.append(Route("/panel/{rest:path}", visits.missing, methods=[GET, POST]))
        first = [route for route in routes if route.path == "/"]  # before the API's list of routes
        app.router.routes[:0] = first
        app.router.routes.extend(route for route in routes if route.path != "/")


async def _start_page(_: Request) -> Response:
    return RedirectResponse("/", 303, HEADERS)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _ASSETS:
        return Response("There is no such file.", 404)
    versioned = request.url.query == asset_mark(name)
    kept = "public, max-age=31536000, immutable" if versioned else "no-cache"
    return Response(asset(name), 200, {**HEADERS, "Cache-Control": kept}, _ASSETS[name])
