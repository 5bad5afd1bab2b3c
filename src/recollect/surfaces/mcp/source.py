"""Memory used by the MCP tools: opened on first use; its space is created by the first note.

An agent's server is started in every folder the agent works in. A project has no space until
something is stored for it, and reading does not create one.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from threading import Lock
from typing import Final, Protocol

from recollect.engine import Recollect
from recollect.vocabulary.errors import SpaceNotFound

NOTHING_YET: Final = "Nothing is kept for this project yet."
#: Name that the program whose call is being answered gives of itself.
CALLER: Final[ContextVar[str]] = ContextVar("CALLER", default="mcp")


class NothingYet(Exception):
    """The project has no space yet, because nothing was stored for it; this is not an error."""


class MemorySource(Protocol):
    """Provides the memory that tools work on."""

    def reading(self) -> Recollect:
        """Memory to read from; ``SpaceNotFound`` when nothing is stored in its space yet."""
        ...

    def writing(self) -> Recollect:
        """Memory to write to; its space is created if missing."""
        ...


class OpenMemory:
    """Source for a memory that is already open."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory

    def reading(self) -> Recollect:
        """The memory."""
        return self._memory

    def writing(self) -> Recollect:
        """The memory."""
        return self._memory


class ClientMemory:
    """Memory labelled with the calling program, for the log of what was served."""

    def __init__(self, source: MemorySource) -> None:
        self._source = source

    def reading(self) -> Recollect:
        """Memory to read from, labelled with the calling program."""
        return self._source.reading().within(client=CALLER.get())

    def writing(self) -> Recollect:
        """Memory to write to, labelled with the calling program."""
        return self._source.writing().within(client=CALLER.get())


class MemoryOnDemand:
    """Memory that is opened by the first tool call that finds or creates its space."""

    def __init__(self, open: Callable[[bool], Recollect], *, space_named: bool = False) -> None:
        self._open = open
        self._space_named = space_named
        self._memory: Recollect | None = None
        self._lock = Lock()

    def reading(self) -> Recollect:
        """Memory, if its space exists; a space that was named explicitly must exist."""
        try:
            return self._opened(make=False)
        except SpaceNotFound:
            if self._space_named:
                raise
            raise NothingYet from None

    def writing(self) -> Recollect:
        """Memory, whose space is created if missing."""
        return self._opened(make=True)

    def prepare(self) -> None:
        """Open the store ahead of the first call, whether or not its space exists yet."""
        with suppress(NothingYet, SpaceNotFound):
            self.reading()

    def close(self) -> None:
        """Close the store."""
        if self._memory is not None:
            self._memory.close()

    def _opened(self, *, make: bool) -> Recollect:
        with self._lock:
            if self._memory is None:
                self._memory = self._open(make)
                self._memory.start_worker()
            return self._memory
