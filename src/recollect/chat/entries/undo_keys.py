"""Keys for undoing a recent forgetting, held in the memory of this process and in no store.

Forgotten rows are stored encrypted (sealed). The caller that forgot received the key; this module
also holds it, for people who only say "undo".
"""

import threading
from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Final

from recollect.vocabulary.clock import Clock

UNDO_FOR: Final = timedelta(minutes=15)
_MAX_KEYS: Final = 256


class UndoKeys:
    """The keys of recent forgettings, by the id of the action."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: OrderedDict[str, tuple[str, datetime]] = OrderedDict()

    def hold(self, audit_id: str, key: str) -> None:
        """Hold a key for 15 minutes."""
        now = self._clock()
        with self._lock:
            self._keys[audit_id] = key, now + UNDO_FOR
            for known in [name for name, (_, until) in self._keys.items() if until < now]:
                del self._keys[known]
            while len(self._keys) > _MAX_KEYS:
                self._keys.popitem(last=False)

    def holds(self, audit_id: str) -> bool:
        """Whether this process holds the key."""
        with self._lock:
            return audit_id in self._keys

    def take(self, audit_id: str) -> str | None:
        """Remove and return the key, if it is still held."""
        with self._lock:
            key, _ = self._keys.pop(audit_id, (None, None))
        return key
