"""Looks for garbage when nobody is waiting.

Python looks through everything it holds whenever that has grown by a quarter: a tenth of a second
in a server that has answered for a while, in which every asker waits. A server looks in a quiet
moment instead, and sets aside what is still there, so that the next look is short. What is young is
looked through less often too: a page of a sync, an import or a long answer lives until it is
answered, and was looked through a hundred times meanwhile, which took a third of its time.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

QUIET: Final = 2.0  # seconds without a request
#: How many things more than before are held when what is young is looked through.
_YOUNG: Final = 20_000
#: How many looks at what is young come before one at everything, which then is rare.
_RARELY: Final = 1_000


@contextmanager
def housekeeping() -> Iterator[None]:
    """What is there already is there for good; of the rest, only the young is looked through."""
    usual = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, usual[1], _RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


class QuietMoments:
    """Knows when nobody has asked anything for a while."""

    def __init__(self) -> None:
        self._answered = 0
        self._since: float | None = None

    def used(self, answered: int) -> bool:
        """Look for garbage if requests have come and then none for a while; whether it did."""
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
