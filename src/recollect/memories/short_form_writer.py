"""Adds the short forms of a memory: the forms, and the job that adds those a write left to it.

Counting tokens needs a vocabulary that takes a while to load, so a first write leaves the forms to
the job, which loads it with ``warm``.

``short_forms.py`` defines the forms. Where a model is configured, it shortens long texts in the
job. Forms from the caller are never replaced; token counts are filled in for all four.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from recollect.index.indexer import EMBED, EMBED_ATTEMPTS, Indexer
from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import SUMMARY, Text
from recollect.jobs.queue import enqueue
from recollect.memories.inserter import COLLECTION, summary_text
from recollect.memories.short_forms import (
    SUMMARY_CHARACTERS,
    filled_levels,
)
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads, rows
from recollect.storage.search import places
from recollect.storage.search.places import VectorRow
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory import Levels, Memory

_SUMMARY_WORDS: Final = 45


class LevelsHandler:
    """Adds the missing levels of the memories that jobs name.

    ``warm`` loads the vocabulary, so that later writes of this process need no job.
    """

    def __init__(
        self,
        database: Database,
        warm: Callable[[], None],
        indexer: Indexer,
        tasks: Tasks | None = None,
    ) -> None:
        self._database = database
        self._indexer = indexer
        self._warm = warm
        self._tasks = tasks

    def prepare(self, jobs: Sequence[Job]) -> Callable[[Transaction], None]:
        """Make the forms; write them if the memories have not changed."""
        wanted: dict[str, list[str]] = {}
        for job in jobs:
            wanted.setdefault(job.space_id, []).append(job.payload["memory"])
        found: list[Memory] = []
        with self._database.reading(all_spaces=True) as transaction:
            for space_id, ids in wanted.items():
                found += reads.memories_for_jobs(transaction, space_id, ids)
        filled: list[Memory] = []
        for memory in found:  # a model is asked outside of any transaction
            brought = self._summarised(memory)
            levels = filled_levels(memory.content, brought, memory.type, memory.extras)
            if levels != memory.levels:
                filled.append(replace(memory, levels=levels))
        self._warm()
        vectors = self._vectors(filled)

        def write(transaction: Transaction) -> None:
            for memory in filled:
                if rows.put_levels(transaction, memory) and memory.id in vectors:
                    self._put_vector(transaction, memory, vectors[memory.id])

        return write

    def _vectors(self, filled: Sequence[Memory]) -> dict[str, bytes | None]:
        """Vectors of the summaries that get one, by memory; none yet with an embedder that is
        called later."""
        texts = {one.id: text for one in filled if (text := summary_text(one))}
        if self._indexer.embedder is None:
            return {}
        if self._indexer.embeds_later:
            return dict.fromkeys(texts)
        made = self._indexer.vectors(list(texts.values()))
        return dict(zip(texts, made, strict=True))

    def _put_vector(self, transaction: Transaction, memory: Memory, vector: bytes | None) -> None:
        slot = rows.slot_of(transaction, memory)
        if slot is None:
            return
        if vector is None:
            payload = {"collection": COLLECTION, "slots": [slot], "summaries": True}
            enqueue(
                transaction,
                memory.space_id,
                EMBED,
                payload,
                now=memory.updated_at,
                max_attempts=EMBED_ATTEMPTS,
            )
            return
        model = self._indexer.model.of_summaries
        row = VectorRow(slot, vector)
        places.put_late_vectors(
            transaction, memory.space_id, COLLECTION, (model.id, model.dims), [row]
        )

    def _summarised(self, memory: Memory) -> Levels:
        """The existing levels, with a model's summary of a long text where a model is configured; a
        summary that is far longer than the one by rules is not used."""
        levels = memory.levels
        model = self._tasks if self._tasks is not None and self._tasks.has_model else None
        if levels.summary or model is None or len(memory.content) <= SUMMARY_CHARACTERS:
            return levels
        done = model.run(memory.space_id, SUMMARY, Text(memory.content, _SUMMARY_WORDS))
        made = " ".join(done.value.summary.split())
        if done.why or not made or len(made) > 2 * SUMMARY_CHARACTERS:
            return levels
        return replace(levels, summary=made)
