"""Wrapper of verbs that only read: retries them after a lost connection."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from recollect.vocabulary.errors import ConnectionLost

P = ParamSpec("P")
R = TypeVar("R")


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
