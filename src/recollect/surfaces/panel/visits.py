"""Handles browser requests to the panel: login, cookies, language, pages and errors.

A visit is one request of a browser, with its cookies, its language and its CSRF token. Every
response carries headers that forbid loading anything from other sites.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from recollect.engine import Recollect
from recollect.surfaces.panel import login
from recollect.surfaces.panel.error_texts import error_words
from recollect.surfaces.panel.live_changes import LiveChanges
from recollect.surfaces.panel.page_request import (
    POST,
    Answer,
    ConfiguredSetting,
    Download,
    Fields,
    PageRequest,
    PageRoute,
    Redirect,
    Rendered,
    fields_of,
)
from recollect.surfaces.panel.pages import ask, teach
from recollect.surfaces.panel.renderer import LANGUAGES, Renderer, translated
from recollect.vocabulary.errors import (
    NotAllowed,
    NotFound,
    RecollectError,
    SpaceNotFound,
    TokenRefused,
)

_POLICY: Final = (
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "object-src 'none'"
)

HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}

CLIENT: Final = "panel"  # name of the panel in the log of what was served
_LONGEST_FORM: Final = 1_100_000  # characters

_STATUS: Final[tuple[tuple[type[RecollectError], int], ...]] = (
    (NotFound, 404),
    (TokenRefused, 401),
    (NotAllowed, 403),
)


class PanelServer(Protocol):
    """Interface of the server that the panel needs."""

    def view(
        self, secret: str | None, space: str | None, *, client: str | None = None
    ) -> Recollect:
        """Memory as the bearer of a token may see it, labelled with a program."""

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run a function on the thread pool."""


