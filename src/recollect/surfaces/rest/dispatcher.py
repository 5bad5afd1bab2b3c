"""Request dispatcher: identifies the sender, selects the space, and runs the verb.

Verbs run on a bounded thread pool, and their answer is encoded as JSON there too, so that a request
costs the event loop one hop. Requests that were brief before run on the event loop without that
hop: two threads that both run Python take the interpreter from each other at every database call,
which costs a third more than the work itself. What a token gives access to is read on every
request.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final, TypeVar

from fastapi import Request
from starlette.requests import HTTPConnection

from recollect.engine import Recollect
from recollect.surfaces.rest.bodies import JsonAnswer, encoded
from recollect.surfaces.rest.query_parameters import refuse_unknown_parameters
from recollect.vocabulary.audiences import client_name
from recollect.vocabulary.errors import InvalidInput, SpaceNotFound, StoreBusy, TokenRefused

T = TypeVar("T")

BRIEF: Final = 0.02  # seconds of CPU time
SLOW: Final = 0.1  # seconds of wall time
REST: Final = 1.0  # seconds for which a kind of request that was slow stays off the event loop
_MAX_KINDS: Final = 10_000
_MAX_VIEWS: Final = 10_000
_PIECE: Final = 65_536  # characters
_SMALL: Final = 8_192  # bytes
_TRUSTED: Final = 5.0  # seconds


class Dispatcher:
    """Runs requests on the engine, with the rights of their sender."""

    def __init__(self, memory: Recollect, *, tokens_required: bool, threads: int) -> None:
        self._memory = memory
        self._tokens_required = tokens_required
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="recollect-request")
        self._views: dict[Hashable, Recollect] = {}
        self._pace = RequestTiming()
        self._one_by_one = asyncio.Lock()
        self._admitted: dict[int, float] = {}

    def close(self) -> None:
        """Finish running requests and stop the pool."""
        self._pool.shutdown()

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run a function on the thread pool."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def admit(self, authorization: str | None) -> None:
        """Check that the sender of this header may send a body; otherwise raise an error.

        The verb checks again, so a token that was valid a moment ago need not be looked up twice.
        """
        secret = secret_of(authorization)
        now = time.monotonic()
        if secret is None and not self._tokens_required:
            return
        if secret is not None and now < self._admitted.get(hash(secret), 0.0):
            return
        await self.run(lambda: self.view(secret, None))
        if len(self._admitted) >= _MAX_VIEWS:
            self._admitted.clear()
        self._admitted[hash(secret)] = now + _TRUSTED

    async def answer(
        self,
        request: Request,
        verb: Callable[[Recollect], Any],
        *,
        space: str | None = None,
        make: bool = False,
        status: int = 200,
        brief: bool = False,
    ) -> JsonAnswer:
        """Run a verb for the sender and return its result as JSON. ``make`` creates a missing
        space.

        A verb that is ``brief`` waits only for the disk and for other writers.
        """
        if request.scope["query_string"]:
            refuse_unknown_parameters(request)
        secret, client = bearer_of(request), client_of(request)
        space = _space_of(request, space)

        def work() -> bytes:
            return encoded(verb(self.view(secret, space, make=make, client=client)))

        if not (brief and _is_small(request)):
            return JsonAnswer(await self.run(work), status)
        kind = request.scope["endpoint"], space, hash(secret)
        if self._pace.is_brief(kind):
            with suppress(StoreBusy):  # then it waits on the pool, off the event loop
                return JsonAnswer(await self._on_the_spot(kind, work), status)
        return JsonAnswer(await self.run(lambda: self._pace.learned(kind, work)), status)

    async def _on_the_spot(self, kind: Hashable, work: Callable[[], bytes]) -> bytes:
        """Run brief work on the event loop, one request at a time in the order of arrival.

        The loop accepts new requests after each one, not after all that were waiting: otherwise a
        client that asks again at once would wait for two rounds.
        """
        async with self._one_by_one:
            try:
                return self._pace.watched(kind, lambda: self._memory.at_once(work))
            finally:
                await asyncio.sleep(0)

    async def own(self, verb: Callable[[Recollect], Any]) -> JsonAnswer:
        """Run a verb as the server's own user, for public information."""
        return JsonAnswer(await self.run(lambda: encoded(verb(self._memory))))

    def is_own_space(self, view: Recollect) -> bool:
        """Whether a view is of the server's own space, whose stewards administer the server."""
        return view.space.id == self._memory.space.id

    async def pieces(self, texts: Iterator[str]) -> AsyncIterator[bytes]:
        """Yield a long text in chunks made on the pool; small pieces are combined."""
        while gathered := await self.run(lambda: _gathered(texts)):
            yield gathered

    def view(
        self,
        secret: str | None,
        space: str | None,
        *,
        make: bool = False,
        client: str | None = None,
    ) -> Recollect:
        """Engine as the bearer of a token may see it; without a token, as the server's own user.

        ``client`` is the calling program, which is named in the log of what was served.
        """
        view = self._view(secret, space, make=make)
        if client is None:
            return view
        key = view.viewer, view.space, client
        return self._known(key, lambda: view.within(client=client))

    def _view(self, secret: str | None, space: str | None, *, make: bool) -> Recollect:
        if secret is None:
            if self._tokens_required:
                raise TokenRefused(
                    "This server requires an access token. Nothing was done.",
                    hint="Send 'Authorization: Bearer rcl_...'.",
                )
            base = self._memory
        else:
            base = self._memory.bearing(secret)
        if space is None or space == base.space.name:
            return base
        return self._known((base.viewer, space), lambda: _entered(base, space, make=make))

    def _known(self, key: Hashable, make: Callable[[], Recollect]) -> Recollect:
        """The view that was made for a key; made now if there is none."""
        view = self._views.get(key)
        if view is None:
            view = make()
            if len(self._views) >= _MAX_VIEWS:
                self._views.clear()
            self._views[key] = view
        return view


