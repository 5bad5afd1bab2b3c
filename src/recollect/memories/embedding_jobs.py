"""Embedding jobs: compute the vectors of texts that were stored without one.

A remote embedder is called here and never during a write. While the embedder is down, the jobs wait
and retry, and search uses words alone. After a change of model the old vectors stay, and the new
ones are filled in while searches continue.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from recollect.index.indexer import Indexer
from recollect.inference.budgets import Spending
from recollect.jobs.queue import enqueue
from recollect.memories.inserter import COLLECTION, embedded_text, summary_text
from recollect.pages.signals import LOOSE
from recollect.pages.value import is_trivial, value_of
from recollect.storage.access.visibility_filter import acquire_locks
from recollect.storage.code import chunks
from recollect.storage.database import Database, Transaction
from recollect.storage.jobs.queue import waits
from recollect.storage.memories import reads
from recollect.storage.pages import event_jobs
from recollect.storage.pages.event_signals import headers_of
from recollect.storage.search import places
from recollect.storage.search.places import VectorRow
from recollect.trust.fence import without_fenced
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import Job

EMBED_MISSING: Final = "index.embed_missing"
_BATCH: Final = 512
_BUDGET: Final = "embeddings"
_Wanted = tuple[int, str]


class EmbeddingBudget:
    """Pays for vectors from the monthly budget, where they cost something."""

    def __init__(self, spending: Spending, clock: Clock) -> None:
        self._spending = spending
        self.clock = clock

    def texts_worth_paying_for(
        self, space_id: str, collection: str, texts: Sequence[_Wanted]
    ) -> list[_Wanted]:
        """Texts to pay for; a trivial message is included only while the budget is ample."""
        if collection != "events" or self._spending.ease(space_id, _BUDGET) > LOOSE:
            return list(texts)
        return [one for one in texts if value_of(one[1])]

    def embed_within_budget(
        self,
        space_id: str,
        wanted: Sequence[_Wanted],
        embed: Callable[[Sequence[str]], list[bytes]],
    ) -> list[tuple[int, bytes]]:
        """Buy vectors for as many texts as the budget allows; refund the cost of a failed call."""
        count = len(wanted)
        if count and not self._spending.spend(space_id, _BUDGET, count):
            count = min(count, int(self._spending.left(space_id, _BUDGET)))
            if not count or not self._spending.spend(space_id, _BUDGET, count):
                return []
        try:
            vectors = embed([text for _, text in wanted[:count]])
        except BaseException:
            self._spending.spend(space_id, _BUDGET, -count)
            raise
        return [(slot, vector) for (slot, _), vector in zip(wanted[:count], vectors, strict=True)]

    def next_month(self) -> timedelta:
        """Time until the next monthly budget."""
        now = self.clock()
        first = (now.replace(day=1) + timedelta(days=32)).replace(
            day=1, hour=0, minute=0, second=0, microsecond=0
        )
        return first - now


class _Made(NamedTuple):
    """Vectors of some slots of a collection, and whether the budget was too small for others."""

    space_id: str
    collection: str
    short: bool
    rows: Sequence[VectorRow]
    unpaid: bool


class EmbedHandler:
    """Embeds the index slots that jobs name."""

    def __init__(
        self, database: Database, indexer: Indexer, budget: EmbeddingBudget | None = None
    ) -> None:
        self._database = database
        self._indexer = indexer
        self._budget = budget

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Ask the embedder for the texts, many at once; write the vectors that are still needed."""
        wanted: dict[tuple[str, str, bool], list[int]] = {}
        for job in jobs:
            space_id, collection = job.space_id, job.payload["collection"]
            if not job.payload.get("summaries"):
                wanted.setdefault((space_id, collection, False), []).extend(job.payload["slots"])
            if collection == COLLECTION:
                wanted.setdefault((space_id, collection, True), []).extend(job.payload["slots"])
        made: list[_Made] = []
        for (space_id, collection, short), slots in wanted.items():
            for start in range(0, len(slots), _BATCH):
                if made:  # many texts take minutes; what is ready is not lost with the rest
                    self._database.write(self._writing(made), all_spaces=True)
                part = slots[start : start + _BATCH]
                rows, unpaid = self._embedded(space_id, collection, part, short=short)
                made = [_Made(space_id, collection, short, rows, unpaid)]
        return self._writing(made)

    def _writing(self, made: Sequence[_Made]) -> Callable[[Transaction], None]:
        """Stores vectors; those that are stored already change nothing."""

        def write(transaction: Transaction) -> None:
            for space_id, collection, short, rows, unpaid in made:
                put(transaction, self._indexer, space_id, collection, rows, short=short)
                if unpaid and self._budget is not None:
                    postpone_to_next_month(transaction, space_id, self._budget)

        return write

    def _embedded(
        self, space_id: str, collection: str, slots: list[int], *, short: bool
    ) -> tuple[list[VectorRow], bool]:
        """Vectors, and whether the budget was too small for some."""
        with self._database.reading(all_spaces=True) as transaction:
            items = places.items_at(transaction, space_id, slots)
            read = summaries_of if short else partial(texts_of, collection=collection)
            texts = read(transaction, space_id, ids=items.values())
        wanted = [(slot, texts[item]) for slot, item in items.items() if item in texts]
        return paid_vectors(self._indexer, self._budget, space_id, collection, wanted)


