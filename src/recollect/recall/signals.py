"""A collection under one question: what was surveyed, and every signal as an array over its rows.

The steps of the chain each add signals; nothing is ranked here. Signals that compare with one
another across collections are scaled by the best of all, so that memories and events meet fairly.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.index.analyser import query_terms
from recollect.index.search_index import CollectionView
from recollect.index.surroundings import RowNeighbours
from recollect.index.vector_index import Vector
from recollect.recall.plan import Plan

Array = NDArray[np.float32]
Rows = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

#: What programs call the one who asks, and the one who answers.
_SELF: Final = frozenset({"user", "human", "me"})
_ANSWERS: Final = frozenset({"assistant", "ai", "bot", "model", "chatbot", "agent"})
#: What the asker's own turns count where a question does not say whom it is about.
_UNSAID: Final = 0.5


@dataclass(slots=True)
class CollectionSignals:
    """One collection with its signals. ``names`` are the words that name its authors."""

    survey: CollectionView
    terms: Sequence[str]
    named: Array | None = None
    names: frozenset[str] = frozenset()
    signals: dict[str, Array] = field(default_factory=dict)
    raw: dict[str, Array] = field(default_factory=dict)
    #: What each signal is multiplied by to compare with the others.
    scales: dict[str, float] = field(default_factory=dict)
    query: Vector | None = None
    #: The rows that the asker said, where it is known who that is.
    own: NDArray[np.bool_] | None = None

    @property
    def collection(self) -> str:
        """Its name: memories or events."""
        return self.survey.collection

    @property
    def scanned_in_part(self) -> bool:
        """Whether the vectors were compared by a part of their dimensions."""
        codes = self.survey.codes
        return codes is not None and codes.model.scanned < codes.model.dims

    def __len__(self) -> int:
        return len(self.survey)


def field_of(survey: CollectionView, plan: Plan, words: Sequence[str]) -> CollectionSignals:
    """A survey made ready: who is asked about, and the terms without their names."""
    terms = plan.terms
    if survey.beside is None or not len(survey):
        return CollectionSignals(survey, terms)
    named, names = _asked_about(survey.beside, survey.seen, words)
    own, answered = _roles(survey.beside, survey.seen)
    if named is None and not names and own is not None and not plan.of_other:
        if plan.of_self:
            named = own.astype(np.float32)
        elif answered:
            named = own * np.float32(_UNSAID)
    dropped = {term for name in names for term in query_terms(name)}
    kept = [term for term in terms if term not in dropped]
    names = names if kept else frozenset()
    return CollectionSignals(survey, kept or terms, named, names, own=own)


def lending(values: NDArray[T]) -> NDArray[T]:
    """Values made ready to be lent: the last one, where a link that leads nowhere ends, is none."""
    return np.append(values, np.zeros(1, values.dtype))


def _asked_about(
    beside: RowNeighbours, seen: NDArray[np.bool_], words: Sequence[str]
) -> tuple[Array | None, frozenset[str]]:
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
    if not named or len(named) == len(present):
        return None, frozenset(names)
    return _said_by(beside, named).astype(np.float32), frozenset(names)


def _roles(beside: RowNeighbours, seen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_] | None, bool]:
    """The rows of the one who asks, where that is some of them; whether a program answers there."""

    def work() -> tuple[NDArray[np.bool_] | None, bool]:
        present = beside.once("present", seen, lambda: _present(beside, seen))
        own = {code for code in present if beside.names[code].lower() in _SELF}
        if not own or len(own) == len(present):
            return None, False
        answered = any(beside.names[code].lower() in _ANSWERS for code in present)
        return _said_by(beside, own), answered

    return beside.once("roles", seen, work)


def _said_by(beside: RowNeighbours, codes: Collection[int]) -> NDArray[np.bool_]:
    chosen = np.zeros(len(beside.names), np.bool_)
    chosen[list(codes)] = True
    return chosen[beside.authors]


def _present(beside: RowNeighbours, seen: NDArray[np.bool_]) -> list[int]:
    """The authors of whom something is seen."""
    count = np.bincount(beside.authors, seen, minlength=len(beside.names))
    return [int(code) for code in np.flatnonzero(count)]
