"""A part that is made when it is first wanted, once, also when many threads want it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class Once(Generic[T]):
    """Calls a function at most once, and gives its value from then on."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._lock = threading.RLock()
        self._value: T | None = None

    def __call__(self) -> T:
        """The value, made now if nobody asked before."""
        if self._make is not None:
            with self._lock:
                if self._make is not None:
                    self._value = self._make()
                    self._make = None
        return cast("T", self._value)

    @property
    def made(self) -> bool:
        """Whether somebody asked."""
        return self._make is None
