"""Live WebSocket: memo changes, and suggestions while a person types.

``/v1/live?space=NAME`` sends ``memo:created``, ``memo:updated`` and ``memo:archived`` for what the
client may read at that moment, whichever process or machine wrote it. The space's clock in the
store is polled: at once when PostgreSQL notifies of a write, otherwise twice a second. A client
that sends ``{"typed": "..."}`` is answered with ``suggestion:available``.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import encoded
from recollect.surfaces.rest.dispatcher import Dispatcher, secret_of
from recollect.surfaces.rest.middleware import is_local
from recollect.surfaces.rest.response_models import operation_id
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.workspace import MemoChanges, Suggestions

router = APIRouter(generate_unique_id_function=operation_id)

#: Maximum number of seconds between two polls of the store.
PAUSE: Final = 0.5
MAX_SOCKETS: Final = 256
LONGEST_MESSAGE: Final = 16_384
_REFUSED: Final = 1008
_TOO_MANY: Final = 1013
_SEEN: Final = 10_000


class LiveFeed:
    """Open sockets of one process, and the one database listener that wakes them."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()
        self._stop: Callable[[], None] | None = None

    def open(self, memory: Recollect) -> asyncio.Event:
        """Register a socket and return the event to wait for; an error when too many are open."""
        if len(self._waiting) >= MAX_SOCKETS:
            raise InvalidInput("Too many clients are connected already.", hint="Try again later.")
        if self._stop is None:
            loop = asyncio.get_running_loop()

            def wake() -> None:
                with suppress(RuntimeError):  # the event loop has ended
                    loop.call_soon_threadsafe(self._wake)

            self._stop = memory.workspace.listen(wake)
        woken = asyncio.Event()
        self._waiting.add(woken)
        return woken

    def close(self, woken: asyncio.Event) -> None:
        """Unregister a socket."""
        self._waiting.discard(woken)

    def stop(self) -> None:
        """Stop listening, when the process ends."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    def _wake(self) -> None:
        for one in self._waiting:
            one.set()


@router.websocket("/v1/live")
async def live(socket: WebSocket, space: str | None = None) -> None:
    """Send changes of memos as they happen, and suggestions while somebody types."""
    dispatcher: Dispatcher = socket.app.state.dispatcher
    feed: LiveFeed = socket.app.state.live
    if socket.app.state.local_only and not is_local(dict(socket.scope["headers"])):
        await socket.close(_REFUSED, "This server answers its own machine only.")
        return
    try:
        secret = secret_of(socket.headers.get("authorization"))
        view: Recollect = await dispatcher.run(lambda: dispatcher.view(secret, space))
        woken = feed.open(view)
    except RecollectError as error:
        await socket.close(_TOO_MANY if isinstance(error, InvalidInput) else _REFUSED)
        return
    try:
        await socket.accept()
        first: MemoChanges = await dispatcher.run(lambda: view.workspace.changes(None))
        tasks = [
            asyncio.create_task(
                _send_changes(
                    socket, dispatcher, lambda: dispatcher.view(secret, space), first, woken
                )
            ),
            asyncio.create_task(
                _answer_typed(socket, dispatcher, lambda: dispatcher.view(secret, space))
            ),
        ]
        done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            with suppress(WebSocketDisconnect, RuntimeError):
                task.result()
    except RecollectError:
        with suppress(RuntimeError):
            await socket.close(_REFUSED)
    finally:
        feed.close(woken)


async def _send_changes(
    socket: WebSocket,
    dispatcher: Dispatcher,
    view: Callable[[], Recollect],
    known: MemoChanges,
    woken: asyncio.Event,
) -> None:
    """Send changes; the token and the visibility are checked again each time."""
    seen: OrderedDict[tuple[str, int], None] = OrderedDict(
        ((one.memo_id, one.revision), None) for one in known.changes
    )
    await socket.send_text(json.dumps({"event": "ready"}))
    while not socket.app.state.stopping:
        with suppress(TimeoutError):
            await asyncio.wait_for(woken.wait(), PAUSE)
        woken.clear()
        known = await dispatcher.run(partial(_changes, view, known))
        for one in known.changes:
            key = one.memo_id, one.revision
            if key in seen:
                continue
            seen[key] = None
            if len(seen) > _SEEN:
                seen.popitem(last=False)
            await _send(socket, one.event, _body(one))
    await socket.close(1001)


async def _answer_typed(
    socket: WebSocket, dispatcher: Dispatcher, view: Callable[[], Recollect]
) -> None:
    """Answer the texts that the client sends."""
    while True:
        text = await socket.receive_text()
        typed = _typed(text)
        if typed is None:
            await socket.send_text(json.dumps({"event": "error", "code": "invalid_input"}))
            continue
        found = await dispatcher.run(partial(_suggested, view, typed))
        if found.found:
            answer = {"typed": found.query, "suggestions": found.found}
            await _send(socket, "suggestion:available", answer)


def _changes(view: Callable[[], Recollect], since: MemoChanges) -> MemoChanges:
    return view().workspace.changes(since)


def _suggested(view: Callable[[], Recollect], typed: dict[str, Any]) -> Suggestions:
    return view().workspace.suggest(typed["typed"], stream=typed.get("stream"))


def _typed(text: str) -> dict[str, Any] | None:
    """Parse a message of the client; None when it cannot be read."""
    if len(text) > LONGEST_MESSAGE:
        return None
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict) or not isinstance(given.get("typed"), str):
        return None
    return given if isinstance(given.get("stream"), str | None) else None


def _body(one: Any) -> dict[str, Any]:
    if one.event == "memo:created":
        return {"memo": one.memo}
    if one.event == "memo:archived":
        return {"memo_id": one.memo_id}
    return {"memo_id": one.memo_id, "changes": one.memo}


async def _send(socket: WebSocket, event: str, body: dict[str, Any]) -> None:
    await socket.send_text(encoded({"event": event, **body}).decode("utf-8"))
