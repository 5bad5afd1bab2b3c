"""Disputes: somebody doubts a memory, others comment, somebody decides."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class DisputeResolution(StrEnum):
    """How a dispute ended."""

    UPDATED = "updated"  # the memory was changed
    CONFIRMED = "confirmed"  # the memory is right as it is
    WITHDRAWN = "withdrawn"  # the person who opened it withdrew it


@dataclass(frozen=True, slots=True)
class DisputeComment:
    """One person's comment in a dispute."""

    id: str
    author: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute over one memory, with all its comments.

    While it is open the memory counts for less. Stewards decide it; an escalated one is decided by
    an owner of the space.
    """

    id: str
    memory_id: str
    opened_by: str
    opened_at: datetime
    comments: tuple[DisputeComment, ...] = ()
    escalated_by: str | None = None
    escalated_at: datetime | None = None
    resolution: DisputeResolution | None = None
    resolved_by: str | None = None
    resolved_at: datetime | None = None
    #: Who is to decide it: the stewards of the space, or its owners.
    waits_for: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """``open``, ``escalated``, or how it was resolved."""
        if self.resolution is not None:
            return self.resolution.value
        return "open" if self.escalated_at is None else "escalated"
