"""Command ``serve``: runs the HTTP server and the queued jobs, until stopped."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

from typer import Option

from recollect.surfaces.cli.session import CommandContext
from recollect.vocabulary.errors import InvalidInput, InvalidSetting

if TYPE_CHECKING:
    from recollect.surfaces.panel.panel import Panel

PORT: Final = 7077


def serve(
    session: CommandContext,
    *,
    host: Annotated[
        str,
        Option(
            "--host", metavar="ADDRESS", help="The address to listen on; 0.0.0.0 is every network."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", metavar="NUMBER", help="The port; 0 for any free one.")
    ] = PORT,
    tokens: Annotated[
        bool, Option("--tokens", help="Require an access token on this machine too.")
    ] = False,
    max_body: Annotated[
        int,
        Option(
            "--max-body", metavar="MEGABYTES", help="The largest request body that is accepted."
        ),
    ] = 8,
    threads: Annotated[
        int,
        Option(
            "--threads",
            metavar="COUNT",
            help="How many slow requests a process works on at once; more for models.",
        ),
    ] = 2,
    processes: Annotated[
        int,
        Option(
            "--processes", metavar="COUNT", help="How many server processes; one per core is best."
        ),
    ] = 1,
    seconds: Annotated[
        float | None, Option("--seconds", metavar="NUMBER", help="Stop after this many seconds.")
    ] = None,
    follow: Annotated[
        bool,
        Option(
            "--follow", help="Join the server on this port as one more process, and end with it."
        ),
    ] = False,
) -> None:
    """Run the HTTP server and queued jobs."""
    _check(max_body, 1, 1_024, "--max-body")
    _check(threads, 1, 64, "--threads")
    _check(processes, 1, 64, "--processes")
    _check(port, 0, 65_535, "--port")
    if not follow:
        _check_free(host, port)
    try:
        from recollect.surfaces.rest.worker_processes import WorkerProcesses

        workers = WorkerProcesses(processes, command=_same_command(), follows=follow)
        from recollect.surfaces.rest.application import MEGABYTE, Limits
        from recollect.surfaces.rest.server import Address
        from recollect.surfaces.rest.server import serve as run
    except ImportError as error:
        from recollect.vocabulary.optional_parts import how_to_install

        raise InvalidSetting(
            "The server's parts are not installed.", hint=how_to_install("server")
        ) from error

    _write_log()
    with session.open(makes=True) as memory:
        store = str(memory.stats()["store"]["file"])

        def started(url: str) -> None:
            _report(session, url, store)

        run(
            memory,
            Address(host, port),
            tokens_required=tokens,
            limits=Limits(body=max_body * MEGABYTE, threads=threads),
            seconds=seconds,
            started=started,
            workers=workers,
            pages=_pages(session),
        )
    if not follow:
        session.note("Stopped. What was acknowledged is kept.")


def _pages(session: CommandContext) -> "Panel | None":
    """The panel, if its dependencies are installed."""
    try:
        from recollect.surfaces.panel.panel import Panel
    except ImportError:
        return None
    return Panel(
        configured=[
            (one.setting.name, one.shown, one.origin, one.setting.help)
            for name, one in session.settings.items()
            if name not in ("db", "space", "user")
        ]
    )


def _same_command() -> list[str]:
    """Command line that runs this command again, for worker processes."""
    return [sys.executable, "-m", "recollect", *sys.argv[1:]]


def _report(session: CommandContext, url: str, store: str) -> None:
    if session.options.json:
        import json

        session.write(json.dumps({"url": url, "store": store}))
    else:
        session.write(
            f"Recollect answers at {url} and keeps everything in {store}.\n"
            f"  open the panel  {url}/\n"
            f"  description     {url}/openapi.json\n"
            f"  figures         {url}/metrics\n"
            "Ctrl-C stops it."
        )
    sys.stdout.flush()


def _check(value: int, low: int, high: int, name: str) -> None:
    if not low <= value <= high:
        raise InvalidInput(f"{name} is a number from {low:,} to {high:,}, not {value:,}.")


_OF_THIS_MACHINE: Final = ("127.0.0.1", "::1", "localhost")


def _check_free(host: str, port: int) -> None:
    """Say that something listens there already before anything is loaded or opened; for other
    machines, whether that is allowed is asked first."""
    if host not in _OF_THIS_MACHINE:
        return
    from recollect.surfaces.rest.listening_socket import listening_on

    listening_on(host, port).close()


def _write_log() -> None:
    """Log problems to standard error, each line with its time."""
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    for name in ("recollect", "uvicorn"):
        log = logging.getLogger(name)
        if not log.handlers:
            log.addHandler(handler)
