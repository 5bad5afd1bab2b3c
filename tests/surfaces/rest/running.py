"""A real server on a free port, in a thread of the test's own process, and someone who asks it."""

import http.client
import json
import socket
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import uvicorn
from fastapi import FastAPI


class Got(NamedTuple):
    """What the server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        """The error in it, which has the one shape."""
        assert self.headers["content-type"] == "application/json"
        assert list(self.json) == ["error"]
        found = dict(self.json["error"])
        assert set(found) == {"code", "message", "hint", "request_id", "details"}
        assert found["request_id"] == self.headers["x-request-id"]
        assert "Traceback" not in self.body.decode()
        return found


class Running:
    """A server that answers until it is stopped."""

    def __init__(self, app: FastAPI, port: int = 0) -> None:
        self.app = app
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self._socket.listen()
        self.port = int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="on", ws="websockets-sansio"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), daemon=True
        )
        self._thread.start()
        self("GET", "/health")

    def stop(self) -> None:
        """Finish and end."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Got:
        """One request on a connection of its own."""
        sent = dict(headers or {})
        content = raw
        if body is not None:
            content = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Got(answer.status, found, answer.read())
        finally:
            connection.close()
