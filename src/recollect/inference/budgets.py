"""Monthly budgets for paid calls, and the record of what each call cost.

Every paid call is checked and counted in one statement before it is made, and its cost is recorded
after. When a budget is used up the call is refused, and the caller does without it.
"""

import calendar
from datetime import datetime
from typing import Final

from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.database import Database, Transaction
from recollect.storage.inference import budgets
from recollect.vocabulary.arguments import amount, shown
from recollect.vocabulary.budgets import Budget
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.ids import CALL, new_id

#: Monthly limits where nobody set one; None for no limit.
DEFAULTS: Final[dict[str, float | None]] = {
    "embeddings": 10_000,
    "enrichments": 500,
    "queries": 1_000,
    "iterations": 300,
    "cents": 10_000,
}


LARGEST_BUDGET: Final = 1e12


class Spending:
    """Budgets and costs, by space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def spend(self, space_id: str, kind: str, count: float = 1) -> bool:
        """Spend ``count`` of this month's budget, if it fits; whether it did."""
        month, allowed = month_of(self._clock()), DEFAULTS[known(kind)]

        def work(transaction: Transaction) -> bool:
            acquire_locks(transaction, [space_id])
            return budgets.spend(transaction, space_id, kind, count, month=month, allowed=allowed)

        return self._database.write(work, all_spaces=True)

    def within(self, space_id: str, kind: str) -> bool:
        """Whether anything is left of this month's budget."""
        return self.left(space_id, kind) > 0

    def left(self, space_id: str, kind: str) -> float:
        """How much is left of this month's budget; infinite where there is no limit."""
        found = {one.kind: one for one in self.budgets(space_id)}[known(kind)]
        return float("inf") if found.allowed is None else max(0.0, found.allowed - found.used)

    def ease(self, space_id: str, kind: str) -> float:
        """Share of the budget that is left, relative to the share of the month that is left: 1 is
        on course.
        """
        now = self._clock()
        found = {one.kind: one for one in self.budgets(space_id)}[known(kind)]
        if found.allowed is None:
            return float("inf")
        days = calendar.monthrange(now.year, now.month)[1]
        share = found.allowed * (days - now.day + 1) / days
        return max(0.0, found.allowed - found.used) / share if share else 0.0

    def budgets(self, space_id: str) -> tuple[Budget, ...]:
        """Every budget of a space, for this month."""
        month = month_of(self._clock())
        with self._database.reading(all_spaces=True) as transaction:
            kept = {one.kind: one for one in budgets.budgets_of(transaction, space_id, month)}
        return tuple(
            kept.get(kind, Budget(kind, month, 0.0, allowed)) for kind, allowed in DEFAULTS.items()
        )

    def allow(self, space_id: str, kind: str, allowed: float | None) -> None:
        """Set the monthly limit of a kind; None for no limit."""
        if allowed is not None:
            amount(allowed, 0, LARGEST_BUDGET, "A budget is")
        month = month_of(self._clock())
        name = known(kind)
        self._database.write(
            lambda transaction: budgets.allow(transaction, space_id, name, allowed, month),
            all_spaces=True,
        )

    def record(
        self,
        space_id: str,
        *,
        task: str,
        model: str,
        tokens: tuple[int, int],
        cents: float,
        outcome: str,
    ) -> None:
        """Record what a call cost and how it ended. The cents are counted even past the limit: the
        call was made.
        """
        now = self._clock()
        month = month_of(now)
        call = {
            "call_id": new_id(CALL, now),
            "task": task,
            "model": model,
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "cents": cents,
            "outcome": outcome,
            "at": now,
        }

        def work(transaction: Transaction) -> None:
            budgets.add_call(transaction, space_id, call)
            if cents:
                budgets.spend_unchecked(
                    transaction, space_id, "cents", cents, month=month, allowed=DEFAULTS["cents"]
                )

        self._database.write(work, all_spaces=True)


def month_of(moment: datetime) -> str:
    """The month of a time, as named in budgets."""
    return f"{moment:%Y-%m}"


def known(kind: object) -> str:
    """The kind itself, if there is a budget of it; otherwise an error."""
    if not isinstance(kind, str) or kind not in DEFAULTS:
        raise InvalidInput(
            f"There is no budget {shown(kind)}.", hint=f"There are: {', '.join(DEFAULTS)}."
        )
    return kind
