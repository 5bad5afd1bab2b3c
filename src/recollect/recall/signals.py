"""A collection under one question: what was surveyed, and every signal as an array over its rows.

The steps of the chain each add signals; nothing is ranked here. Signals that compare with one
another across collections are scaled by the best of all, so that memories and events meet fairly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms
from recollect.index.surroundings import RowNeighbours
from recollect.index.survey import CollectionView
from recollect.index.vector_index import Vector

Array = NDArray[np.float32]
Rows = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

_SELF: frozenset[str] = frozenset({"user", "human", "me"})


@dataclass(slots=True)
class CollectionSignals:
    """One collection with its signals. ``names`` are the words that name its authors."""

    survey: CollectionView
    terms: Sequence[str]
    named: NDArray[np.bool_] | None = None
    names: frozenset[str] = frozenset()
    signals: dict[str, Array] = field(default_factory=dict)
    raw: dict[str, Array] = field(default_factory=dict)
    #: What each signal is multiplied by to compare with the others.
    scales: dict[str, float] = field(default_factory=dict)
    query: Vector | None = None

    @property
    def collection(self) -> str:
        """Its name: memories or events."""
        return self.survey.collection

    @property
    def scanned_in_part(self) -> bool:
        """Whether the vectors were compared by a part of their dimensions."""
        return self.survey.codes is not None and self.survey.codes.model.scanned_in_part

    def __len__(self) -> int:
        return len(self.survey)


def field_of(
    survey: CollectionView, terms: Sequence[str], words: Sequence[str], of_self: bool
) -> CollectionSignals:
    """A survey made ready: who is asked about, and the terms without their names."""
    if survey.beside is None or not len(survey):
        return CollectionSignals(survey, terms)
    named, names = _asked_about(survey.beside, survey.seen, words, of_self)
    dropped = {term for name in names for term in query_terms(name)}
    kept = [term for term in terms if term not in dropped]
    return CollectionSignals(survey, kept or terms, named, names if kept else frozenset())


def lending(values: NDArray[T]) -> NDArray[T]:
    """Values made ready to be lent: the last one, where a link that leads nowhere ends, is none."""
    return np.append(values, np.zeros(1, values.dtype))


def _asked_about(
    beside: RowNeighbours, seen: NDArray[np.bool_], words: Sequence[str], of_self: bool
) -> tuple[NDArray[np.bool_] | None, frozenset[str]]:
    """Which rows were said by whom the question names, and the words that name them."""
    present = beside.once("present", seen, lambda: _present(beside, seen))
    spoken = {word.lower() for word in words}
    spoken |= {word.removesuffix("'s") for word in spoken}
    named: set[int] = set()
    names: set[str] = set()
    for code in present:
        parts = beside.names[code].lower().replace("_", " ").replace(".", " ").split()
        found = spoken.intersection(parts)
        if found:
            named.add(code)
            names |= found
    if not named and of_self:
        named = {code for code in present if beside.names[code].lower() in _SELF}
    if not named or len(named) == len(present):
        return None, frozenset(names)
    chosen = np.zeros(len(beside.names), np.bool_)
    chosen[list(named)] = True
    return chosen[beside.authors], frozenset(names)


def _present(beside: RowNeighbours, seen: NDArray[np.bool_]) -> list[int]:
    """The authors of whom something is seen."""
    count = np.bincount(beside.authors, seen, minlength=len(beside.names))
    return [int(code) for code in np.flatnonzero(count)]
