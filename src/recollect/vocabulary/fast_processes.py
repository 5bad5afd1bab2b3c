"""Fast start and end of a program: no garbage collection while libraries load, no freeing of
objects at the end.

Loaded libraries stay in memory, so scanning them for garbage while they load and once more at exit
finds nothing and took a quarter of a short command's time.
"""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Context for loading libraries: what is loaded is never looked through for garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


@contextmanager
def fast_exit() -> Iterator[None]:
    """Context for the whole of a program: once all exit handlers have run and the output is
    written, its process ends, without freeing every object one by one.
    """
    ended: list[int] = []

    def end() -> None:
        if not ended:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # the interpreter reports it as it always does
        os._exit(ended[0])

    atexit.register(end)  # the first to be registered is the last to run
    try:
        yield
    except SystemExit as stopped:
        if isinstance(stopped.code, int):
            ended.append(stopped.code)
        raise
