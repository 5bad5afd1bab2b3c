"""Trend of a topic over time: the results of a question, counted in equal periods."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Filters, Found, Trend, TrendPeriod

BUCKETS: Final = 10
#: A result counts when it scores at least this share of the best ...
_LEAST_SHARE_OF_BEST: Final = 0.5
#: ... and holds a word of the question, or has at least this cosine with it.
_LEAST_COSINE: Final = 0.35
#: Ratio between the later and the earlier half from which a trend counts as rising or falling.
_CHANGE_RATIO: Final = 1.25


def trend_of(query: str, found: Sequence[Found], start: datetime, end: datetime) -> Trend:
    """Count the results that match the question in ten equal periods, and name the direction."""
    best = max((hit.score for hit in found), default=0.0)
    enough = _LEAST_SHARE_OF_BEST * best
    about = [hit for hit in found if best > 0 and hit.score >= enough and _matches_itself(hit)]
    length = (end - start) / BUCKETS
    counts = [0] * BUCKETS
    for hit in about:
        place = int((moment_of(hit) - start) / length)
        counts[max(0, min(BUCKETS - 1, place))] += 1
    stretches = tuple(
        TrendPeriod(start + number * length, start + (number + 1) * length, count)
        for number, count in enumerate(counts)
    )
    return Trend(query, stretches, _direction(counts), sum(counts))


def _matches_itself(hit: Found) -> bool:
    """Whether the result itself matches, and not only its neighbours in the conversation."""
    return hit.keyword_score is not None or (hit.vector_score or 0.0) >= _LEAST_COSINE


def moment_of(hit: Found) -> datetime:
    """Time at which an event happened or a memory was made; code is always now."""
    if isinstance(hit.item, Event):
        return hit.item.occurred_at
    return hit.item.created_at if isinstance(hit.item, Memory) else datetime.max.replace(tzinfo=UTC)


def period(filters: Filters, days: float, now: datetime) -> tuple[datetime, datetime]:
    """Start and end of the time to count in: what the filters ask for, else this many days.

    Without ``created_before`` it ends at the time whose state is asked for (``as_of``), or now.
    """
    end = filters.created_before or filters.as_of or now
    start = filters.created_after or end - timedelta(days=days)
    if start >= end:
        raise InvalidInput(
            f"A trend cannot start at {start:%Y-%m-%d %H:%M} and end at {end:%Y-%m-%d %H:%M}.",
            hint="Give a start that is before the end.",
        )
    return start, end


def _direction(counts: Sequence[int]) -> str:
    earlier, later = sum(counts[: BUCKETS // 2]), sum(counts[BUCKETS // 2 :])
    if later > _CHANGE_RATIO * earlier:
        return "rising"
    return "falling" if earlier > _CHANGE_RATIO * later else "steady"
