"""Where the tools get their memory: opened when first asked for, and made by the first note only.

An agent's server is started in every folder it works in. As long as nothing was kept for a project
there is no space for it, and reading does not make one.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock
from typing import Final, Protocol

from recollect.engine import Recollect
from recollect.vocabulary.errors import SpaceNotFound

NOTHING_YET: Final = "Nothing is kept for this project yet."
#: The program whose call is being answered, by the name that it gave of itself.
CALLER: Final[ContextVar[str]] = ContextVar("CALLER", default="mcp")


class NothingYet(Exception):
    """The project has no space, because nothing was kept for it; that is no error."""


class MemorySource(Protocol):
    """Gives the memory that tools work on."""

    def reading(self) -> Recollect:
        """The memory, to read from; ``SpaceNotFound`` when nothing was kept in its space yet."""
        ...

    def writing(self) -> Recollect:
        """The memory, to write to; its space is made when it is new."""
        ...


class OpenMemory:
    """A memory that is open already."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory

    def reading(self) -> Recollect:
        """The memory."""
        return self._memory

    def writing(self) -> Recollect:
        """The memory."""
        return self._memory


class ClientMemory:
    """A memory that knows which program calls, for the log of what was served."""

    def __init__(self, source: MemorySource) -> None:
        self._source = source

    def reading(self) -> Recollect:
        """The memory, to read from, as the calling program sees it."""
        return self._source.reading().within(client=CALLER.get())

    def writing(self) -> Recollect:
        """The memory, to write to, as the calling program sees it."""
        return self._source.writing().within(client=CALLER.get())


class MemoryOnDemand:
    """A memory that is opened by the first tool that finds its space, or makes it."""

    def __init__(self, open: Callable[[bool], Recollect], *, space_named: bool = False) -> None:
        self._open = open
        self._space_named = space_named
        self._memory: Recollect | None = None
        self._lock = Lock()

    def reading(self) -> Recollect:
        """The memory, if its space is there; one that somebody named must be."""
        try:
            return self._opened(make=False)
        except SpaceNotFound:
            if self._space_named:
                raise
            raise NothingYet from None

    def writing(self) -> Recollect:
        """The memory, whose space is made when it is new."""
        return self._opened(make=True)

    def prepare(self) -> None:
        """Open the store before anybody waits for it, whether or not its space is there yet."""
        with suppress(NothingYet, SpaceNotFound):
            self.reading()

    def close(self) -> None:
        """Let the store go."""
        if self._memory is not None:
            self._memory.close()

    def _opened(self, *, make: bool) -> Recollect:
        with self._lock:
            if self._memory is None:
                self._memory = self._open(make)
                self._memory.start_worker()
            return self._memory
