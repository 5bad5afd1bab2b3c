"""Finding memos: by their own words, and by the words that their events hold now.

A memo that keeps no words of its source is led to by the events it points at. What is found is then
compared with the question, text by text, on the calibrated scale of ``likeness``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from recollect.index.analyser import query_terms
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.memories.near_duplicates import WordVectors
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.workspace import memos as rows
from recollect.trust.switches import closed
from recollect.trust.visibility import authorise
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InferenceError
from recollect.vocabulary.numbers import whole
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.text import checked_text, repaired_text
from recollect.vocabulary.vectors import VectorModel
from recollect.vocabulary.workspace import MemoHit
from recollect.workspace.likeness import best_likeness
from recollect.workspace.memo_text import cut
from recollect.workspace.memo_view import compared_texts, is_gone, is_memo, preview_of, shown_memos

MOST_FOUND: Final = 100
QUESTION_LIMIT: Final = 2_000
_TERMS: Final = 24
#: So many entries of each collection are looked at by words, and as many by meaning.
_BY_WORDS: Final = 60
_BY_MEANING: Final = 40

QuestionVector = tuple[VectorModel, Any]


class MemoFinder:
    """Searches the memos that a viewer may see."""

    def __init__(
        self,
        database: Database,
        *,
        index: SearchIndex,
        indexer: Indexer,
        clock: Clock,
        vectors: Callable[[], WordVectors | None],
    ) -> None:
        self._database = database
        self._index = index
        self._indexer = indexer
        self._clock = clock
        self._vectors = vectors

    def search(
        self,
        viewer: Viewer,
        space: Space,
        question: str,
        limit: int = 5,
        *,
        topics: Iterable[str] = (),
        least_confidence: float = 0.0,
        without: str | None = None,
    ) -> tuple[MemoHit, ...]:
        """Memos about a question, the most alike first; a score over 0.9 is the same question."""
        whole(limit, 1, MOST_FOUND, "A search has")
        asked = question_text(question)
        vector = self.vector_of(asked)
        wanted = frozenset(topics)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            if closed(transaction, access, None) is not None:
                return ()
            ids = self._candidates(transaction, access, asked, vector)
            kept = [
                memory
                for memory in reads.get_memories(transaction, access, ids).values()
                if is_memo(memory)
                and memory.confidence > least_confidence
                and (not wanted or not wanted.isdisjoint(memory.tags))
                and without not in memory.provenance.events
            ]
            views = shown_memos(transaction, access, kept)
        vectors = self._vectors()
        hits = [
            MemoHit(memo, best_likeness(asked, compared_texts(memo), vectors), preview_of(memo))
            for memo in views
            if not is_gone(memo)
        ]
        hits.sort(key=lambda hit: (-hit.score, -hit.memo.confidence, hit.memo.id))
        return tuple(hit for hit in hits if hit.score > 0)[:limit]

    def vector_of(self, asked: str) -> QuestionVector | None:
        """The question's vector; a remote embedder that fails leaves the words to answer."""
        try:
            return self._indexer.question(asked)
        except InferenceError:
            return None

    def _candidates(
        self,
        transaction: Transaction,
        access: Access,
        asked: str,
        vector: QuestionVector | None,
    ) -> Sequence[str]:
        """Ids of memos that the question's words or meaning lead to, itself or by its events."""
        slots = {
            collection: self.slots(transaction, access, collection, asked, vector)
            for collection in ("memories", "events")
        }
        own = rows.ids_at_slots(transaction, access, slots["memories"])
        said = rows.events_at_slots(transaction, access, slots["events"])
        pointing = rows.pointing_at(transaction, access, list(said.values()))
        ids = dict.fromkeys(own.values())
        ids.update(dict.fromkeys(one for some in pointing.values() for one in some))
        return list(ids)

    def slots(
        self,
        transaction: Transaction,
        access: Access,
        collection: str,
        asked: str,
        vector: QuestionVector | None,
    ) -> Sequence[int]:
        """Slots of a collection that a question's words or meaning lead to."""
        now = to_microseconds(self._clock())
        moment = now if collection == "memories" else None
        terms = query_terms(asked)[:_TERMS]
        met = self._index.keywords(
            transaction, access, collection, terms, moment=moment, limit=_BY_WORDS
        )
        slots = dict.fromkeys(slot for slot, _ in met)
        if vector is not None:
            model, asked_vector = vector
            near = self._index.near(
                transaction,
                access,
                collection,
                model,
                asked_vector,
                moment=now,
                limit=_BY_MEANING,
            )
            slots.update(dict.fromkeys(near))
        return list(slots)


def question_text(question: str) -> str:
    """A question as it is compared and kept: repaired, on one line, not over long."""
    text = repaired_text(checked_text(repaired_text(question), "question", 100_000))
    return cut(text, QUESTION_LIMIT)
