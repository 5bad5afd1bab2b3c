"""Makes garbage collections rare while a call holds many objects that no cycle keeps alive.

Python scans young objects whenever 700 more were made than freed, and everything that the process
holds whenever that grew by a quarter. What an import holds lives until its batch is written, so it
was scanned again and again and nothing was ever found: a sixth of the time of a large import.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

#: Number of new objects that triggers a collection of the young ones.
_YOUNG: Final = 20_000
#: Number of younger collections before a full one.
_RARELY: Final = 1_000

_lock: Final = threading.Lock()
_usual: list[tuple[int, int, int]] = []
_inside = 0


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect rarely until all calls that are inside have ended; then as before. Where collections
    are rarer already, or switched off, nothing changes."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside  # noqa: PLW0603
    with _lock:
        _inside += 1
        young, middle, full = gc.get_threshold()
        if _inside == 1 and 0 < young < _YOUNG:
            _usual.append((young, middle, full))
            gc.set_threshold(_YOUNG, middle, max(full, _RARELY))


def _leave() -> None:
    global _inside  # noqa: PLW0603
    with _lock:
        _inside -= 1
        if _inside == 0 and _usual:
            usual = _usual.pop()
            if gc.get_threshold() == (_YOUNG, usual[1], max(usual[2], _RARELY)):
                gc.set_threshold(*usual)  # unless somebody else has set them meanwhile
