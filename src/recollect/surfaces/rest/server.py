"""Runs the HTTP server: address, start-up, processes, shutdown, and when garbage is collected.

On loopback addresses it needs no setup. On any other address it refuses to start before an access
token exists, and then requires a token of every request.
"""

import asyncio
import gc
import ipaddress
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import uvicorn

from recollect.engine import Recollect
from recollect.surfaces.rest.application import Limits, Pages, application
from recollect.surfaces.rest.connection_balancer import BACKLOG, distribute, receive
from recollect.surfaces.rest.listening_socket import listening_on
from recollect.surfaces.rest.worker_processes import WorkerProcesses
from recollect.vocabulary.errors import NotAllowed

GRACE_SECONDS: Final = 10
#: How long a thread may keep others from running. With Python's usual 5 ms the loop that reads and
#: answers waits behind every verb: the slowest of a hundred recalls took three times as long.
SWITCH_SECONDS: Final = 0.0005


@dataclass(frozen=True, slots=True)
class Address:
    """Address on which the server listens."""

    host: str
    port: int

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host is a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serve(
    memory: Recollect,
    address: Address,
    *,
    tokens_required: bool = False,
    limits: Limits | None = None,
    seconds: float | None = None,
    started: Callable[[str], None] = lambda _: None,
    workers: WorkerProcesses | None = None,
    pages: Pages | None = None,
) -> None:
    """Serve until stopped or for a given time, then finish running requests.

    With worker processes, these answer on the same address beside this one, which runs the queued
    jobs for all of them.
    """
    workers = workers or WorkerProcesses()
    required = tokens_required or not address.local
    if required and not memory.tokens.any():
        raise NotAllowed(
            f"Others could reach {address.host}, and there is no access token yet. "
            "The server was not started."
            if not address.local
            else "There is no access token yet. The server was not started.",
            hint="Make one with 'recollect token create', or serve on 127.0.0.1.",
        )
    app = application(
        memory,
        tokens_required=required,
        local_only=not required,
        limits=limits,
        figures=workers.figures,
        pages=pages,
    )
    leader = None if workers.leads else workers.leader_channel()
    listening = listening_on(address.host, address.port) if workers.leads else None
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
        lifespan="on",
        ws="websockets-sansio",
    )

    def begun() -> None:
        if app.state.load_pages is not None:  # in parallel, so that first requests do not wait
            threading.Thread(
                target=app.state.load_pages, name="recollect-pages", daemon=True
            ).start()
        if leader is not None:
            receive(leader, server.take, server.end)
            return
        assert listening is not None  # noqa: S101 - whoever leads listens
        workers.start(listening.getsockname()[1])
        if workers.shares:
            listening.listen(BACKLOG)  # before the address is announced
            server.distributes(distribute(listening, workers.channels, server.take))
        started(_url(listening))

    def ending() -> None:
        app.state.stopping = True  # so that open live pages end

    server = _Server(config, begun, seconds, ending)
    sys.setswitchinterval(SWITCH_SECONDS)
    # Load now what the first use would load.
    memory.recall("ready?", limit=1, explicit=False, shown=False)
    memory.warm()
    if workers.leads:
        memory.start_worker()
    try:
        with tune_collector():
            server.run(sockets=[] if workers.shares or listening is None else [listening])
    finally:
        for one in (listening, leader):
            if one is not None:
                one.close()
        workers.stop()


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Server(uvicorn.Server):
    """Uvicorn server that announces when it answers, and returns normally when stopped."""

    def __init__(
        self,
        config: uvicorn.Config,
        started: Callable[[], None],
        seconds: float | None,
        ending: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ending = ending
        self._announce = started
        self._seconds = seconds
        self._tasks: set[asyncio.Future[Any]] = set()
        self._dealing: asyncio.Task[None] | None = None
        self._quiet = IdleCollector()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve, then announce it."""
        await super().startup(sockets)
        self._announce()
        if self._seconds is not None:
            asyncio.get_running_loop().call_later(self._seconds, self.end)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        self._quiet.used(self.server_state.total_requests)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, then shut down as uvicorn does."""
        self._ending()
        if self._dealing is not None:
            self._dealing.cancel()
        await super().shutdown(sockets)

    def distributes(self, dealing: Coroutine[Any, Any, None]) -> None:
        """Distribute connections to the processes until the server ends."""
        self._dealing = asyncio.get_running_loop().create_task(dealing)

    def take(self, connection: socket.socket) -> None:
        """Serve a connection that another process accepted."""
        task = asyncio.get_running_loop().create_task(self._begin(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _begin(self, connection: socket.socket) -> None:
        with suppress(OSError):  # the client has disconnected already
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        """Create a connection's protocol, as uvicorn does."""
        made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    def end(self) -> None:
        """Stop once running requests are finished."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on Ctrl-C and SIGTERM; the signals are not raised again, so that all is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


QUIET: Final = 2.0  # seconds without a request
#: Number of new objects that triggers a collection of the young generation.
_YOUNG: Final = 20_000
#: Number of younger collections before a full one, which makes full ones rare.
_RARELY: Final = 1_000


@contextmanager
def tune_collector() -> Iterator[None]:
    """Freeze existing objects, and make collections rare and mostly of young objects.

    Python scans everything it holds whenever that has grown by a quarter: a tenth of a second in a
    server that has run for a while, during which every request waits. Instead, the server collects
    in a quiet moment and freezes what is left, so that the next collection is short. Young objects
    are scanned less often too: a page of a sync, an import or a long answer lives until it is
    answered, and was scanned a hundred times meanwhile, which took a third of its time.
    """
    usual = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, usual[1], _RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


class IdleCollector:
    """Detects when no request has come for a while."""

    def __init__(self) -> None:
        self._answered = 0
        self._since: float | None = None

    def used(self, answered: int) -> bool:
        """Collect garbage if requests came and then none for a while; return whether it did."""
        now = time.monotonic()
        if answered != self._answered:
            self._answered, self._since = answered, now
            return False
        if self._since is None or now - self._since < QUIET:
            return False
        self._since = None
        gc.collect()
        gc.freeze()
        return True
