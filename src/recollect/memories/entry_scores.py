"""Scores of an entry for trimming a full memory: relevance, recency and importance.

Recency falls by a factor of e in seven days. Relevance is the value of the latest recall, or zero.
"""

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from recollect.vocabulary.personal import Scores

TAU: Final = timedelta(days=7)
FRESH: Final = timedelta(hours=24)


def scores(
    importance: float, created_at: datetime, now: datetime, relevance: float = 0.0
) -> "Scores":
    """Current scores of an entry. After the clock was set back, a future entry counts as new."""
    from recollect.vocabulary.personal import Scores

    age = max(0.0, (now - created_at) / TAU)
    recency = math.exp(-age)
    return Scores(relevance, recency, importance, relevance + recency + importance, now)
