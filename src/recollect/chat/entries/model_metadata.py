"""Metadata from a model: has a model read kept texts in a background job and stores its findings.

The write never waits for the model: names, dates and tags found by rules are available at once, and
stay as they are if the model finds nothing useful.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recollect.inference.tasks import Tasks
from recollect.inference.text_tasks import TOPICS, Text
from recollect.jobs.handler import Write
from recollect.memories.metadata import merged
from recollect.memories.metadata_task import METADATA, TextToAnnotate
from recollect.memories.writer import MemoryUpdate, MemoryWriter
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import entries, reads
from recollect.storage.pages import spaces
from recollect.trust.authorisation import authorise
from recollect.vocabulary.arguments import NAME_LIMIT
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.clock import Clock
from recollect.vocabulary.jobs import Job
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.personal import Noticed
from recollect.vocabulary.spaces import Space

UNDERSTAND: Final = "chat.understand"
_MAX_TAGS: Final = 5


class Understand:
    """The job handler of ``chat.understand``."""

    def __init__(
        self, database: Database, writer: MemoryWriter, tasks: Tasks, clock: Clock
    ) -> None:
        self._database = database
        self._writer = writer
        self._tasks = tasks
        self._clock = clock

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Ask the model about each memory and store the metadata of those that still exist."""
        for job in jobs:
            self._understand(job.space_id, job.payload["user"], job.payload["memory"])
        return lambda _: None

    def _understand(self, space_id: str, user: str, memory_id: str) -> None:
        viewer = Viewer(user)
        with self._database.reading(all_spaces=True) as transaction:
            space = spaces.space_of(transaction, space_id)
        if space is None:
            return
        with self._database.reading() as transaction:
            access = authorise(transaction, viewer, space)
            memory = reads.get_memories(transaction, access, [memory_id]).get(memory_id)
        if memory is None or memory.archived:
            return
        noticed = self._noticed(space, memory)
        if noticed is not None:
            self._keep(viewer, space, memory, noticed)

    def _noticed(self, space: Space, memory: Memory) -> Noticed | None:
        """Metadata that the model finds in a text; None if it was not asked or found nothing
        useful.
        """
        done = self._tasks.run(space.id, METADATA, TextToAnnotate(memory.content))
        if done.why:
            return None
        tags = done.value.tags
        if not tags:
            topics = self._tasks.run(space.id, TOPICS, Text(memory.content))
            tags = () if topics.why else topics.value.topics
        told = tuple(tag.strip().lower() for tag in tags)
        fitting = tuple(tag for tag in told if 0 < len(tag) <= NAME_LIMIT)
        sure = min(1.0, max(0.0, done.value.confidence))
        return replace(done.value, tags=fitting[:_MAX_TAGS], confidence=sure)

    def _keep(self, viewer: Viewer, space: Space, memory: Memory, noticed: Noticed) -> None:
        tags = tuple(dict.fromkeys((*memory.tags, *noticed.tags)))
        now = self._clock()
        new = replace(memory, tags=tags, updated_at=now, revision=memory.revision + 1)
        indexed = self._writer.indexed(new) if tags != memory.tags else None

        def work(transaction: Transaction) -> None:
            access = authorise(transaction, viewer, space)
            row = entries.rows_of(transaction, access, [memory.id]).get(memory.id)
            if row is None or not access.remembers:
                return
            if indexed is not None:
                change = MemoryUpdate(memory, new, Action.UPDATED, indexed)
                if self._writer.change_within(transaction, access, change) is None:
                    return  # the person changed the memory first
            entries.store_features(transaction, row, merged(entries.noticed_of(row), noticed))

        self._database.write(work)
