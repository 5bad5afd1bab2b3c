"""Holds the keys to what was forgotten while it may be taken back, in this process and no store.

What was forgotten lies under a seal in the store. Whoever forgot was told the key; here it is held
for those who only say "undo".
"""

import threading
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

from recollect.vocabulary.clock import Clock

UNDO_FOR: Final = timedelta(minutes=15)
_MAX_KEYS: Final = 256


class UndoKeys:
    """The keys of what was forgotten lately, by the id of the action."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: OrderedDict[str, tuple[str, datetime]] = OrderedDict()

    def hold(self, audit_id: str, key: str) -> None:
        """Keep a key for a quarter of an hour."""
        now = self._clock()
        with self._lock:
            self._keys[audit_id] = key, now + UNDO_FOR
            for known in [name for name, (_, until) in self._keys.items() if until < now]:
                del self._keys[known]
            while len(self._keys) > _MAX_KEYS:
                self._keys.popitem(last=False)

    def holds(self, audit_id: str) -> bool:
        """Whether the key is here."""
        with self._lock:
            return audit_id in self._keys

    def take(self, audit_id: str) -> str | None:
        """The key, if it is still there."""
        with self._lock:
            key, _ = self._keys.pop(audit_id, (None, None))
        return key
