"""Error responses: one JSON format for our errors, the framework's, and bugs.

    {"error": {"code": ..., "message": ..., "hint": ..., "request_id": ..., "details": [...]}}

Internal details are logged under the request's id and never sent.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from recollect.vocabulary import errors

_STATUS: Final[tuple[tuple[type[errors.RecollectError], HTTPStatus], ...]] = (
    (errors.InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.NotFound, HTTPStatus.NOT_FOUND),
    (errors.TokenRefused, HTTPStatus.UNAUTHORIZED),
    (errors.NotAllowed, HTTPStatus.FORBIDDEN),
    (errors.Conflict, HTTPStatus.CONFLICT),
    (errors.ProtocolMismatch, HTTPStatus.CONFLICT),
    (errors.SyncFailed, HTTPStatus.BAD_GATEWAY),
    (errors.StoreFull, HTTPStatus.INSUFFICIENT_STORAGE),
    (errors.StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.InferenceError, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.ImportFailed, HTTPStatus.UNPROCESSABLE_ENTITY),
)
_HEADERS: Final[dict[int, dict[str, str]]] = {
    HTTPStatus.UNAUTHORIZED: {"WWW-Authenticate": 'Bearer realm="recollect"'},
    HTTPStatus.SERVICE_UNAVAILABLE: {"Retry-After": "1"},
}
_UNREADABLE: Final = {
    400: (422, "invalid_input", "The body cannot be read as JSON."),
    408: (408, "too_slow", "The body did not come in time."),
    413: (413, "too_large", "The body is larger than this server takes."),
}
_MAX_DETAILS: Final = 20
#: Number of details named in the message itself: a missing field, and what was sent instead.
_MAX_LISTED: Final = 2


def status_of(error: errors.RecollectError) -> int:
    """HTTP status for an error of ours."""
    return next((int(status) for kind, status in _STATUS if isinstance(error, kind)), 500)


def fault(
    status: int,
    code: str,
    message: str,
    *,
    request_id: str,
    hint: str | None = None,
    details: Sequence[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Error response in the common format."""
    error_document = {
        "code": code,
        "message": message,
        "hint": hint,
        "request_id": request_id,
        "details": list(details),
    }
    return Response(
        json.dumps({"error": error_document}),
        status,
        {**_HEADERS.get(status, {}), **(headers or {})},
        "application/json",
    )


def install(app: FastAPI) -> None:
    """Install handlers that answer every error of the application in the common format."""
    app.add_exception_handler(errors.RecollectError, _ours)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _framework)
    app.add_exception_handler(ClientDisconnect, _cut_off)


def id_of(request: Request) -> str:
    """Id of a request in the log."""
    return str(request.scope.get("recollect.request_id", ""))


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.RecollectError)  # noqa: S101 - registered for these only
    return fault(
        status_of(error), error.code, error.message, hint=error.hint, request_id=id_of(request)
    )


def _unchanged(request: Request) -> str:
    """What to say of a request that could have changed something; a read never could."""
    return "" if request.method in ("GET", "HEAD") else " Nothing was changed."


async def _not_understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    found = error.errors()
    details = [
        {"where": ".".join(map(str, one["loc"])), "problem": str(one["msg"])}
        for one in found[:_MAX_DETAILS]
    ]
    unread = any(one["type"] == "json_invalid" for one in found)
    error_document = [f"{one['where']}: {one['problem']}" for one in details[:_MAX_LISTED]]
    first = "; ".join(error_document) or "it does not fit"
    return fault(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        "invalid_input",
        "The body is not JSON. Nothing was changed."
        if unread
        else f"The request was not understood: {first}.{_unchanged(request)}",
        hint="GET /openapi.json describes every request.",
        details=details,
        request_id=id_of(request),
    )


async def _framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if error.status_code in _UNREADABLE:
        status, code, message = _UNREADABLE[error.status_code]
        return fault(
            status,
            code,
            f"{message}{_unchanged(request)}",
            request_id=id_of(request),
            headers=error.headers,
        )
    phrase = HTTPStatus(error.status_code).phrase
    message = {
        404: f"There is nothing at {request.url.path[:200]}.",
        405: f"{request.method} cannot be used at {request.url.path[:200]}.",
    }.get(error.status_code, f"{phrase}.")
    return fault(
        error.status_code,
        phrase.lower().replace(" ", "_"),
        message,
        hint="GET /openapi.json lists what there is.",
        request_id=id_of(request),
        headers=error.headers,
    )


async def _cut_off(request: Request, _error: Exception) -> Response:
    """Answer a request whose sender left within its body: nobody reads it, the log stays quiet."""
    return fault(
        HTTPStatus.BAD_REQUEST,
        "cut_off",
        f"The body was cut off.{_unchanged(request)}",
        request_id=id_of(request),
    )
