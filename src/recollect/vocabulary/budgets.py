"""Monthly budgets for model calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limit and spending of one kind in a month."""

    kind: str
    month: str
    used: float
    allowed: float | None