class EmbedMissingHandler:
    """Gives every slot of a space a vector of the current model, one batch at a time."""

    def __init__(
        self, database: Database, indexer: Indexer, budget: EmbeddingBudget | None = None
    ) -> None:
        self._database = database
        self._indexer = indexer
        self._budget = budget

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Compute all missing vectors; each batch is written when it is ready."""
        for space_id in sorted({job.space_id for job in jobs}):
            embed_missing(self._database, self._indexer, space_id, self._budget)
            embed_missing_summaries(self._database, self._indexer, space_id, self._budget)
        return lambda _: None


def embed_missing(
    database: Database, indexer: Indexer, space_id: str, budget: EmbeddingBudget | None = None
) -> int:
    """Embed texts that have no vector of the current model, within the budget; return how many."""
    model_id = indexer.model_id
    after = total = 0
    while model_id is not None:
        with database.reading(all_spaces=True) as transaction:
            missing = places.places_without_vector(
                transaction, space_id, model_id, after=after, limit=_BATCH
            )
            texts = {
                collection: texts_of(
                    transaction, space_id, collection, [i for _, c, i in missing if c == collection]
                )
                for collection in {collection for _, collection, _ in missing}
            }
        if not missing:
            break
        after = missing[-1][0]
        for collection, known in texts.items():
            chosen = [
                (slot, known[item])
                for slot, c, item in missing
                if c == collection and item in known
            ]
            rows, unpaid = paid_vectors(indexer, budget, space_id, collection, chosen)
            total += database.write(_putting(indexer, space_id, collection, rows), all_spaces=True)
            if unpaid and budget is not None:
                database.write(
                    partial(postpone_to_next_month, space_id=space_id, budget=budget),
                    all_spaces=True,
                )
                return total
    return total


def paid_vectors(
    indexer: Indexer,
    budget: EmbeddingBudget | None,
    space_id: str,
    collection: str,
    wanted: list[_Wanted],
) -> tuple[list[VectorRow], bool]:
    """Vectors of the texts, and whether the budget was too small for some."""
    if budget is None:
        vectors = indexer.vectors([text for _, text in wanted])
        pairs = [(slot, vector) for (slot, _), vector in zip(wanted, vectors, strict=True)]
        return [VectorRow(*pair) for pair in pairs], False
    texts_worth_paying_for = budget.texts_worth_paying_for(space_id, collection, wanted)
    pairs = budget.embed_within_budget(space_id, texts_worth_paying_for, indexer.vectors)
    return [VectorRow(*pair) for pair in pairs], len(pairs) < len(texts_worth_paying_for)


def postpone_to_next_month(
    transaction: Transaction, space_id: str, budget: EmbeddingBudget
) -> None:
    """Schedule the texts beyond the budget for the next month, once."""
    if not waits(transaction, space_id, EMBED_MISSING):
        acquire_locks(transaction, [space_id])
        later = budget.next_month()
        enqueue(transaction, space_id, EMBED_MISSING, {}, now=budget.clock(), delay=later)


def count_missing(transaction: Transaction, space_id: str, model_id: str) -> int:
    """Number of texts that still need a vector of a model; trivial texts get none."""
    after = total = 0
    while missing := places.places_without_vector(
        transaction, space_id, model_id, after=after, limit=_BATCH
    ):
        after = missing[-1][0]
        for collection in {collection for _, collection, _ in missing}:
            ids = [item for _, named, item in missing if named == collection]
            total += len(texts_of(transaction, space_id, collection, ids))
    return total


def embed_missing_summaries(
    database: Database, indexer: Indexer, space_id: str, budget: EmbeddingBudget | None = None
) -> int:
    """Embed the missing summaries of memories whose summary has a vector of its own."""
    after = total = 0
    while indexer.model_id is not None:
        with database.reading(all_spaces=True) as transaction:
            missing = places.places_without_vector(
                transaction,
                space_id,
                indexer.model.of_summaries.id,
                after=after,
                limit=_BATCH,
                collection=COLLECTION,
            )
            texts = summaries_of(transaction, space_id, [item for _, _, item in missing])
        if not missing:
            break
        after = missing[-1][0]
        chosen = [(slot, texts[item]) for slot, _, item in missing if item in texts]
        rows, unpaid = paid_vectors(indexer, budget, space_id, COLLECTION, chosen)
        writing = _putting(indexer, space_id, COLLECTION, rows, short=True)
        total += database.write(writing, all_spaces=True)
        if unpaid:
            break
    return total


def summaries_of(transaction: Transaction, space_id: str, ids: Iterable[str]) -> dict[str, str]:
    """Summaries to embed, by memory id."""
    found = reads.memories_for_jobs(transaction, space_id, list(ids))
    return {one.id: text for one in found if (text := summary_text(one))}


def texts_of(
    transaction: Transaction, space_id: str, collection: str, ids: Iterable[str]
) -> dict[str, str]:
    """Texts to embed, by id."""
    wanted = list(ids)
    if collection == "events":
        texts = event_jobs.texts_for_jobs(transaction, space_id, wanted)
        headers = headers_of(transaction, space_id, wanted)
        own = {event_id: without_fenced(text) for event_id, text in texts.items()}
        return {
            event_id: "\n\n".join(filter(None, (headers.get(event_id), text)))
            for event_id, text in own.items()
            if event_id in headers or not is_trivial(text)
        }
    if collection == chunks.COLLECTION:
        return chunks.texts_for_jobs(transaction, space_id, wanted)
    return {
        memory.id: embedded_text(memory)
        for memory in reads.memories_for_jobs(transaction, space_id, wanted)
    }


def put(
    transaction: Transaction,
    indexer: Indexer,
    space_id: str,
    collection: str,
    rows: Sequence[VectorRow],
    *,
    short: bool = False,
) -> int:
    """Store late vectors under the indexer's model; return how many were still needed."""
    if not rows:
        return 0
    model = indexer.model.of_summaries if short else indexer.model
    return places.put_late_vectors(transaction, space_id, collection, (model.id, model.dims), rows)


def _putting(
    indexer: Indexer,
    space_id: str,
    collection: str,
    rows: Sequence[VectorRow],
    *,
    short: bool = False,
) -> Callable[[Transaction], int]:
    return lambda transaction: put(transaction, indexer, space_id, collection, rows, short=short)
