"""Verbs that only read are repeated once when their connection to the server is cut.

A server that is restarted, or an administrator who ends connections, would otherwise fail a call
that changes nothing. The second try begins with a new connection, and waits for a server that is
coming up again as every first one does. What writes is not meant: a write repeats itself, and knows
what became of its commit.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from recollect.vocabulary.errors import ConnectionLost

P = ParamSpec("P")
R = TypeVar("R")


def repeatable(verb: Callable[P, R]) -> Callable[P, R]:
    """The same verb, tried a second time when the connection was lost under it."""

    @wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except ConnectionLost:
            return verb(*args, **kwargs)

    return call
