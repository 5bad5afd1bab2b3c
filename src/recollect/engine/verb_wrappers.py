"""Wrappers of verbs: measure durations, and retry reads after a lost connection."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from recollect.vocabulary.errors import ConnectionLost

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V", bound=type)

#: The verbs whose durations are measured.
TIMED: Final = (
    *("remember", "recall", "get", "list", "update", "forget", "supersede", "record", "read"),
    *("feedback", "trend", "research", "history", "stats", "overview"),
)


def timed_verbs(family: V) -> V:
    """The same group of verbs, which measures the duration of each timed verb."""
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
    """A read-only verb, retried once if its connection to the server is lost.

    A restarted server, or an administrator who ends connections, would otherwise fail a call that
    changes nothing. The retry uses a new connection, and waits for a starting server like any first
    call. Not for writes: they have their own retries, which check the outcome of a commit.
    """

    @wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except ConnectionLost:
            return verb(*args, **kwargs)

    return call
