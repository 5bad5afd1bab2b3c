"""Score boosts from the question itself: the person and the time it names, and longer turns."""

import numpy as np

from recollect.index.surroundings import RowNeighbours
from recollect.recall.signals import Array, CollectionSignals
from recollect.recall.time_expressions import TimeSpan, span_of

_DAY = 86_400 * 1_000_000


def boosts(field: CollectionSignals, text: str) -> TimeSpan | None:
    """Add the boosts that the question asks for beside its words; return the time span that it
    names, or None.
    """
    survey, beside = field.survey, field.survey.beside
    if beside is None or not len(survey) or not survey.seen.any():
        _named_in(field)
        return None
    if field.named is not None:
        field.signals["speaker"] = field.named
    span = span_of(text, lambda: int(beside.moments[survey.seen].max()))
    if span is not None:
        field.signals["time"] = _nearness(beside, span)
    field.signals["length"] = beside.once("fullness", survey.seen, lambda: _fullness(field, beside))
    return span


def _named_in(field: CollectionSignals) -> None:
    """Boost memories that name the person asked about: a memory has no speaker, so the people named
    in its text count as its speakers.
    """
    shown = [
        field.survey.postings[term][0] for term in field.names if term in field.survey.postings
    ]
    if shown:
        speaker = np.zeros(len(field), np.float32)
        speaker[np.concatenate(shown)] = 1
        field.signals["speaker"] = speaker


def _nearness(beside: RowNeighbours, span: TimeSpan) -> Array:
    """Nearness of each row to the time span: 1 inside it, less with distance, on a scale that grows
    with the span.
    """
    scale = min(max((span.end - span.start) / 2, 7 * _DAY), 30 * _DAY)
    away = np.maximum(span.start - beside.moments, beside.moments - span.end + 1)
    return np.exp(-np.maximum(away, 0) / scale).astype(np.float32)


def _fullness(field: CollectionSignals, beside: RowNeighbours) -> Array:
    """How much longer a row is than the average row of its author, as a logarithm."""
    seen = field.survey.seen
    lengths = np.log1p(field.survey.lengths.astype(np.float32))
    authors = beside.authors
    sums = np.bincount(authors, lengths * seen, minlength=len(beside.names) + 1)
    counts = np.bincount(authors, seen, minlength=len(beside.names) + 1)
    usual = (sums / np.maximum(counts, 1)).astype(np.float32)
    return np.clip(lengths - usual[authors], -1.5, 1.5)
