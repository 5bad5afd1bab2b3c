"""Signal detectors, and the protocol that they share.

A detector receives acts one at a time, does a bounded amount of work for each, and keeps a bounded
state that can be saved as JSON. It reads nothing but the acts.
"""

from collections.abc import Iterable
from typing import Any, Protocol

from recollect.observer.candidates import Candidate
from recollect.observer.scratchpad import Scratchpad
from recollect.vocabulary.acts import Act, ActKind


class Detector(Protocol):
    """Detects one signal, or a few that share their input."""

    @property
    def name(self) -> str:
        """Key under which the state is saved."""
        ...  # pragma: no cover

    @property
    def hears(self) -> tuple[ActKind, ...]:
        """Kinds of acts that the detector receives."""
        ...  # pragma: no cover

    def hear(self, act: Act, pad: Scratchpad) -> None:
        """Process one act of a received kind."""
        ...  # pragma: no cover

    def gather(self, pad: Scratchpad) -> Iterable[Candidate]:
        """Candidates found in the session."""
        ...  # pragma: no cover

    def state(self) -> Any:
        """State as JSON values."""
        ...  # pragma: no cover

    def resume(self, state: Any) -> None:
        """Restore saved state."""
        ...  # pragma: no cover
