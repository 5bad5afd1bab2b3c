"""Ctrl-C handling: ends the process at once while loading, raises an error afterwards.

An interrupt raised inside an import leaves a half-loaded module, and code on its way out may turn
it into another error. While loading, nothing has begun that would have to be finished.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130


def stop_at_once(_number: int = signal.SIGINT, _frame: FrameType | None = None) -> None:
    """End the process with a short message."""
    try:
        os.write(2, b"Stopped.\n")
    finally:
        os._exit(INTERRUPTED)


@contextmanager
def stops_at_once() -> Iterator[None]:
    """Context in which Ctrl-C ends the process instead of raising an error.

    A program that has set a handler of its own keeps it.
    """
    ours = "recollect.surfaces.cli.main" in sys.modules and _is_main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, stop_at_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def take_over() -> None:
    """Make Ctrl-C raise an error from here on, if the start-up code had it end the process."""
    known = getattr(signal.getsignal(signal.SIGINT), "__module__", None)
    if known == "__main__" and _is_main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
