"""Loading is quick: no garbage is looked for while libraries load, nor in what they leave behind.

What loads stays, so looking through it for garbage, again and again while it grows and once more
as the program ends, finds nothing and took a quarter of a short command's time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from recollect.surfaces.cli.interrupts import stops_at_once


@contextmanager
def loading() -> Iterator[None]:
    """In here libraries are loaded: Ctrl-C ends the process, and garbage waits."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with stops_at_once():
            yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


def leave_quickly() -> None:
    """The program ends: what is there is given back with the process, not piece by piece."""
    gc.freeze()
