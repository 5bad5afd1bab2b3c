"""Holds what was forgotten while it may be taken back, in this process and nowhere else."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from recollect.vocabulary.clock import Clock
from recollect.vocabulary.memory import Memory

UNDO_FOR: Final = timedelta(minutes=15)
_MOST: Final = 256


@dataclass(frozen=True, slots=True)
class Lost:
    """What it takes to bring something forgotten back, while somebody may still want to."""

    memories: tuple[Memory, ...]
    stones: tuple[str, ...]
    until: datetime


class Shelf:
    """What was forgotten lately, by the id of the action; it is let go when its time is over."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._lost: OrderedDict[str, Lost] = OrderedDict()

    def hold(self, audit_id: str, lost: Lost) -> None:
        """Keep something for a quarter of an hour."""
        now = self._clock()
        with self._lock:
            self._lost[audit_id] = lost
            for known in [name for name, one in self._lost.items() if one.until < now]:
                del self._lost[known]
            while len(self._lost) > _MOST:
                self._lost.popitem(last=False)

    def take(self, audit_id: str) -> Lost | None:
        """Take something back, if it is still there."""
        with self._lock:
            lost = self._lost.pop(audit_id, None)
        return None if lost is None or lost.until < self._clock() else lost
