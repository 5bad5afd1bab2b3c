"""What every request passes first and last: a request id, limits, where it may come from, figures.

Whatever the application raises ends here as an error of the one shape; the trace goes to the log.
"""

import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.exceptions import HTTPException

from recollect.surfaces.rest.faults import fault
from recollect.surfaces.rest.measures import Measures

_log = logging.getLogger("recollect.server")

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_SANE_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,100}")
_LOCAL: Final = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?", re.IGNORECASE)
_WRITES: Final = frozenset({"POST", "PUT", "PATCH"})
_STANDING: Final = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]


class _TooLarge(HTTPException):
    """A body went on past the limit."""

    def __init__(self) -> None:
        super().__init__(413)


class Guard:
    """Stands before the application."""

    def __init__(
        self,
        app: App,
        *,
        measures: Measures,
        body_limit: int,
        busy_limit: int,
        local_only: bool,
    ) -> None:
        self._app = app
        self._measures = measures
        self._body_limit = body_limit
        self._busy_limit = busy_limit
        self._local_only = local_only
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
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
            if refused is None:
                await self._app(scope, self._limited(receive), watched)
            else:
                await refused(scope, receive, watched)
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

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes], request_id: str) -> Any:
        """The answer to a request that does not come in; None for one that does."""
        if self._under_way > self._busy_limit:
            return fault(
                503,
                "busy",
                "Too many requests at once. Nothing of this one was done.",
                hint="Try again in a moment.",
                request_id=request_id,
            )
        if self._local_only and not _is_local(headers):
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
        if length.isdigit() and int(length) > self._body_limit:
            return self._too_large(request_id)
        has_body = length != b"0" or b"transfer-encoding" in headers
        kind = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
        if has_body and kind != b"application/json" and not kind.endswith(b"+json"):
            return fault(
                415,
                "unsupported_media_type",
                "A body must be JSON. Nothing was changed.",
                hint="Send it with 'Content-Type: application/json'.",
                request_id=request_id,
            )
        return None

    def _limited(self, receive: Receive) -> Receive:
        """The same body, cut off where it grows too large."""
        limit, read = self._body_limit, 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise _TooLarge
            return message

        return counted

    def _too_large(self, request_id: str) -> Any:
        return fault(
            413,
            "too_large",
            f"The body is larger than {self._body_limit:,} bytes. Nothing was changed.",
            hint="Send less at once, or raise the limit with --max-body.",
            request_id=request_id,
            headers={"Connection": "close"},
        )


class _Watched:
    """Sends what the application sends, with the request's id, and remembers the status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._id = request_id.encode()
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [
                *message.get("headers", ()),
                (b"x-request-id", self._id),
                *_STANDING,
            ]
        await self._send(message)


def _bug(request_id: str) -> Any:
    return fault(
        500,
        "bug",
        "Something unexpected happened; this is a bug of the server.",
        hint=f"Its log tells more under {request_id}.",
        request_id=request_id,
    )


def _is_local(headers: dict[bytes, bytes]) -> bool:
    """Whether a request was meant for this machine: no page of another site sends such a one."""
    host = headers.get(b"host", b"").decode("latin-1")
    origin = headers.get(b"origin")
    if not _LOCAL.fullmatch(host):
        return False
    if origin is None:
        return True
    _, _, named = origin.decode("latin-1").partition("://")
    return named == host


def _template(scope: Scope) -> str:
    """The path as the application knows it, so that figures do not multiply with ids."""
    return str(getattr(scope.get("route"), "path", "(none)"))
