"""What each signal looks for, and the shape all of them share.

A detector hears acts one at a time, does a bounded amount of work with each, and keeps a bounded
amount of state that can be written down as JSON. It never reads anything but the acts.
"""

from collections.abc import Iterable
from typing import Any, Protocol

from recollect.observer.candidates import Candidate
from recollect.observer.scratchpad import Scratchpad
from recollect.vocabulary.acts import Act, ActKind


class Detector(Protocol):
    """Looks for one signal, or for a few that share what they watch."""

    @property
    def name(self) -> str:
        """What its state is kept under."""
        ...  # pragma: no cover

    @property
    def hears(self) -> tuple[ActKind, ...]:
        """The kinds of acts it wants."""
        ...  # pragma: no cover

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Take in one act of a kind it hears."""
        ...  # pragma: no cover

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """What the session would remember."""
        ...  # pragma: no cover

    def state(self) -> Any:
        """What it knows, as JSON has it."""
        ...  # pragma: no cover

    def resume(self, state: Any) -> None:
        """Go on from what it knew."""
        ...  # pragma: no cover