def _entered(base: Recollect, space: str, *, make: bool) -> Recollect:
    """Space that the sender may read; with ``make``, created if missing."""
    try:
        return base.within(space=space, make=False)
    except SpaceNotFound:
        if not make:
            raise
    base.within(space=space)
    return base.within(space=space, make=False)  # the space may exist and belong to another person


def _space_of(request: Request, named: str | None) -> str | None:
    """Space that a request names: in its body or path, or else in its query."""
    asked = request.query_params.get("space")
    if asked is None or asked == named:
        return named
    if named is not None:
        raise InvalidInput("The request names two spaces. Nothing was done.", hint="Name one.")
    return asked


def _gathered(texts: Iterator[str]) -> bytes:
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text)
        size += len(text)
        if size >= _PIECE:
            break
    return "".join(parts).encode("utf-8", "replace")


def _is_small(request: Request) -> bool:
    """Whether a request body is too small for its length to affect the time."""
    length = request.headers.get("content-length", "0")
    if "transfer-encoding" in request.headers or not length.isdigit():
        return False
    return int(length) <= _SMALL


def bearer_of(request: Request) -> str | None:
    """Token of a request, if it has one."""
    return secret_of(request.headers.get("authorization"))


def client_of(request: HTTPConnection) -> str:
    """Name that the calling program gives of itself."""
    said = request.headers.get("user-agent", "").partition("/")[0].partition(" ")[0]
    return client_name("rest", "browser" if said == "Mozilla" else said)


def secret_of(given: str | None) -> str | None:
    """Token in an Authorization header."""
    if given is None:
        return None
    scheme, _, secret = given.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise TokenRefused(
            "The Authorization header is not understood. Nothing was done.",
            hint="Send 'Authorization: Bearer rcl_...'.",
        )
    return secret.strip()


def dispatcher_of(request: Request) -> Dispatcher:
    """Dispatcher of the application that received a request."""
    dispatcher: Dispatcher = request.app.state.dispatcher
    return dispatcher


class RequestTiming:
    """Measured cost of each kind of request. Used by the event loop and by the pool's threads.

    A kind of request is one route, asked of one space by one sender. It is brief when it recently
    took little CPU time, and then the event loop runs it; slow or new kinds go to the thread pool.
    """

    def __init__(self) -> None:
        self._cost: dict[Hashable, float] = {}
        self._resting: dict[Hashable, float] = {}

    def is_brief(self, kind: Hashable) -> bool:
        """Whether the event loop may run a request of this kind."""
        if self._cost.get(kind, BRIEF) >= BRIEF:
            return False
        return kind not in self._resting or self._rested(kind)

    def watched(self, kind: Hashable, work: Callable[[], T]) -> T:
        """Run work on the event loop, and note when it was slow after all."""
        began = time.monotonic()
        try:
            return work()
        finally:
            if time.monotonic() - began > SLOW:
                _put(self._resting, kind, time.monotonic() + REST)

    def learned(self, kind: Hashable, work: Callable[[], T]) -> T:
        """Run work in a pool thread, and record its CPU time, not the time it waited for others."""
        began = time.thread_time()
        try:
            return work()
        finally:
            spent = time.thread_time() - began
            _put(self._cost, kind, max(spent, self._cost.get(kind, 0.0) / 2))

    def _rested(self, kind: Hashable) -> bool:
        if time.monotonic() < self._resting[kind]:
            return False
        del self._resting[kind]
        return True


def _put(known: dict[Hashable, float], kind: Hashable, value: float) -> None:
    if len(known) >= _MAX_KINDS:
        known.clear()
    known[kind] = value
