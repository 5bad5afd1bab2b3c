"""Reranking: a configured cross-encoder scores the question with each leading candidate.

Reranked candidates stay above the others, in the order of the reranker. A reranker that fails or is
too slow changes nothing, and the answer reports that.
"""

from collections.abc import Sequence
from typing import Final

from recollect.inference.reranker import Reranker
from recollect.recall.candidates import RecallCandidate
from recollect.recall.plan import Plan
from recollect.vocabulary.errors import InferenceError

#: Number of leading candidates that are reranked; more where the limit is higher.
JUDGED: Final = 20
SIGNAL: Final = "rerank"


def rerank(candidates: Sequence[RecallCandidate], plan: Plan, reranker: Reranker) -> str | None:
    """Put the leading candidates in the reranker's order; return the error, if it could not be
    asked.
    """
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
