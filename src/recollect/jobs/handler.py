"""Job handlers: prepare the work first, then write its effect.

The preparation happens outside any transaction and may be slow. The write happens in the
transaction that marks the jobs as done, so that both are committed or neither.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from recollect.storage.database import Transaction
from recollect.vocabulary.jobs import Job

Write = Callable[[Transaction], None]


class Handler(Protocol):
    """Handles the jobs of one kind, many at a time.

    ``prepare`` may run again for a job, after a failure or a crash, so it must be idempotent. The
    write it returns may run again too, after a conflict with another writer, so it does nothing but
    database work, through the transaction it is given.
    """

    def prepare(self, jobs: Sequence[Job]) -> Write:
        """Do the slow part for these jobs; return the function that writes their effect."""
        ...  # pragma: no cover


class Handlers(Mapping[str, Handler]):
    """The handler of each kind of job; built when a worker first needs one."""

    def __init__(self, make: Callable[[], Mapping[str, Handler]]) -> None:
        self._make = make
        self._made: Mapping[str, Handler] | None = None

    def _all(self) -> Mapping[str, Handler]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, kind: str) -> Handler:
        return self._all()[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
