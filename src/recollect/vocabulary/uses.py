"""Uses of served memories: through which channel, and whether cited, ignored or edited."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Channel(StrEnum):
    """Where a memory was served."""

    RECALL = "recall"
    AGENTS = "agents"
    ASSEMBLE = "assemble"
    RESEARCH = "research"
    CHAT = "chat"


class Usage(StrEnum):
    """How a memory was used after it was served."""

    SERVED = "served"
    CITED = "cited"
    IGNORED = "ignored"  # skipped, or the actions went against it
    EDITED = "edited"  # its subject was changed after it was served


@dataclass(frozen=True, slots=True)
class UseCounts:
    """Number of each kind of use."""

    served: int = 0
    cited: int = 0
    ignored: int = 0
    edited: int = 0


@dataclass(frozen=True, slots=True)
class PredictionFigures:
    """Predictions of one kind: how many were made, how many of the settled ones came true."""

    predicted: int = 0
    used: int = 0
    pending: int = 0

    @property
    def accuracy(self) -> float | None:
        """The share that came true, of those whose day is over; None before the first is."""
        settled = self.predicted - self.pending
        return round(self.used / settled, 4) if settled > 0 else None


@dataclass(frozen=True, slots=True)
class UseFigures:
    """Totals of the ledger: by channel, and predictions by their signal."""

    channels: Mapping[str, UseCounts] = field(default_factory=dict)
    predictions: Mapping[str, PredictionFigures] = field(default_factory=dict)
