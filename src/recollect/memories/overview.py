"""Overview of a space for its maintainers, through the same visibility filter as every read."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from threading import Lock
from time import monotonic, thread_time
from typing import Final, NamedTuple

from recollect.storage.access.visibility_filter import visible_ids
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import contradictions, overview, reads
from recollect.storage.pages import events, streams
from recollect.storage.search import usage_log
from recollect.storage.space_clock import number_and_clock
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.overview import Activity, DayCount, Overview
from recollect.vocabulary.spaces import Space

ACTIVE_DAYS: Final = 30
CHART_DAYS: Final = 60
_MODULES: Final = 12
_ACTIVITY: Final = 15
_KEPT: Final = 64  # overviews, each of a person in a space
_REST: Final = 40.0  # counts are used for so many times what they cost
_CHEAP: Final = 0.05  # seconds of processor time below which counts are always current
_SOON: Final = 1.0  # seconds
_OLDEST: Final = timedelta(minutes=1)  # how old counts are at most, by the engine's clock
_EPOCH: Final = date(1970, 1, 1)


class _CountedState(NamedTuple):
    """What counts are valid for: the number of the last change of the space, and the minute."""

    change: Hashable
    minute: datetime


class _Count(NamedTuple):
    """Counts with what they hold for: whose access, which change of the space and minute, made
    when, for how many seconds of processor time.
    """

    sight: Hashable
    state: _CountedState
    seen: Overview
    made: float
    cost: float

    @property
    def rest(self) -> float:
        """Seconds after which newer counts are worth their cost."""
        return _REST * self.cost if self.cost > _CHEAP else 0.0


class SpaceOverview:
    """Counts what a viewer sees in a space.

    The counts are cached until the space's clock or the viewer's visibility changes, and for a
    minute at most, because the clock does not move when a memory is merely used. In a large space
    that changes all the time they may be some seconds old, and say so: counting anew, for whoever
    looks, takes a fortieth of the time at most. A first sight is always counted.
    """

    def __init__(
        self, database: Database, clock: Clock, timer: Callable[[], float] = monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._timer = timer
        self._kept: OrderedDict[tuple[str, str], _Count] = OrderedDict()
        self._lock = Lock()
        self._free_at = 0.0  # when counts that are not current are made again
        self._counting = tuple(Lock() for _ in range(_KEPT))

    def overview(self, viewer: Viewer, space: Space) -> Overview:
        """Counts, coverage by module, the last days, and the latest events."""
        now = self._clock()
        first = (now - timedelta(days=CHART_DAYS - 1)).date()
        since = datetime(first.year, first.month, first.day, tzinfo=UTC)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            asked = usage_log.count_asked(transaction, access, since)
            contradictory = contradictions.count_open(transaction, access)
            sight = access, tuple(visible_ids(transaction, access))
            clock = number_and_clock(transaction, space.id)
            state = _CountedState(clock, now.replace(second=0, microsecond=0))
            key = viewer.user, space.id
            known = self._count(
                key, sight, state, lambda: _counted(transaction, access, now, since)
            )
            seen, again_in = known.seen, 0.0
            if known.state != state:
                again_in = max(self._free_at - self._timer(), _SOON)
                seen = replace(seen, activity=_without_deleted(transaction, access, seen.activity))
        days = (replace(day, asked=asked.get((day.day - _EPOCH).days, 0)) for day in seen.days)
        counts = replace(seen.counts, contradictions=contradictory)
        return replace(seen, counts=counts, days=tuple(days), again_in=again_in)

    def _count(
        self,
        key: tuple[str, str],
        sight: Hashable,
        state: _CountedState,
        make: Callable[[], Overview],
    ) -> _Count:
        """The counts to show: the last ones while they are valid, else new ones; only one thread
        counts at a time.
        """
        usable = self._usable(key, sight, state)
        if usable is not None:
            return usable
        older = self._stands_for(key, sight)
        counting = self._counting[hash(key) % _KEPT]
        if not counting.acquire(blocking=older is None) and older is not None:
            return older
        try:
            made = self._usable(key, sight, state)  # by whoever was counting until now
            if made is None:
                begun = thread_time()
                seen = make()
                made = _Count(sight, state, seen, self._timer(), thread_time() - begun)
                self._keep(key, made)
                self._free_at = made.made + made.rest
            return made
        finally:
            counting.release()

    def _stands_for(self, key: tuple[str, str], sight: Hashable) -> _Count | None:
        """The last counts, if they were made for the same access."""
        known = self._kept.get(key)
        return known if known is not None and known.sight == sight else None

    def _usable(self, key: tuple[str, str], sight: Hashable, state: _CountedState) -> _Count | None:
        """The last counts, if they are current, or too young to be made again."""
        known = self._stands_for(key, sight)
        if known is None or known.state == state:
            return known
        rests = self._timer() < self._free_at and abs(state.minute - known.state.minute) <= _OLDEST
        return known if rests else None

    def _keep(self, key: tuple[str, str], count: _Count) -> None:
        with self._lock:
            self._kept[key] = count
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


def _without_deleted(
    transaction: Transaction, access: Access, activity: Sequence[Activity]
) -> tuple[Activity, ...]:
    """Earlier activity without deleted memories, each with its current text."""
    found = reads.get_memories(transaction, access, [one.memory.id for one in activity])
    return tuple(
        replace(one, memory=found[one.memory.id]) for one in activity if one.memory.id in found
    )


def _days(first: date) -> list[tuple[date, int]]:
    """Days of the chart, each with its number since 1970."""
    days = [first + timedelta(days=step) for step in range(CHART_DAYS)]
    return [(day, (day - _EPOCH).days) for day in days]
