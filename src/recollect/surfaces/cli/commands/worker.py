"""Command ``worker``: a process that runs queued jobs in batches, until stopped."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Option

from recollect.surfaces.cli.session import CommandContext

if TYPE_CHECKING:
    from recollect.engine import Recollect

_TURN: Final = 1.0
_PAUSES: Final = (0.5, 2.0)


def worker(
    session: CommandContext,
    once: Annotated[bool, Option("--once", help="Stop when nothing is waiting.")] = False,
    seconds: Annotated[
        float | None, Option("--seconds", metavar="NUMBER", help="Stop after this many seconds.")
    ] = None,
) -> None:
    """Run queued jobs."""
    from recollect.surfaces.cli.views.screen import StyledText
    from recollect.surfaces.cli.views.words import counted

    end = None if seconds is None else time.monotonic() + seconds
    with session.open() as memory, _until_stopped() as stopping:
        if not once:
            session.note("Working. Ctrl-C stops after the current batch.")
        done = _work(session, memory, stopping, once=once, end=end)
        queue = memory.stats()["queue"]
    words = f"Did {counted(done, 'job')}; {counted(queue.backlog, 'job')} waiting."
    session.answer({"done": done, "queue": queue}, lambda screen: screen.line(StyledText(words)))


def _work(
    session: CommandContext,
    memory: "Recollect",
    stopping: threading.Event,
    *,
    once: bool,
    end: float | None,
) -> int:
    total, pause = 0, _PAUSES[0]
    while not stopping.is_set():
        left = _TURN if end is None else end - time.monotonic()
        if left <= 0:
            break
        began = time.monotonic()
        done = memory.work(min(_TURN, left))
        if done:
            total, pause = total + done, _PAUSES[0]
            _report(session, memory, done, time.monotonic() - began)
        elif once:
            break
        else:
            stopping.wait(min(pause, left) if end is not None else pause)
            pause = min(pause * 2, _PAUSES[1])
    return total


def _report(session: CommandContext, memory: "Recollect", done: int, seconds: float) -> None:
    from recollect.surfaces.cli.views.words import counted

    if session.options.json:
        return
    queue = memory.stats()["queue"]
    failed = f", {queue.dead:,} given up" if queue.dead else ""
    session.write(
        f"{time.strftime('%H:%M:%S')}  {counted(done, 'job')} done in {seconds:.2f} s, "
        f"{queue.backlog:,} waiting{failed}"
    )
    _flush()


def _flush() -> None:
    import sys

    sys.stdout.flush()


@contextmanager
def _until_stopped() -> Iterator[threading.Event]:
    """Event that Ctrl-C and SIGTERM set, so that the current batch is finished."""
    stopping = threading.Event()

    def stop(_number: int, _frame: Any) -> None:
        stopping.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
