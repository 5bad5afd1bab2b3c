"""What verbs are wrapped in: durations are counted, and what only reads is tried a second time."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from recollect.vocabulary.errors import ConnectionLost

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V", bound=type)

#: The verbs whose durations are counted.
TIMED: Final = (
    *("remember", "recall", "get", "list", "update", "forget", "supersede", "record", "read"),
    *("feedback", "trend", "research", "history", "stats", "overview"),
)


def timed_verbs(family: V) -> V:
    """The same family, which counts how long each of its timed verbs takes."""
    for name in TIMED:
        if hasattr(family, name):
            setattr(family, name, _timed(name, getattr(family, name)))
    return family


def _timed(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(verb)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        began = time.monotonic()
        try:
            return verb(self, *args, **kwargs)
        finally:
            self._services.counts.timed(self.space.id, name, time.monotonic() - began)

    return call


def repeatable(verb: Callable[P, R]) -> Callable[P, R]:
    """A verb that only reads, tried a second time when its connection to the server is cut.

    A server that is restarted, or an administrator who ends connections, would otherwise fail a
    call that changes nothing. The second try begins with a new connection, and waits for a server
    that is coming up again as every first one does. What writes is not meant: a write repeats
    itself, and knows what became of its commit.
    """

    @wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except ConnectionLost:
            return verb(*args, **kwargs)

    return call
