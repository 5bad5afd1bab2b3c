"""Tells open pages that something changed in their space, whichever process changed it.

One look a second at a space's change number serves every page that is open on it. A page is told
only that something changed; it asks for its own words again, as whoever is logged in.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from typing import Final

from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError

_LOOK_SECONDS: Final = 1.0
_BEAT: Final = 15  # looks between two signs of life, by which both sides notice a lost connection
Run = Callable[[Callable[[], int]], Awaitable[int]]


class LiveChanges:
    """Follows the spaces that pages are open on, for each visitor."""

    def __init__(self, run: Run, stopping: Callable[[], bool]) -> None:
        self._run = run
        self._stopping = stopping
        self._numbers: dict[Hashable, int] = {}
        self._looks: dict[Hashable, asyncio.Task[None]] = {}
        self._open: Counter[Hashable] = Counter()

    async def follow(self, memory: Recollect) -> AsyncIterator[bytes]:
        """Server-sent events for one page: ``changed`` whenever its space did. They end when the
        visitor may no longer look into the space."""
        key = memory.viewer, memory.space.id
        seen = self._numbers[key] = await self._run(memory.change_number)
        self._open[key] += 1
        if key not in self._looks:
            self._looks[key] = asyncio.get_running_loop().create_task(self._look(key, memory))
        try:
            yield b"retry: 2000\nevent: ready\ndata: 1\n\n"
            quiet = 0
            while key in self._numbers and not self._stopping():
                await asyncio.sleep(_LOOK_SECONDS)
                number = self._numbers.get(key, seen)
                if number != seen:
                    seen, quiet = number, 0
                    yield b"event: changed\ndata: 1\n\n"
                else:
                    quiet += 1
                    if quiet % _BEAT == 0:
                        yield b": still here\n\n"
        finally:
            self._leave(key)

    async def _look(self, key: Hashable, memory: Recollect) -> None:
        """Keep a space's number up to date while pages are open on it."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                self._numbers[key] = await self._run(memory.change_number)
            except RecollectError:  # the store is away, or this person was taken out
                self._numbers.pop(key, None)
                return

    def _leave(self, key: Hashable) -> None:
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]
            self._numbers.pop(key, None)
            self._looks.pop(key).cancel()
