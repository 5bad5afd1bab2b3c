"""A space at a glance for people who look after it, through the same filter as every read."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from recollect.storage.database import Database
from recollect.storage.memories import overview
from recollect.storage.search import usage_log
from recollect.trust.visibility import authorise
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.overview import DayCount, Overview
from recollect.vocabulary.spaces import Space

ACTIVE_DAYS: Final = 30
CHART_DAYS: Final = 60
_MODULES: Final = 12
_ACTIVITY: Final = 15
_EPOCH: Final = date(1970, 1, 1)


class SpaceOverview:
    """Counts what a viewer sees in a space."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def overview(self, viewer: Viewer, space: Space) -> Overview:
        """Counts, coverage by module, the last days, and what happened last."""
        now = self._clock()
        first = (now - timedelta(days=CHART_DAYS - 1)).date()
        since = datetime(first.year, first.month, first.day, tzinfo=UTC)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            written = overview.count_written(transaction, access, since)
            asked = usage_log.count_asked(transaction, access, since)
            return Overview(
                counts=overview.count_states(
                    transaction, access, now - timedelta(days=ACTIVE_DAYS)
                ),
                by_type=overview.count_types(transaction, access),
                modules=tuple(overview.count_modules(transaction, access, _MODULES)),
                days=tuple(
                    DayCount(day, written.get(number, 0), asked.get(number, 0))
                    for day, number in _days(first)
                ),
                activity=tuple(overview.latest_activity(transaction, access, _ACTIVITY)),
            )


def _days(first: date) -> list[tuple[date, int]]:
    """Each day of the chart with its number since 1970."""
    days = [first + timedelta(days=step) for step in range(CHART_DAYS)]
    return [(day, (day - _EPOCH).days) for day in days]
