"""Notifies open pages of changes in their space, whichever process made them.

One poll of a space's change number serves every page that is open on it. PostgreSQL notifies of
writes, and the poll follows at once; without notifications, it runs every second. A page is
notified only that something changed; it requests its content again, with the rights of its visitor.
Twenty pages are notified at once after a quiet time; while somebody writes on and on they follow
one after another, so that what they all request stays a small part of what the server does.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import suppress
from typing import Final

from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError

_LOOK_SECONDS: Final = 1.0
_HINTED_SECONDS: Final = 10.0  # seconds between polls where notifications come: one may be lost
_APART: Final = 0.1
_EACH: Final = 1.0  # seconds between the notices to two pages, while changes go on
_SAVED: Final = 20.0  # seconds of quiet that are made up for by notices at once
_BEAT: Final = 15.0  # seconds between two heartbeats, by which both sides notice a lost connection
Run = Callable[[Callable[[], int]], Awaitable[int]]


class LiveChanges:
    """Follows the spaces that pages are open on, for each visitor."""

    def __init__(self, run: Run, stopping: Callable[[], bool]) -> None:
        self._run = run
        self._stopping = stopping
        self._numbers: dict[Hashable, int] = {}
        self._looks: dict[Hashable, asyncio.Task[None]] = {}
        self._open: dict[Hashable, set[asyncio.Event]] = {}
        self._hint = asyncio.Event()
        self._pause = _LOOK_SECONDS
        self._free_at = 0.0
        self._stop_listening: Callable[[], None] | None = None

    async def follow(self, memory: Recollect) -> AsyncIterator[bytes]:
        """Server-sent events for one page: ``changed`` whenever its space changes.

        They end when the visitor may no longer read the space.
        """
        key = memory.viewer, memory.space.id
        seen = self._numbers[key] = await self._run(memory.change_number)
        changed = asyncio.Event()
        self._open.setdefault(key, set()).add(changed)
        self._listen(memory)
        if key not in self._looks:
            self._looks[key] = asyncio.get_running_loop().create_task(self._look(key, memory))
        try:
            yield b"retry: 2000\nevent: ready\ndata: 1\n\n"
            quiet = 0.0
            while key in self._numbers and not self._stopping():
                await _either(changed, _LOOK_SECONDS)
                changed.clear()
                number = self._numbers.get(key, seen)
                quiet = 0.0 if number != seen else quiet + _LOOK_SECONDS
                if number != seen:
                    seen = number
                    yield b"event: changed\ndata: 1\n\n"
                elif quiet >= _BEAT:
                    quiet = 0.0
                    yield b": still here\n\n"
        finally:
            self._leave(key, changed)

    async def _look(self, key: Hashable, memory: Recollect) -> None:
        """Keep a space's change number up to date while pages are open on it."""
        while True:
            await _either(self._hint, self._pause)
            try:
                number = await self._run(memory.change_number)
            except RecollectError:  # the store is unavailable, or this person was removed
                self._numbers.pop(key, None)
                return
            if number != self._numbers.get(key):
                self._numbers[key] = number
                for changed in tuple(self._open.get(key, ())):
                    await self._turn()
                    changed.set()
            await asyncio.sleep(_APART)

    async def _turn(self) -> None:
        """Wait until the next page may be notified; after a quiet time nobody need wait."""
        now = asyncio.get_running_loop().time()
        self._free_at = max(self._free_at, now - _SAVED) + _EACH
        await asyncio.sleep(max(0.0, self._free_at - now))

    def _listen(self, memory: Recollect) -> None:
        """Receive the store's notifications while any page is open."""
        if self._stop_listening is not None:
            return
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the event loop has ended
                loop.call_soon_threadsafe(self._hinted)

        self._stop_listening = memory.workspace.listen(wake)

    def _hinted(self) -> None:
        self._pause = _HINTED_SECONDS
        hint, self._hint = self._hint, asyncio.Event()
        hint.set()

    def _leave(self, key: Hashable, changed: asyncio.Event) -> None:
        self._open[key].discard(changed)
        if self._open[key]:
            return
        del self._open[key]
        self._numbers.pop(key, None)
        self._looks.pop(key).cancel()
        if not self._open and self._stop_listening is not None:
            stop, self._stop_listening = self._stop_listening, None
            with suppress(RuntimeError):  # closing joins a thread, which would block the loop
                asyncio.get_running_loop().run_in_executor(None, stop)


async def _either(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, or until a timeout."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
