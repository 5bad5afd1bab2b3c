"""Memo search: by the memos' own words, and by the current words of their events.

A memo that keeps no text of its source is found by the events it points at. The memos found are
then compared with the question, text by text, on the calibrated scale of ``likeness``.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from recollect.index.analyser import query_terms
from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.memories.text_comparison import WordVectors
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.workspace import memos as rows
from recollect.trust.authorisation import authorise, closed
from recollect.vocabulary.arguments import checked_text, repaired_text, whole
from recollect.vocabulary.audiences import Access, Viewer
from recollect.vocabulary.clock import Clock, to_microseconds
from recollect.vocabulary.errors import InferenceError
from recollect.vocabulary.spaces import Space
from recollect.vocabulary.vectors import VectorModel
from recollect.vocabulary.workspace import Memo, MemoHit
from recollect.workspace.likeness import best_likeness
from recollect.workspace.memo_text import cut
from recollect.workspace.memo_view import compared_texts, is_gone, is_memo, preview_of, shown_memos

MAX_FOUND: Final = 100
QUESTION_LIMIT: Final = 2_000
_TERMS: Final = 24
#: Number of entries of each collection that are examined by keywords, and by vectors.
_BY_WORDS: Final = 24
_BY_MEANING: Final = 16
#: Maximum number of memos that are compared with the question word by word.
_COMPARED: Final = 12
#: Maximum number of words that the last word of a text being typed is completed to.
_COMPLETIONS: Final = 6

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
        is_typed: bool = False,
    ) -> tuple[MemoHit, ...]:
        """Memos about a question, the most similar first; a score over 0.9 is the same question.

        The last word of a question that is being typed (``is_typed``) may be the beginning of one.
        """
        whole(limit, 1, MAX_FOUND, "A search has")
        asked = question_text(question)
        vector = self.vector_of(asked)
        wanted = frozenset(topics)
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            if closed(transaction, access, None) is not None:
                return ()
            ids = list(self._candidates(transaction, access, asked, vector, limit))
            if is_typed:
                ids = list(dict.fromkeys([*ids, *_begun(transaction, access, asked)]))
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
            MemoHit(memo, _likeness(asked, memo, vectors, is_typed=is_typed), preview_of(memo))
            for memo in views
            if not is_gone(memo)
        ]
        hits.sort(key=lambda hit: (-hit.score, -hit.memo.confidence, hit.memo.id))
        return tuple(hit for hit in hits if hit.score > 0)[:limit]

    def vector_of(self, asked: str) -> QuestionVector | None:
        """The question's vector; None where a remote embedder fails, and keywords alone are
        used.
        """
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
        limit: int,
    ) -> Sequence[str]:
        """Ids of memos that the question's words or meaning lead to, directly or by their events.

        The best of both ways come first, and a limited number is compared word by word.
        """
        own = self.slots(transaction, access, "memories", asked, vector)
        said = self.slots(transaction, access, "events", asked, vector)
        worth: dict[str, float] = {}
        for slot, memo in rows.ids_at_slots(transaction, access, list(own)).items():
            worth[memo] = own[slot]
        events = rows.events_at_slots(transaction, access, list(said))
        pointing = rows.pointing_at(transaction, access, list(events.values()))
        for slot, event in events.items():
            for memo in pointing.get(event, ()):
                worth[memo] = max(worth.get(memo, 0.0), said[slot])
        wanted = min(MAX_FOUND, max(_COMPARED, 2 * limit))
        return sorted(worth, key=lambda memo: (-worth[memo], memo))[:wanted]

    def slots(
        self,
        transaction: Transaction,
        access: Access,
        collection: str,
        asked: str,
        vector: QuestionVector | None,
    ) -> Mapping[int, float]:
        """Slots of a collection found by a question's words or meaning, each with its score: its
        share of the best by words, or its rank by meaning.
        """
        now = to_microseconds(self._clock())
        moment = now if collection == "memories" else None
        terms = query_terms(asked)[:_TERMS]
        met = self._index.keywords(
            transaction, access, collection, terms, moment=moment, limit=_BY_WORDS
        )
        best = max((score for _, score in met), default=1.0) or 1.0
        found = {slot: score / best for slot, score in met}
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
            for rank, slot in enumerate(near):
                found[slot] = found.get(slot, 0.0) + 1.0 / (1.0 + 0.2 * rank)
        return found


def _begun(transaction: Transaction, access: Access, typed: str) -> Sequence[str]:
    """Memos with a word that the last word of a text may become."""
    _, last = split_last(typed)
    if len(last) < LEAST_LETTERS:
        return ()
    return rows.ids_with_beginning(transaction, access, last, _COMPARED)


def _likeness(asked: str, memo: Memo, vectors: WordVectors | None, *, is_typed: bool) -> float:
    """Similarity of a question and a memo, of one that is being typed with its last word completed
    too.
    """
    texts = compared_texts(memo)
    typed = [asked, *(completed(asked, texts)[:_COMPLETIONS] if is_typed else ())]
    return max(best_likeness(one, texts, vectors) for one in typed)


def question_text(question: str) -> str:
    """A question in the form that is compared and stored: repaired, on one line, limited in
    length.
    """
    text = repaired_text(checked_text(repaired_text(question), "question", 100_000))
    return cut(text, QUESTION_LIMIT)


#: Letters from which on a word is completed; of a shorter one there are too many.
LEAST_LETTERS: Final = 3
_LAST: Final = re.compile(r"[^\W_][\w'\u2019-]{0,60}$")
_WORD: Final = re.compile(r"[^\W_][\w'\u2019-]{0,60}")


def split_last(text: str) -> tuple[str, str]:
    """A text without its last word, and that word where it may go on; otherwise an empty one."""
    found = _LAST.search(text)
    return (text[: found.start()], found[0].lower()) if found else (text, "")


def completed(text: str, texts: Sequence[str]) -> list[str]:
    """A text that is being typed with each word of other texts that its last word may become; one
    that is too short to say is left out.
    """
    before, last = split_last(text)
    if not before.strip() or not last:
        return []
    if len(last) < LEAST_LETTERS:
        return [before.strip()]
    words = {word.lower() for one in texts for word in _WORD.findall(one)}
    return [before + word for word in sorted(words) if word.startswith(last) and word != last]
