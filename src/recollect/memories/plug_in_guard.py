"""Calls what a plug-in brought: late answers and errors harm nothing, and are reported.

The work runs in a thread of its own that does not outlive the process. An answer of another type
than was promised counts as a fault, too.
"""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, Final, TypeVar

T = TypeVar("T")

#: Seconds that a plug-in is waited for.
PATIENCE: Final = 1.0
_KEPT: Final = 50
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PlugInFault:
    """One call of a plug-in that went wrong, and how."""

    plug_in: str
    hook: str
    reason: str

    def __str__(self) -> str:
        return f"The methodology {self.plug_in} {self.reason} in {self.hook}; it was left out."


@dataclass(slots=True)
class PlugInGuard:
    """Calls plug-ins, and remembers the newest faults."""

    patience: float = PATIENCE
    faults: deque[PlugInFault] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def call(self, plug_in: str, hook: str, work: Callable[[], Any], wanted: type[T]) -> T | None:
        """The answer of a plug-in; None where it gives none, fails, is late or answers amiss."""
        outcome: list[Any] = []
        failed: list[Exception] = []

        def run() -> None:
            try:
                outcome.append(work())
            except Exception as error:  # noqa: BLE001 a plug-in's fault is not the session's
                failed.append(error)

        thread = Thread(target=run, name=f"recollect-{plug_in}", daemon=True)
        thread.start()
        thread.join(self.patience)
        if failed:
            self.report(plug_in, hook, f"failed with {type(failed[0]).__name__}")
        elif not outcome:
            self.report(plug_in, hook, f"took more than {self.patience:g} s")
        elif outcome[0] is not None and not isinstance(outcome[0], wanted):
            self.report(plug_in, hook, f"answered with {type(outcome[0]).__name__}")
        else:
            return outcome[0]
        return None

    def report(self, plug_in: str, hook: str, reason: str) -> None:
        """Remember and log a fault, without any text of the session."""
        fault = PlugInFault(plug_in, hook, reason)
        self.faults.append(fault)
        _log.warning("%s", fault)
