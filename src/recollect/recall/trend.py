"""How often something came up over time: what a question finds, counted by stretches of days."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found, Stretch, Trend

STRETCHES: Final = 10
#: What scores less than this share of the best is not about it.
ABOUT: Final = 0.5
NEAR: Final = 0.35
#: How much more, or less, the later half must hold to be called so.
_TELLING: Final = 1.25


def trend_of(query: str, found: Sequence[Found], start: datetime, end: datetime) -> Trend:
    """The found that are about it, counted in stretches of equal length, and where it goes."""
    best = max((hit.score for hit in found), default=0.0)
    about = [hit for hit in found if best > 0 and hit.score >= ABOUT * best and _speaks(hit)]
    length = (end - start) / STRETCHES
    counts = [0] * STRETCHES
    for hit in about:
        place = int((moment_of(hit) - start) / length)
        counts[max(0, min(STRETCHES - 1, place))] += 1
    stretches = tuple(
        Stretch(start + number * length, start + (number + 1) * length, count)
        for number, count in enumerate(counts)
    )
    return Trend(query, stretches, _direction(counts), sum(counts))


def _speaks(hit: Found) -> bool:
    """Whether it is about it by itself, and not only by what stands around it."""
    return hit.keyword_score is not None or (hit.vector_score or 0.0) >= NEAR


def moment_of(hit: Found) -> datetime:
    """When it happened, or was made; code is always now."""
    if isinstance(hit.item, Event):
        return hit.item.occurred_at
    return hit.item.created_at if isinstance(hit.item, Memory) else datetime.max.replace(tzinfo=UTC)


def window(now: datetime, days: float) -> datetime:
    """The beginning of the days that end now."""
    return now - timedelta(days=days)


def _direction(counts: Sequence[int]) -> str:
    earlier, later = sum(counts[: STRETCHES // 2]), sum(counts[STRETCHES // 2 :])
    if later > _TELLING * earlier:
        return "rising"
    return "falling" if earlier > _TELLING * later else "steady"
