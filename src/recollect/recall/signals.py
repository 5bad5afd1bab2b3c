"""Signals of a collection for one question: the survey, and every signal as an array over its rows.

Each step of a recall adds signals; nothing is ranked here. Signals that are comparable across
collections are scaled by the best of all, so that memories and events compare fairly.
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
from recollect.recall.named_people import Texts, named_authors
from recollect.recall.plan import Plan

Array = NDArray[np.float32]
Rows = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

#: Names that programs use for the person who asks, and for the one who answers.
_SELF: Final = frozenset({"user", "human", "me"})
_ANSWERS: Final = frozenset({"assistant", "ai", "bot", "model", "chatbot", "agent"})
#: Weight of the asker's own turns where a question does not say whom it is about.
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
    #: Factor that makes each signal comparable with the others.
    scales: dict[str, float] = field(default_factory=dict)
    query: Vector | None = None
    #: The rows that the asker said, where the asker is known.
    own: NDArray[np.bool_] | None = None

    @property
    def collection(self) -> str:
        """Name of the collection: memories or events."""
        return self.survey.collection

    @property
    def scanned_in_part(self) -> bool:
        """Whether only a part of the vectors' dimensions was compared."""
        codes = self.survey.codes
        return codes is not None and codes.model.scanned < codes.model.dims

    def __len__(self) -> int:
        return len(self.survey)


def field_of(
    survey: CollectionView, plan: Plan, words: Sequence[str], texts: Texts | None = None
) -> CollectionSignals:
    """The signals of a survey before any step: the people asked about, and the terms without their
    names. ``texts`` reads what stands at slots, where a name may be a form of address.
    """
    terms = plan.terms
    if survey.beside is None or not len(survey):
        return CollectionSignals(survey, terms)
    named, names = _asked_about(survey, survey.beside, words, texts)
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
    """The values with a zero appended: a link that leads nowhere points at this last place."""
    lent = np.empty(len(values) + 1, values.dtype)
    lent[:-1], lent[-1] = values, 0
    return lent


def _asked_about(
    survey: CollectionView, beside: RowNeighbours, words: Sequence[str], texts: Texts | None
) -> tuple[Array | None, frozenset[str]]:
    """The weight of each row by whom the question names, and the words that name them."""
    present = beside.once("present", survey.seen, lambda: _present(beside, survey.seen))
    named, names = named_authors(survey, beside, present, words, texts)
    if not named or (len(named) == len(present) and min(named.values()) == 1):
        return None, names
    weights = np.zeros(len(beside.names), np.float32)
    weights[list(named)] = list(named.values())
    return weights[beside.authors], names


def _roles(beside: RowNeighbours, seen: NDArray[np.bool_]) -> tuple[NDArray[np.bool_] | None, bool]:
    """The rows of the asker, where these are only some of the rows; and whether a program answers
    there.
    """

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
    """The authors with at least one visible row."""
    count = np.bincount(beside.authors, seen, minlength=len(beside.names))
    return [int(code) for code in np.flatnonzero(count)]
