"""Explanation of a recall: parts of each result's relevance, its factors, dropped candidates."""

from collections.abc import Sequence
from typing import Final

from recollect.recall.candidates import RecallCandidate
from recollect.recall.profiles import SIGNALS
from recollect.vocabulary.results import Dropped, ScorePart, Why

_DROPPED_SHOWN: Final = 20
_TEXT_SHOWN: Final = 200


def why(one: RecallCandidate) -> Why:
    """Each signal that speaks for a candidate, strongest first."""
    if one.collection == "chunks" or one.row < 0:
        told = [ScorePart(name, value, 1.0, value) for name, value in one.parts.items()]
        return Why(tuple(sorted(told, key=lambda p: -p.share)), one.relevance, dict(one.factors))
    weights = one.weights
    shares = one.parts or {
        name: share * one.signals[name] for name, share in one.shares.items() if name in one.signals
    }
    parts = [
        ScorePart(name, _value(one, name), weights[name], share)
        for name, share in shares.items()
        if share
    ]
    if one.reranked:
        parts.append(ScorePart("rerank", _value(one, "rerank"), 1.0, one.reranked))
    if one.from_neighbours:
        parts.append(ScorePart("neighbours", one.from_neighbours, 1.0, one.from_neighbours))
    order = list(SIGNALS)
    parts.sort(key=lambda part: (-abs(part.share), order.index(part.signal)))
    return Why(tuple(parts), one.relevance, dict(one.factors))


def dropped(candidates: Sequence[RecallCandidate], limit: int) -> tuple[Dropped, ...]:
    """The best candidates that were ranked and not returned."""
    lost = [
        Dropped(
            one.item_id,
            one.text[:_TEXT_SHOWN],
            one.score,
            one.dropped or f"ranked {rank}, and {limit} were asked for",
        )
        for rank, one in enumerate(candidates, limit + 1)
        if one.item_id
    ]
    return tuple(lost[:_DROPPED_SHOWN])


def absent(candidates: Sequence[RecallCandidate], *, graph: bool) -> list[str]:
    """The signals that could not contribute because their data does not exist yet; ``graph`` is
    whether there is code.
    """
    kept = [one.ranking_fields for one in candidates if one.ranking_fields is not None]
    notes = []
    if kept and not any(fields.access_count for fields in kept):
        notes.append("nothing of this was served before: frequency says nothing yet")
    if kept and not graph:
        notes.append("no graph of files: what neighbours the leaders is not known")
    return notes


def _value(one: RecallCandidate, name: str) -> float:
    return one.signals.get(name, 0.0)
