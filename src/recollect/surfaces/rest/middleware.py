"""Request middleware: request ids, size and time limits, origin checks, and metrics.

No body is read before its sender was authorised, and slow bodies may use only a part of the server:
those of one sender a quarter, all together a half. ``/health`` always answers. An exception of the
application becomes an error in the common format; its trace goes to the log.
"""

import asyncio
import logging
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final, Protocol

from starlette.exceptions import HTTPException

from recollect.surfaces.rest.faults import fault, status_of
from recollect.surfaces.rest.metrics import ServerMetrics
from recollect.vocabulary.errors import RecollectError

_log = logging.getLogger("recollect.server")

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,100}")
_LOCAL: Final = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?", re.IGNORECASE)
_WRITES: Final = frozenset({"POST", "PUT", "PATCH"})
_ALWAYS: Final = "/health"
_LOGIN: Final = "/panel/login"  # where a visitor without a login enters a token
_PAGE_BODY: Final = 2_000_000_000  # bytes: a history that was dropped on a page
_PAGE_SECONDS: Final = 3_600.0
_CLOSE: Final = {"Connection": "close"}  # the rest of a body is not awaited
_STANDING: Final = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]


class _TooLarge(HTTPException):
    """A body exceeded the size limit."""

    def __init__(self) -> None:
        super().__init__(413)


class _TooSlow(HTTPException):
    """A body did not arrive in time."""

    def __init__(self) -> None:
        super().__init__(408, headers=_CLOSE)


class BrowserPages(Protocol):
    """Tells which paths are pages, where browsers send forms and log in by cookie."""

    def is_page(self, path: str) -> bool:
        """Whether a path is a page."""

    def authorization(self, headers: Mapping[bytes, bytes]) -> bytes | None:
        """Authorization header that corresponds to a browser's cookies."""


class RequestMiddleware:
    """ASGI middleware in front of the application."""

    def __init__(
        self,
        app: App,
        *,
        measures: ServerMetrics,
        admit: Callable[[str | None], Awaitable[None]],
        body_limit: int,
        body_seconds: float,
        busy_limit: int,
        local_only: bool,
        pages: "BrowserPages | None" = None,
    ) -> None:
        self._app = app
        self._pages = pages
        self._measures = measures
        self._admit = admit
        self._body_limit = body_limit
        self._body_seconds = body_seconds
        self._busy_limit = busy_limit
        self._local_only = local_only
        self._under_way = 0
        self._awaited: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "websocket" and self._is_foreign(scope):
                await send({"type": "websocket.close", "code": 1008})
                return
            await self._app(scope, receive, send)
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = given.decode() if _SANE_ID.fullmatch(given) else secrets.token_hex(8)
        scope["recollect.request_id"] = request_id
        began = time.perf_counter()
        watched = _Watched(send, request_id)
        self._under_way += 1
        try:
            refused = self._refusal(scope, headers, request_id)
            if refused is not None:
                await refused(scope, receive, watched)
            elif _has_body(headers):
                await self._with_body(scope, receive, watched, self._bearer(scope, headers))
            else:
                await self._app(scope, receive, watched)
        except Exception:
            _log.exception("Request %s met an unexpected error.", request_id)
            if watched.status:
                raise
            await _bug(request_id)(scope, receive, watched)
        finally:
            self._under_way -= 1
            self._measures.request(
                scope["method"], _template(scope), watched.status, time.perf_counter() - began
            )

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a request came from a page of another site while the server is local only."""
        return self._local_only and not is_local(dict(scope["headers"]))

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes], request_id: str) -> Any:
        """Response to a request that is refused; None for one that is accepted."""
        if self._under_way > self._busy_limit and scope["path"] != _ALWAYS:
            return _busy(request_id)
        if self._local_only and not is_local(headers):
            return fault(
                403,
                "not_allowed",
                "This server answers its own machine only, and not to pages of other sites.",
                hint="Serve with tokens to answer others.",
                request_id=request_id,
            )
        if scope["method"] not in _WRITES:
            return None
        length = headers.get(b"content-length", b"0")
        if self._is_page(scope):
            return None  # pages check the type and size of their bodies themselves
        if length.isdigit() and int(length) > self._body_limit:
            return self._too_large(request_id)
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if _has_body(headers) and kind != b"application/json" and not kind.endswith(b"+json"):
            return fault(
                415,
                "unsupported_media_type",
                "A body must be JSON. Nothing was changed.",
                hint="Send it with 'Content-Type: application/json'.",
                request_id=request_id,
            )
        return None

    def _is_page(self, scope: Scope) -> bool:
        return self._pages is not None and self._pages.is_page(scope["path"])

    def _bearer(self, scope: Scope, headers: dict[bytes, bytes]) -> bytes | None:
        """Authorization of a body's sender: a program's header, or a browser's cookie."""
        if self._pages is not None and self._pages.is_page(scope["path"]):
            return self._pages.authorization(headers)
        return headers.get(b"authorization")

    async def _with_body(
        self, scope: Scope, receive: Receive, send: "_Watched", authorization: bytes | None
    ) -> None:
        """Pass on a request with a body, within the limits on its size and time.

        The sender must be authorised and not have too many other bodies pending.
        """
        sender = authorization or b""
        of_sender = self._awaited[sender] if sender else 0
        if self._awaited.total() * 2 >= self._busy_limit or of_sender * 4 >= self._busy_limit:
            await _busy(scope["recollect.request_id"], _CLOSE)(scope, receive, send)
            return
        limit = _PAGE_BODY if self._is_page(scope) else self._body_limit
        seconds = _PAGE_SECONDS if self._is_page(scope) else self._body_seconds
        body = _Body(receive, limit, seconds, self._awaited, sender)
        try:
            if scope["path"] != _LOGIN:
                await self._admit(
                    None if authorization is None else authorization.decode("latin-1")
                )
            await self._app(scope, body, send)
        except RecollectError as error:
            refusal = fault(
                status_of(error),
                error.code,
                error.message,
                hint=error.hint,
                request_id=scope["recollect.request_id"],
                headers=_CLOSE,
            )
            await refusal(scope, receive, send)
        finally:
            body.came()

    def _too_large(self, request_id: str) -> Any:
        return fault(
            413,
            "too_large",
            f"The body is larger than {self._body_limit:,} bytes. Nothing was changed.",
            hint="Send less at once, or raise the limit with --max-body.",
            request_id=request_id,
            headers=_CLOSE,
        )


