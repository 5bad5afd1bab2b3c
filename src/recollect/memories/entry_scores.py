"""The three scores of an entry, by which a full memory is trimmed: relevance, recency, importance.

Recency fades by e in seven days. Relevance is what recall found last, or nothing.
"""

import math
from datetime import datetime, timedelta
from typing import Final

from recollect.vocabulary.personal import Scores

TAU: Final = timedelta(days=7)
FRESH: Final = timedelta(hours=24)


def scores(
    importance: float, created_at: datetime, now: datetime, relevance: float = 0.0
) -> Scores:
    """The scores of an entry now. A clock that was set back makes nothing older than new."""
    age = max(0.0, (now - created_at) / TAU)
    recency = math.exp(-age)
    return Scores(relevance, recency, importance, relevance + recency + importance, now)
