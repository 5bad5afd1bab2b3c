"""Background jobs for memos: make memos of exchanges worth one, and follow changed sources.

A job can read the whole store, but a memo must belong to somebody who may see its source: the job
acts as the author of the message, or as an owner of the space, and does nothing where none of them
may read it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from recollect.jobs.handler import Write
from recollect.storage.database import Database, Transaction
from recollect.storage.memories import reads
from recollect.storage.pages import event_jobs, streams
from recollect.storage.pages.spaces import members_of, role_of, space_of
from recollect.storage.workspace import memos as rows
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.errors import MemoryOff, NotAllowed, NotFound, Quarantined
from recollect.vocabulary.events import Event
from recollect.vocabulary.jobs import MEMO_FROM_EXCHANGE, Job
from recollect.vocabulary.spaces import Role, Space
from recollect.vocabulary.streams import StreamAccess
from recollect.workspace.memos import Memos

_PASSED_OVER = (NotFound, NotAllowed, MemoryOff, Quarantined)


class MemoJobs:
    """The handler of ``workspace.memo`` and ``workspace.refresh``."""

    def __init__(
        self, database: Database, memos: Callable[[], Memos], *, makes: bool = True
    ) -> None:
        self._database = database
        self._makes = makes
        self._memos = memos

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Run the jobs; each makes its own writes, and running twice changes nothing."""
        for job in jobs:
            if job.kind == MEMO_FROM_EXCHANGE:
                if self._makes:
                    self._from_exchange(job.space_id, str(job.payload["event"]))
            else:
                self._refresh(job.space_id, str(job.payload["event"]))

        def write(_: Transaction) -> None:
            """Write nothing: the jobs have made their own writes."""

        return write

    def _from_exchange(self, space_id: str, event_id: str) -> None:
        with self._database.reading(all_spaces=True) as transaction:
            space = space_of(transaction, space_id)
            found = event_jobs.surroundings_for_jobs(
                transaction, space_id, event_id, before=0, after=0
            )
            if space is None or found is None or _is_own_talk(transaction, space, found[0]):
                return
            viewers = list(_readers(transaction, space, found[0].author))
        for viewer in viewers:
            with suppress(*_PASSED_OVER):
                self._memos().from_exchange(viewer, space, event_id)
                return

    def _refresh(self, space_id: str, event_id: str) -> None:
        with self._database.reading(all_spaces=True) as transaction:
            space = space_of(transaction, space_id)
            ids = rows.ids_pointing_at(transaction, space_id, event_id)
            kept = reads.memories_for_jobs(transaction, space_id, ids)
        for memory in kept:
            if space is not None:
                with suppress(*_PASSED_OVER):
                    self._memos().refresh(Viewer(memory.audience.owner), space, memory.id)


def _is_own_talk(transaction: Transaction, space: Space, event: Event) -> bool:
    """Whether an event is part of a private conversation with an assistant, whose lasting facts are
    kept as entries.
    """
    if event.payload.get("role") is None:
        return False
    stream = streams.stream_for_import(transaction, space.id, event.stream_id)
    return stream is not None and stream[0].access is StreamAccess.PRIVATE


def _readers(transaction: Transaction, space: Space, author: str) -> Iterator[Viewer]:
    if role_of(transaction, space.id, author) is not None:
        yield Viewer(author)
    for member in members_of(transaction, space.id):
        if member.role is Role.OWNER and member.user != author:
            yield Viewer(member.user)
