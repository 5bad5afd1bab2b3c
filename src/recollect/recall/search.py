"""Finds what a question is about: one leg by words, one by meaning, fused by their scores.

Each leg's scores are scaled by its best, so that a strong leg is not diluted by a weak one. A leg
that cannot answer is named in the result and the other answers alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from recollect.inference.indexer import Indexer
from recollect.storage import events, memories, places
from recollect.storage.analyser import query_terms
from recollect.storage.database import Database, Transaction
from recollect.storage.search_index import SearchIndex
from recollect.storage.vector_index import Vector, VectorModel
from recollect.trust.visibility import look
from recollect.vocabulary.audiences import Sight, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InferenceError, InvalidInput, InvalidText
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.numbers import shown, whole
from recollect.vocabulary.results import Filters, Found, Recalled
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.text import repaired_text

KEYWORD_WEIGHT: Final = 0.6
VECTOR_WEIGHT: Final = 0.4
NEAR_ENOUGH: Final = 0.25
LIMIT: Final = 1_000
_CANDIDATES: Final = 30
_TERMS: Final = 64
_QUERY_CHARACTERS: Final = 10_000

COLLECTIONS: Final = {"memory": "memories", "event": "events"}


class Question(NamedTuple):
    """A query made ready: its terms, its vector, and what may be returned."""

    text: str
    terms: list[str]
    vector: tuple[VectorModel, Vector] | None
    filters: Filters
    limit: int


class Candidate(NamedTuple):
    """One slot and what each leg says of it."""

    collection: str
    slot: int
    keyword: float | None
    keyword_rank: int | None
    vector: float | None
    vector_rank: int | None


class Recall:
    """Asks both legs of the index and puts their answers together."""

    def __init__(
        self, database: Database, index: SearchIndex, indexer: Indexer, clock: Clock
    ) -> None:
        self._database = database
        self._index = index
        self._indexer = indexer
        self._clock = clock

    def search(
        self,
        viewer: Viewer,
        space: Space,
        query: str,
        *,
        kinds: Collection[str],
        filters: Filters,
        limit: int,
    ) -> Recalled:
        """The best that the viewer may see."""
        collections = _collections(kinds, filters)
        question, missing = self._ask(query, filters, limit)
        with self._database.reading() as transaction:
            sight = look(transaction, viewer, space)
            candidates = [
                candidate
                for collection in collections
                for candidate in self._candidates(transaction, sight, collection, question)
            ]
            ranked = fuse(candidates)[:limit]
            found = _hydrated(transaction, sight, ranked)
        if not sight.member:
            missing += (f"{viewer.user} does not belong to the space {space.name!r}",)
        return Recalled(query, found, missing)

    def _ask(self, query: str, filters: Filters, limit: int) -> tuple[Question, tuple[str, ...]]:
        text = repaired_text(query, "query")[:_QUERY_CHARACTERS]
        if not query.strip():
            raise InvalidText("The query is empty.")
        whole(limit, 1, LIMIT, "recall returns")
        vector: tuple[VectorModel, Vector] | None = None
        missing: tuple[str, ...] = ()
        try:
            vector = self._indexer.question(text)
        except InferenceError as error:
            missing = (f"vectors: {error.message}",)
        return Question(text, query_terms(text)[:_TERMS], vector, filters, limit), missing

    def _candidates(
        self, transaction: Transaction, sight: Sight, collection: str, question: Question
    ) -> list[Candidate]:
        now = to_microseconds(self._clock())
        filters = question.filters
        moment = None if filters.superseded or filters.as_of else now
        slots = _let_through(transaction, sight, collection, filters, now)
        depth = max(_CANDIDATES, question.limit)
        by_words = self._index.keywords(
            transaction,
            sight,
            collection,
            question.terms,
            moment=moment,
            limit=depth,
            slots=slots,
        )
        by_meaning: Sequence[tuple[int, float]] = []
        if question.vector is not None:
            by_meaning = self._index.vectors(
                transaction,
                sight,
                collection,
                *question.vector,
                moment=moment,
                limit=depth,
                slots=slots,
            )
        return _joined(collection, by_words, by_meaning)


def fuse(candidates: Sequence[Candidate]) -> list[tuple[Candidate, float]]:
    """Candidates by their joint score, best first; each leg counts by the share of its best."""
    best_keyword = max((c.keyword for c in candidates if c.keyword), default=1.0)
    best_vector = max((c.vector for c in candidates if c.vector), default=1.0)

    def score(candidate: Candidate) -> float:
        words = (candidate.keyword or 0.0) / best_keyword
        meaning = max(0.0, candidate.vector or 0.0) / max(best_vector, 1e-9)
        return KEYWORD_WEIGHT * words + VECTOR_WEIGHT * meaning

    kept = [
        (candidate, score(candidate))
        for candidate in candidates
        if candidate.keyword or (candidate.vector or 0.0) >= NEAR_ENOUGH
    ]
    return sorted(kept, key=lambda pair: (-pair[1], pair[0].collection, pair[0].slot))


def _collections(kinds: object, filters: Filters) -> list[str]:
    named = list(kinds) if isinstance(kinds, Iterable) else [kinds]
    unknown = [kind for kind in named if not isinstance(kind, str) or kind not in COLLECTIONS]
    if unknown or not named:
        raise InvalidInput(
            f"recall searches memories and events, not {shown(unknown[0] if unknown else '')}.",
            hint="Give kinds among: memory, event.",
        )
    chosen = [COLLECTIONS[kind] for kind in COLLECTIONS if kind in named]
    return [name for name in chosen if name == "memories" or not _only_memories_have(filters)]


def _only_memories_have(filters: Filters) -> bool:
    """Whether a filter asks for something that an event has not."""
    return bool(
        filters.types
        or filters.sources
        or filters.scopes
        or filters.tags
        or filters.files
        or filters.modules
        or filters.minimum_confidence is not None
        or filters.pinned is not None
        or filters.needs_review is not None
        or filters.as_of is not None
    )


def _let_through(
    transaction: Transaction, sight: Sight, collection: str, filters: Filters, now: int
) -> list[int] | None:
    """The slots that the filters let through; None when there is nothing to filter by."""
    if filters == Filters():
        return None
    if collection == "memories":
        return memories.slots_let_through(transaction, sight, filters, now)
    return events.slots_let_through(transaction, sight, filters)


def _joined(
    collection: str,
    by_words: Sequence[tuple[int, float]],
    by_meaning: Sequence[tuple[int, float]],
) -> list[Candidate]:
    words = {slot: (score, rank) for rank, (slot, score) in enumerate(by_words, 1)}
    meaning = {slot: (score, rank) for rank, (slot, score) in enumerate(by_meaning, 1)}
    nothing = (None, None)
    return [
        Candidate(collection, slot, *words.get(slot, nothing), *meaning.get(slot, nothing))
        for slot in dict.fromkeys([*words, *meaning])
    ]


def _hydrated(
    transaction: Transaction, sight: Sight, ranked: Sequence[tuple[Candidate, float]]
) -> tuple[Found, ...]:
    """The things themselves, read through the sight once more."""
    ids = places.items_at(transaction, sight.space_id, [c.slot for c, _ in ranked])
    wanted = list(ids.values())
    items: Mapping[str, Memory | Event] = {
        **memories.get_memories(transaction, sight, wanted),
        **events.get_events(transaction, sight, wanted),
    }
    return tuple(
        Found(
            item=items[ids[candidate.slot]],
            score=score,
            keyword_score=candidate.keyword,
            keyword_rank=candidate.keyword_rank,
            vector_score=candidate.vector,
            vector_rank=candidate.vector_rank,
        )
        for candidate, score in ranked
        if ids.get(candidate.slot) in items
    )
