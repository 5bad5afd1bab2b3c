"""Code in a search: pieces of code that answer, their files, and memories of connected files.

Not used for a space without code.
"""

from collections.abc import Sequence
from typing import Final

from recollect.index.indexer import Indexer
from recollect.index.search_index import SearchIndex
from recollect.recall.candidates import RecallCandidate
from recollect.recall.changed_code import changed_code
from recollect.recall.code import CodeRecall
from recollect.recall.graph import LENDERS, Neighbours
from recollect.recall.neighbourhood import merged_by_score, with_neighbours
from recollect.recall.plan import CHUNKS
from recollect.recall.query_terms import weighed_terms
from recollect.recall.state import RecallState
from recollect.storage.code import chunks
from recollect.storage.code.graph import get_index
from recollect.storage.database import Transaction
from recollect.storage.search import places
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import InferenceError
from recollect.vocabulary.pending_counts import PendingCounts
from recollect.vocabulary.vectors import VectorModel

UNFINISHED: Final = "The code is still being indexed: what is found of it may be incomplete."
_EMBEDDED: Final = 2_000


class CodeSearch:
    """Searches the pieces of code, and knows which files are connected."""

    def __init__(self, index: SearchIndex, indexer: Indexer, counts: PendingCounts) -> None:
        self._index = index
        self._indexer = indexer
        self._neighbours = Neighbours()
        self._ranking = CodeRecall(self._neighbours, counts)

    def pieces(
        self,
        transaction: Transaction,
        access: Access,
        asked: RecallState,
        model: VectorModel | None,
    ) -> list[RecallCandidate]:
        """The pieces of code that answer, one piece per file."""
        found = self._found(transaction, access, asked, model)
        index = get_index(transaction, access)
        if index is not None and not index.complete:
            asked.missing.append(UNFINISHED)
        return found

    def _found(
        self,
        transaction: Transaction,
        access: Access,
        asked: RecallState,
        model: VectorModel | None,
    ) -> list[RecallCandidate]:
        filters = asked.plan.filters
        slots = chunks.slots_in_files(transaction, access, filters.files) if filters.files else None
        survey = self._index.survey(
            transaction,
            access,
            CHUNKS,
            tuple(weighed_terms(asked.plan.text)),
            model=model,
            moment=None,
            slots=slots,
            ahead=asked.ahead,
        )
        if not len(survey) or not survey.seen.any():
            return []
        near = None
        question = asked.vector
        try:
            if question is None and self._indexer.embedder is not None:
                question = self._indexer.question(asked.plan.text[:_EMBEDDED])
            if question is not None and survey.codes is not None:
                near = self._index.nearness(transaction, survey, survey.codes, question[1])
        except InferenceError as error:
            asked.missing.append(f"Searched without vectors: {error.message}")
        found = self._ranking.candidates(transaction, access, asked.plan, survey, near)
        ids = places.items_at(transaction, access.space_id, [one.slot for one in found])
        texts = chunks.get_chunks(transaction, access, list(ids.values()))
        for one in found:
            one.item_id = ids.get(one.slot, "")
            known = texts.get(one.item_id)
            one.text = known.text if known else ""
        return [one for one in found if one.text]

    def merged(
        self, ordered: list[RecallCandidate], pieces: list[RecallCandidate]
    ) -> list[RecallCandidate]:
        """Merge both lists; a piece that a memory quotes in full appears once."""
        if not ordered or not pieces:
            return ordered or pieces
        quoted = " ".join(" ".join(one.text.split()) for one in ordered[:50])
        kept = [one for one in pieces if " ".join(one.text.split()) not in quoted]
        return merged_by_score(ordered, kept)

    def files_of(
        self, transaction: Transaction, access: Access, ordered: list[RecallCandidate]
    ) -> dict[str, Sequence[str]]:
        """The files of the pieces of code among the best candidates."""
        code = [one.item_id for one in ordered[:LENDERS] if one.collection == CHUNKS]
        found = chunks.get_chunks(transaction, access, code) if code else {}
        return {name: (chunk.path,) for name, chunk in found.items()}

    def with_neighbours(
        self,
        transaction: Transaction,
        access: Access,
        ordered: list[RecallCandidate],
        asked: RecallState,
        *,
        files: dict[str, Sequence[str]],
        recent: list[str],
        now: int,
    ) -> list[RecallCandidate]:
        """Add the memories of files that are connected to these files, or to recent ones."""
        return with_neighbours(
            transaction,
            access,
            self._neighbours,
            ordered,
            plan=asked.plan,
            files=files,
            recent=recent,
            now=now,
        )

    def changed(self, transaction: Transaction, access: Access, ids: list[str]) -> list[str]:
        """Warnings about shown pieces whose files changed since they were indexed."""
        return changed_code(transaction, access, ids)
