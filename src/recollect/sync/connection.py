"""HTTP connection of a device to its sync server: compressed JSON, with the user's access token."""

import http.client
import ipaddress
import json
import ssl
from typing import Any, Final
from urllib.parse import quote, urlsplit

from recollect.sync.wire import packed, unpacked
from recollect.vocabulary.errors import (
    InvalidInput,
    NotAllowed,
    ProtocolMismatch,
    RecollectError,
    SpaceNotFound,
    SyncFailed,
    TokenRefused,
)

PATH: Final = "/v1/sync"
_SECONDS: Final = 60.0
_LARGEST: Final = 64 * 1_048_576
#: Errors of the server that are raised here as the same class.
_SAME: Final[dict[str, type[RecollectError]]] = {
    error.code: error for error in (TokenRefused, NotAllowed, ProtocolMismatch, SpaceNotFound)
}


class ServerConnection:
    """One HTTP connection, opened on first use and again after it was lost."""

    def __init__(
        self, address: str, token: str, *, space: str | None = None, insecure: bool = False
    ) -> None:
        self.address = checked_address(address, insecure=insecure)
        parts = urlsplit(self.address)
        self._host, self._port = str(parts.hostname), parts.port
        self._secure = parts.scheme == "https"
        self._path = f"{parts.path.rstrip('/')}{PATH}"
        if space is not None:
            self._path += f"?space={quote(space, safe='')}"
        self._token = token
        self._open: http.client.HTTPConnection | None = None
        self.requests = 0
        self.sent = 0
        self.received = 0

    def ask(self, document: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return its answer. A lost connection is retried once, which is safe:
        the server applies a page only once, even if it is sent twice.
        """
        body = packed(document)
        for attempt in (1, 2):
            try:
                return self._answer(body)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if attempt == 2 or isinstance(error, TimeoutError | ssl.SSLError):
                    raise SyncFailed(
                        f"{self.address} cannot be reached: {str(error) or type(error).__name__}.",
                        hint="Nothing is lost: the next sync continues where this one stopped.",
                    ) from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _answer(self, body: bytes) -> dict[str, Any]:
        if self._open is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._open = kind(self._host, self._port, timeout=_SECONDS)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
            "Content-Encoding": "gzip",
            "Accept-Encoding": "gzip",
        }
        self._open.request("POST", self._path, body, headers)
        answer = self._open.getresponse()
        data = answer.read(_LARGEST)
        self.requests += 1
        self.sent += len(body)
        self.received += len(data)
        if answer.status != http.client.OK:
            raise _refusal(answer.status, data)
        if answer.getheader("Content-Encoding") != "gzip":
            raise SyncFailed(
                f"{self.address} does not answer like a Recollect server that can sync.",
                hint="Check the address.",
            )
        reply_document = unpacked(data)
        if not isinstance(reply_document, dict):
            raise SyncFailed(f"{self.address} gave an answer that is not one of a sync.")
        return reply_document


def checked_address(address: str, *, insecure: bool = False) -> str:
    """The address of a server; an error if it is not valid, or would send the token unencrypted."""
    parts = urlsplit(str(address))
    try:
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or parts.query or parts.username:
        raise InvalidInput(
            "That is not the address of a server.", hint="Write it like https://memory.example.org."
        )
    if parts.scheme == "http" and not insecure and not _is_local(str(parts.hostname)):
        raise InvalidInput(
            "Over http the token and everything else could be read on the way. Nothing was sent.",
            hint="Use https, or add --insecure on a network that you trust.",
        )
    return address.rstrip("/")


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(status: int, data: bytes) -> RecollectError:
    """The error that a server returned in place of an answer."""
    try:
        reply_document = json.loads(data)["error"]
        code, message, hint = (
            str(reply_document["code"]),
            str(reply_document["message"]),
            reply_document.get("hint"),
        )
    except (ValueError, KeyError, TypeError):
        return SyncFailed(f"The server answers {status} and nothing that can be read.")
    kind = _SAME.get(code, SyncFailed)
    return kind(f"The server says: {message}", hint=None if hint is None else str(hint))
