"""Loading of libraries by a command: Ctrl-C ends it at once, and no garbage is collected."""

from collections.abc import Iterator
from contextlib import contextmanager

from recollect.surfaces.cli.interrupts import stops_at_once
from recollect.vocabulary.fast_processes import collecting_no_garbage


@contextmanager
def loading() -> Iterator[None]:
    """Context for loading libraries: Ctrl-C ends the process, and no garbage is collected."""
    with collecting_no_garbage(), stops_at_once():
        yield
