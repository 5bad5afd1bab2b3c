"""Runs the garbage collector when no request is waiting.

Python scans everything it holds whenever that has grown by a quarter: a tenth of a second in a
server that has run for a while, during which every request waits. Instead, the server collects in a
quiet moment and freezes what is left, so that the next collection is short. Young objects are
scanned less often too: a page of a sync, an import or a long answer lives until it is answered, and
was scanned a hundred times meanwhile, which took a third of its time.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

QUIET: Final = 2.0  # seconds without a request
#: Number of new objects that triggers a collection of the young generation.
_YOUNG: Final = 20_000
#: Number of younger collections before a full one, which makes full ones rare.
_RARELY: Final = 1_000


@contextmanager
def tune_collector() -> Iterator[None]:
    """Freeze existing objects, and make collections rare and mostly of young objects."""
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