class PageVisits:
    """Handles requests: identifies the visitor, runs the page, and builds the response."""

    def __init__(
        self,
        server: PanelServer,
        renderer: Renderer,
        *,
        tokens_required: bool,
        stopping: Callable[[], bool],
        configured: Sequence[ConfiguredSetting] = (),
    ) -> None:
        self._server = server
        self._renderer = renderer
        self._configured = configured
        self._tokens_required = tokens_required
        self._changes = LiveChanges(server.run, stopping)

    def endpoint(self, route: PageRoute) -> Callable[[Request], Any]:
        """Create the function that answers a page's requests."""

        async def answer(request: Request) -> Response:
            visit = PageVisit(request)
            try:
                form = await visit.form() if route.method == POST else Fields()
                return await self._on_pool(lambda: self._made(visit, route, form))
            except RecollectError as error:
                return await self._troubled(visit, error)

        return answer

    async def missing(self, request: Request) -> Response:
        """Answer a path without a page."""
        error = NotFound("There is no such page.")
        return await self._troubled(PageVisit(request), error)

    async def login(self, request: Request) -> Response:
        """Show the login page, and handle its form."""
        visit = PageVisit(request)
        problem = ""
        if request.method == POST:
            try:
                form = await visit.form()
                secret = form.get("token")
                own = await self._server.run(
                    lambda: self._server.view(secret, None).tokens.begin_login(
                        secret, hours=login.LOGIN_HOURS
                    )
                )
            except RecollectError as error:
                problem, _ = error_words(visit.language, error)
            else:
                response = RedirectResponse("/", 303, HEADERS)
                visit.keep(response, login.login_cookie(own, secure=visit.secure))
                return response
        page = PageRequest(
            memory=None,  # type: ignore[arg-type]  # nobody is here yet
            path="/panel/login",
            language=visit.language,
            form_token=visit.form_token,
        )
        made = Rendered("login.html", {"problem": problem}, 401 if problem else 200)
        told = self._renderer.page(page, made, space=None, spaces=(), notice=("", ""))
        return visit.html(told, made.status)

    async def logout(self, request: Request) -> Response:
        """End the login of this browser, or all logins of this person."""
        visit = PageVisit(request)
        try:
            form = await visit.form()
            await self._server.run(lambda: self._ended(visit, everywhere=form.has("everywhere")))
        except RecollectError as error:
            return await self._troubled(visit, error)
        response = RedirectResponse("/panel/login", 303, HEADERS)
        visit.keep(response, login.login_cookie("", secure=visit.secure))
        return response

    async def choose(self, request: Request) -> Response:
        """Store a choice of the visitor: which space, which language."""
        visit = PageVisit(request)
        try:
            form = await visit.form()
            if form.has("space"):
                await self._server.run(lambda: self._server.view(visit.secret, form.get("space")))
        except RecollectError as error:
            return await self._troubled(visit, error)
        response = RedirectResponse("/", 303, HEADERS)
        for field, cookie in (("space", login.SPACE), ("language", login.LANGUAGE)):
            if form.has(field):
                value = quote(form.get(field))
                visit.keep(response, login.choice_cookie(cookie, value, secure=visit.secure))
        return response

    async def live(self, request: Request) -> Response:
        """Notify an open page of changes."""
        visit = PageVisit(request)
        try:
            memory = await self._server.run(lambda: self._memory(visit))
        except RecollectError as error:
            return _plain_error(visit, error)
        return StreamingResponse(
            self._changes.follow(memory),
            media_type="text/event-stream",
            headers={**HEADERS, "X-Accel-Buffering": "no"},
        )

    async def imported(self, request: Request) -> Response:
        """Import a history that was dropped on the page, and report progress."""
        visit = PageVisit(request)
        try:
            login.require_form_token(
                visit.cookies.get(login.FORM, ""), request.headers.get("x-form-token", "")
            )
            memory = await self._server.run(lambda: self._memory(visit))
            name = unquote(request.headers.get("x-file-name", ""))
            place = await teach.received(name, request.stream(), self._server.run)
        except RecollectError as error:
            return _plain_error(visit, error)
        lines = teach.import_lines(
            memory,
            place,
            name=name,
            language=visit.language,
            run=self._server.run,
        )
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=HEADERS)

    async def asked(self, request: Request) -> Response:
        """Answer a question step by step, for the script of the page."""
        visit = PageVisit(request)
        try:
            form = await visit.form()
            made = await self._server.run(lambda: self._request(visit, form))
        except RecollectError as error:
            return _plain_error(visit, error)
        lines = ask.answer_lines(
            made,
            run=self._server.run,
            render=lambda turn: self._page(made, turn),
        )
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=HEADERS)

    async def _on_pool(self, work: Callable[[], Response]) -> Response:
        response: Response = await self._server.run(work)
        return response

    async def _troubled(self, visit: "PageVisit", error: RecollectError) -> Response:
        return await self._on_pool(lambda: self._trouble(visit, error))

    def _ended(self, visit: "PageVisit", *, everywhere: bool) -> None:
        if visit.secret is None:
            return
        tokens = self._server.view(visit.secret, None).tokens
        if everywhere:
            tokens.end_logins()
        else:
            tokens.end_login(visit.secret)

    def _memory(self, visit: "PageVisit") -> Recollect:
        """Memory as the visitor sees it, in the space that they chose."""
        space = unquote(visit.cookies.get(login.SPACE, "")) or None
        try:
            return self._server.view(visit.secret, space, client=CLIENT)
        except SpaceNotFound:  # the space is gone, or another person used this browser before
            return self._server.view(visit.secret, None, client=CLIENT)

    def _made(self, visit: "PageVisit", route: PageRoute, form: Fields) -> Response:
        request = self._request(visit, form)
        return self._answered(visit, request, route.make(request))

    def _request(self, visit: "PageVisit", form: Fields) -> PageRequest:
        return PageRequest(
            memory=self._memory(visit),
            path=visit.request.url.path,
            names=visit.request.path_params,
            query=fields_of(visit.request.url.query),
            form=form,
            language=visit.language,
            form_token=visit.form_token,
            logged_in=visit.secret is not None,
            fragment="x-fragment" in visit.request.headers,
            configured=self._configured,
        )

    def _answered(self, visit: "PageVisit", request: PageRequest, made: Answer) -> Response:
        if isinstance(made, Redirect):
            response = RedirectResponse(made.path, 303, HEADERS)
            if made.done:
                told = translated(visit.language, made.done, **_told(visit.language, made.values))
                notice = login.notice_cookie(told, made.undo, secure=visit.secure)
                visit.keep(response, notice)
            for name, value in made.cookies.items():
                visit.keep(response, login.choice_cookie(name, quote(value), secure=visit.secure))
            return response
        if isinstance(made, Download):
            pieces: Iterable[str] = made.pieces
            return StreamingResponse(
                (piece.encode("utf-8", "replace") for piece in pieces),
                media_type=made.media_type,
                headers={
                    **HEADERS,
                    "Content-Disposition": f'attachment; filename="{made.name}"',
                },
            )
        return visit.html(self._page(request, made, visit.notice), made.status)

    def _page(
        self, request: PageRequest, made: Rendered, notice: tuple[str, str] = ("", "")
    ) -> str:
        memory = request.memory
        return self._renderer.page(
            request, made, space=memory.space, spaces=memory.spaces(), notice=notice
        )

    def _trouble(self, visit: "PageVisit", error: RecollectError) -> Response:
        """Error page; visitors who are not logged in are sent to the login."""
        status = _status_of(error)
        if status == 401:
            response: Response = RedirectResponse("/panel/login", 303, HEADERS)
            if visit.secret is not None:
                visit.keep(response, login.login_cookie("", secure=visit.secure))
            return response
        try:
            request = self._request(visit, Fields())
        except RecollectError:
            return _plain_error(visit, error)
        message, hint = error_words(visit.language, error)
        values = {"message": message, "hint": hint, "status": status}
        return visit.html(self._page(request, Rendered("error.html", values)), status)


