"""What may be spent on models in a month, and what was."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent of one kind in a month, and what was."""

    kind: str
    month: str
    used: float
    allowed: float | None
