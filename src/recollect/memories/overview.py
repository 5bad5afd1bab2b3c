"""Overview of a space for its maintainers, through the same visibility filter as every read."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from typing import Final

from recollect.storage.access.visibility_filter import visible_ids
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import contradictions, overview
from recollect.storage.pages import events, spaces, streams
from recollect.storage.search import usage_log
from recollect.trust.visibility import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.overview import DayCount, Overview
from recollect.vocabulary.spaces import Space

ACTIVE_DAYS: Final = 30
CHART_DAYS: Final = 60
_MODULES: Final = 12
_ACTIVITY: Final = 15
_KEPT: Final = 64  # overviews, each of a person in a space
_EPOCH: Final = date(1970, 1, 1)


class SpaceOverview:
    """Counts what a viewer sees in a space.

    The counts are cached until the space's clock or the viewer's visibility changes, and for a
    minute at most, because the clock does not move when a memory is merely used.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[Hashable, Overview]] = OrderedDict()
        self._lock = Lock()
        self._locks = tuple(Lock() for _ in range(_KEPT))

    def overview(self, viewer: Viewer, space: Space) -> Overview:
        """Counts, coverage by module, the last days, and the latest events."""
        now = self._clock()
        first = (now - timedelta(days=CHART_DAYS - 1)).date()
        since = datetime(first.year, first.month, first.day, tzinfo=UTC)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            asked = usage_log.count_asked(transaction, access, since)
            sight = tuple(visible_ids(transaction, access))
            contradictory = contradictions.count_open(transaction, access)
            clock = spaces.number_and_clock(transaction, space.id)
            state = access, sight, clock, now.replace(second=0, microsecond=0)
            key = viewer.user, space.id
            with self._counting(key):  # pages that ask at once wait for one count
                known = self._kept.get(key)
                if known is not None and known[0] == state:
                    seen = known[1]
                else:
                    seen = _counted(transaction, access, now, since)
                    self._keep(key, state, seen)
        days = (replace(day, asked=asked.get((day.day - _EPOCH).days, 0)) for day in seen.days)
        counts = replace(seen.counts, contradictions=contradictory)
        return replace(seen, counts=counts, days=tuple(days))

    def _counting(self, key: tuple[str, str]) -> Lock:
        return self._locks[hash(key) % len(self._locks)]

    def _keep(self, key: tuple[str, str], state: Hashable, seen: Overview) -> None:
        with self._lock:
            self._kept[key] = state, seen
            self._kept.move_to_end(key)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _counted(transaction: Transaction, access: Access, now: datetime, since: datetime) -> Overview:
    seen = overview.count_memories_seen(
        transaction, access, active=now - timedelta(days=ACTIVE_DAYS), written=since
    )
    return Overview(
        counts=seen.states,
        by_type=seen.types,
        modules=tuple(overview.count_modules(transaction, access, _MODULES)),
        days=tuple(
            DayCount(day, seen.written.get(number, 0), 0) for day, number in _days(since.date())
        ),
        activity=tuple(overview.latest_activity(transaction, access, _ACTIVITY)),
        events=events.count_events(transaction, access),
        streams=streams.count_streams(transaction, access),
    )


def _days(first: date) -> list[tuple[date, int]]:
    """Days of the chart, each with its number since 1970."""
    days = [first + timedelta(days=step) for step in range(CHART_DAYS)]
    return [(day, (day - _EPOCH).days) for day in days]