class PageVisit:
    """One request of a browser."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.cookies = login.cookies_of(request.headers.get("cookie"))
        self.secret = self.cookies.get(login.LOGIN) or None
        self.secure = request.url.scheme == "https"
        self.form_token = self.cookies.get(login.FORM) or login.new_form_token()

    @property
    def language(self) -> str:
        """Language that the visitor chose, or that their browser prefers."""
        wanted = self.cookies.get(login.LANGUAGE, "")
        if wanted not in LANGUAGES:
            wanted = self.request.headers.get("accept-language", "en")[:2].lower()
        return wanted if wanted in LANGUAGES else "en"

    @property
    def notice(self) -> tuple[str, str]:
        """Notice that the last action left for this page, and its undo path."""
        return login.notice_of(self.cookies.get(login.NOTICE, ""))

    async def form(self) -> Fields:
        """Read a form, after checking its CSRF token."""
        body = bytearray()
        async for piece in self.request.stream():
            body += piece
            if len(body) > _LONGEST_FORM:
                raise NotAllowed("The form is too long. Nothing was done.")
        fields = fields_of(body.decode("utf-8", "replace"))
        login.require_form_token(self.cookies.get(login.FORM, ""), fields.get("form_token"))
        return fields

    def html(self, page: str, status: int = 200) -> Response:
        """HTML response, with a CSRF cookie when the browser has none yet."""
        encoded = page.encode("utf-8", "replace")
        response = Response(encoded, status, HEADERS, "text/html; charset=utf-8")
        if login.FORM not in self.cookies:
            self.keep(response, login.form_cookie(self.form_token, secure=self.secure))
        if login.NOTICE in self.cookies and "x-fragment" not in self.request.headers:
            self.keep(response, login.notice_cookie("", "", secure=self.secure))
        return response

    @staticmethod
    def keep(response: Response, cookie: str) -> None:
        """Set a cookie in the browser."""
        response.headers.append("set-cookie", cookie)


def _told(language: str, values: Mapping[str, str | int]) -> dict[str, object]:
    """Values of a notice, translated where the language has a translation."""
    return {
        name: translated(language, value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _plain_error(visit: PageVisit, error: RecollectError) -> Response:
    """Error without a page around it, for a script or a visitor without a memory."""
    return Response(error_words(visit.language, error)[0], _status_of(error), HEADERS)


def _status_of(error: RecollectError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)
