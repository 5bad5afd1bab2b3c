"""What a room offers to have its jobs done: think first, then write.

The thinking happens outside any transaction and may be slow. The writing happens in the transaction
that marks the jobs as done, so that both are kept or neither.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from recollect.storage.database import Transaction
from recollect.vocabulary.jobs import Job

Write = Callable[[Transaction], None]


class Handler(Protocol):
    """Does the jobs of one kind, many at a time.

    ``prepare`` may run again for a job, after a failure or a crash, so it changes nothing that does
    not bear being done twice. The write it returns may run again too, when another writer was in
    the way, so it does nothing but database work, through the transaction it is given.
    """

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Do the slow part for these jobs; give back the write that makes their effect."""
        ...  # pragma: no cover
