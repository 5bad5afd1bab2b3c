"""JSON over HTTP: one request with retries, and an answer or one clear error.

Invariant: no step of an attempt outlasts the timeout, attempts and waits are bounded, redirects are
not followed, and the key appears in no message and no representation of anything here.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit
from weakref import finalize

from recollect.inference.retries import FailedAttempt, until_answered, wait_asked_for
from recollect.vocabulary.errors import EmbedderFailed, InvalidSetting

if TYPE_CHECKING:
    import httpx2

LONGEST_REPLY: Final = 64 << 20
_RETRIED_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_QUOTED_LENGTH: Final = 200
_IDENTIFIABLE_KEY_LENGTH: Final = 12  # a key this long is identified by six of its characters


class Reply(NamedTuple):
    """The server's answer, successful or not."""

    status: int
    body: bytes

    @property
    def good(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Any:
        """The body as JSON. ValueError if it is not JSON."""
        try:
            return json.loads(self.body)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


class JsonEndpoint:
    """A server at one address, with retries; thread-safe."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        key_header: str = "authorization",
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        sleep: Callable[[float], None] = time.sleep,
        server: str = "embedding server",
    ) -> None:
        self.address = _checked_address(base_url, server)
        self._api_key = _checked_key(api_key, server)
        self._key_header = key_header
        self._more_headers = dict(headers or {})
        self._timeout = timeout_seconds
        self._attempts = attempts
        self._sleep = sleep
        self._lock = Lock()
        self._client: httpx2.Client | None = None

    def get(self, path: str) -> Reply:
        return self._ask("GET", path, None)

    def post(self, path: str, body: object) -> Reply:
        return self._ask("POST", path, json.dumps(body).encode("ascii"))

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def quoted(self, reply: Reply) -> str:
        """The server's message, short, on one line, and without the key."""
        try:
            said = _message_in(reply.json())
        except ValueError:
            said = reply.body[: 4 * _QUOTED_LENGTH].decode("utf-8", "replace")
        return self._without_key(" ".join(said.split()))[:_QUOTED_LENGTH]

    def _ask(self, method: str, path: str, content: bytes | None) -> Reply:
        """Send until there is a usable answer, or the attempts are used up."""
        outcome = until_answered(
            lambda: self._ask_once(method, path, content),
            attempts=self._attempts,
            sleep=self._sleep,
        )
        if isinstance(outcome, FailedAttempt):
            raise EmbedderFailed(f"{self.address} {outcome.sentence}.") from outcome.cause
        return outcome

    def _ask_once(self, method: str, path: str, content: bytes | None) -> Reply | FailedAttempt:
        import httpx2

        try:
            reply, headers = self._exchange(method, path, content)
        except httpx2.TimeoutException as error:
            return FailedAttempt(f"did not answer within {self._timeout:g} seconds", cause=error)
        except httpx2.RequestError as error:
            reason = self._without_key(f"{type(error).__name__}: {error}")
            return FailedAttempt(f"could not be reached ({reason})", cause=error)
        if reply.status not in _RETRIED_STATUS:
            return reply
        wait = wait_asked_for(headers.get("retry-after"), headers.get("date"))
        asked = f" and asks to wait {wait:.0f} seconds" if wait is not None else ""
        return FailedAttempt(
            f"answered {reply.status}{asked}: {self.quoted(reply)}".rstrip(": "), wait
        )

    def _exchange(
        self, method: str, path: str, content: bytes | None
    ) -> tuple[Reply, "httpx2.Headers"]:
        """One request, read in chunks so that a slow server cannot block us."""
        import httpx2

        client = self._opened()
        deadline = time.monotonic() + self._timeout
        body = bytearray()
        with client.stream(
            method, self.address + path, content=content, headers=self._headers()
        ) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("the answer came too slowly")
                if len(body) > LONGEST_REPLY:
                    raise EmbedderFailed(f"{self.address} sent an answer that is too long.")
            return Reply(response.status_code, bytes(body)), response.headers

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        headers |= self._more_headers
        if self._api_key:
            bearer = self._key_header == "authorization"
            headers[self._key_header] = f"Bearer {self._api_key}" if bearer else self._api_key
        return headers

    def _opened(self) -> "httpx2.Client":
        """The one client. Proxies from the environment apply only to servers that are not local."""
        import httpx2

        with self._lock:
            if self._client is None:
                parts = urlsplit(self.address)
                self._client = httpx2.Client(
                    timeout=self._timeout,
                    verify=parts.scheme == "https",  # nothing to verify, and 0.2 s to prepare it
                    trust_env=parts.hostname not in _LOOPBACK,
                )
                finalize(self, self._client.close)
            return self._client

    def _without_key(self, text: str) -> str:
        """The text with the key removed, also where a server shows its beginning or its end."""
        if not self._api_key:
            return text
        whole = rf"(?<!\w){re.escape(self._api_key)}(?!\w)"
        if len(self._api_key) >= _IDENTIFIABLE_KEY_LENGTH:
            ends = {re.escape(self._api_key[:6]), re.escape(self._api_key[-6:])}
            whole = rf"\S*(?:{'|'.join(ends)})\S*"
        return re.sub(whole, "[key]", text)


def _checked_address(base_url: str, server: str) -> str:
    """The address without a trailing slash. The message never repeats what may contain a secret."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not base_url.strip().isprintable():
        raise InvalidSetting(
            f"The address of the {server} is not an http or https address.",
            hint="It looks like http://127.0.0.1:11434/v1",
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidSetting(
            f"The address of the {server} holds more than host and path.",
            hint="Put a key into the setting for the key.",
        )
    return parts.geturl().rstrip("/")


def _checked_key(api_key: str | None, server: str) -> str | None:
    """The key, if it can be sent in a header. The message never repeats it."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise InvalidSetting(f"The key for the {server} holds characters no key can have.")
    return key or None


def _message_in(answer: object) -> str:
    """The message of an error answer: {"error": {"message": ...}}, or the nearest thing to it."""
    while isinstance(answer, dict):
        answer = answer.get("error") or answer.get("message") or answer.get("detail") or ""
    return answer if isinstance(answer, str) else json.dumps(answer)