class _Body:
    """Passes a body on as it arrives, and counts as pending until it is complete."""

    def __init__(
        self,
        receive: Receive,
        limit: int,
        seconds: float,
        awaited: Counter[bytes],
        sender: bytes,
    ) -> None:
        self._receive = receive
        self._limit = limit
        self._until = asyncio.get_running_loop().time() + seconds
        self._awaited = awaited
        self._sender = sender
        self._read = 0
        self._waits = True
        awaited[sender] += 1

    async def __call__(self) -> Message:
        if not self._waits:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise _TooSlow from None
        self._read += len(message.get("body", b""))
        if self._read > self._limit:
            raise _TooLarge
        if not message.get("more_body", False):
            self.came()
        return message

    def came(self) -> None:
        """Mark the body as no longer pending."""
        if self._waits:
            self._waits = False
            self._awaited[self._sender] -= 1
            if not self._awaited[self._sender]:
                del self._awaited[self._sender]


class _Watched:
    """Sends the application's response with the request id, and records the status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._id = request_id.encode()
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            named = {name.lower() for name, _ in given}
            standing = [header for header in _STANDING if header[0] not in named]
            message["headers"] = [*given, (b"x-request-id", self._id), *standing]
        await self._send(message)


def _bug(request_id: str) -> Any:
    return fault(
        500,
        "bug",
        "Something unexpected happened; this is a bug of the server.",
        hint=f"Its log tells more under {request_id}.",
        request_id=request_id,
    )


def _busy(request_id: str, headers: dict[str, str] | None = None) -> Any:
    return fault(
        503,
        "busy",
        "Too many requests at once. Nothing of this one was done.",
        hint="Try again in a moment.",
        request_id=request_id,
        headers=headers,
    )


def _has_body(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def is_local(headers: dict[bytes, bytes]) -> bool:
    """Whether a request was addressed to this machine: a page of another site cannot send one."""
    host = headers.get(b"host", b"").decode("latin-1")
    origin = headers.get(b"origin")
    if not _LOCAL.fullmatch(host):
        return False
    if origin is None:
        return True
    _, _, named = origin.decode("latin-1").partition("://")
    return named == host


def _template(scope: Scope) -> str:
    """Route template of a path, so that metrics do not multiply with ids."""
    return str(getattr(scope.get("route"), "path", "(none)"))
