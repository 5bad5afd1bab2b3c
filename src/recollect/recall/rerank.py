"""The rerank step: a cross-encoder reads the question beside each leader, where one is configured.

What it judged stays above what it did not, in the order of its judgement. One that fails or is too
slow changes nothing, and the answer says so.
"""

from collections.abc import Sequence
from typing import Final

from recollect.inference.reranker import Reranker
from recollect.recall.candidates import RecallCandidate
from recollect.recall.plan import Plan
from recollect.vocabulary.errors import InferenceError

#: How many leaders are read.
JUDGED: Final = 20
SIGNAL: Final = "rerank"


def rerank(candidates: Sequence[RecallCandidate], plan: Plan, reranker: Reranker) -> str | None:
    """Put the leaders in the reranker's order; what was wrong, if it could not be asked."""
    ranked = sorted(candidates, key=lambda one: (-one.relevance, one.collection, one.slot))
    count = max(JUDGED, plan.limit)
    judged = [one for one in ranked[:count] if one.text.strip()]
    if not judged:
        return None
    try:
        scores = reranker.rerank(plan.text, [one.text for one in judged])
    except InferenceError as error:
        return f"Ranked without the reranker: {error.message}"
    chosen = {id(one) for one in judged}
    floor = max((one.relevance for one in ranked if id(one) not in chosen), default=0.0)
    floor = min(max(floor, 0.0), 1.0)
    for one, score in zip(judged, scores, strict=True):
        relevance = floor + (1 - floor) * score
        one.signals[SIGNAL] = score
        one.reranked = relevance - one.relevance
        one.relevance = relevance
    return None
