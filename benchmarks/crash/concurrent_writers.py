"""A crowd on one store: processes that write, and two that search all the while.

They open the new store all at once. Every memory that ``remember`` returned must be there at the
end, and each one that carries a word of its own must be found by the next search that anybody makes
after it was acknowledged, in whatever process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.crash.concurrent_processes import FINISHED, acknowledged, opened, search, write
from benchmarks.crash.losses import Losses
from recollect.engine import Recollect

_SEARCHERS = 2

Part = Callable[[Path, str, int, int], Losses]
Process = tuple[BaseProcess, Connection]
_fork = get_context("fork")


@dataclass(frozen=True)
class ConcurrentWriters:
    """How many write, and how much each."""

    folder: Path
    address: str
    writers: int
    memories: int

    def run(self) -> Losses:
        """Let them loose and count."""
        print(
            f"concurrent writers: {self.writers} processes x {self.memories:,} memories, "
            f"{_SEARCHERS} more searching",
            flush=True,
        )
        self._load()
        searchers = [self._start(search, number) for number in range(_SEARCHERS)]
        writers = [self._start(write, number) for number in range(self.writers)]
        try:
            losses = _gathered(writers)
            (self.folder / FINISHED).touch()
            losses.add(_gathered(searchers))
        finally:
            for process, told in (*writers, *searchers):
                process.kill()
                process.join()
                told.close()
        losses.add(self._counted())
        print(f"concurrent writers: {losses}", flush=True)
        return losses

    def _load(self) -> None:
        """What takes time to load, loaded before the forks, on a store that nobody else opens."""
        with opened(str(self.folder / "loaded.db")) as memory:
            memory.remember("anything")
            memory.recall("anything")

    def _start(self, part: Part, number: int) -> Process:
        """One of the crowd, forked from this process, which has loaded everything."""
        told, tell = _fork.Pipe(duplex=False)
        arguments = (tell, part, self.folder, self.address, number, self.memories)
        process = _fork.Process(target=_take_part, args=arguments, daemon=True)
        process.start()
        tell.close()
        return process, told

    def _counted(self) -> Losses:
        """Whether exactly what was acknowledged is there."""
        losses = Losses()
        with opened(self.address) as memory:
            there = _all_ids(memory)
            health = memory.health()
        missing = sorted(acknowledged(self.folder) - set(there))
        losses.lost += [f"{identifier} was acknowledged and is not there" for identifier in missing]
        wanted = self.writers * self.memories
        if len(there) != wanted or len(set(there)) != wanted:
            losses.torn.append(f"{len(there):,} memories are there, not {wanted:,}")
        if not health.sound:
            losses.torn.append(f"the store is not sound: {health}")
        print(f"concurrent writers: {len(there):,} memories are there", flush=True)
        return losses


def _take_part(tell: Connection, part: Part, *given: Any) -> None:
    tell.send(part(*given))


def _gathered(processes: list[Process]) -> Losses:
    """What each of them tells at its end."""
    losses = Losses()
    for process, told in processes:
        try:
            losses.add(told.recv())
        except EOFError:
            losses.torn.append("a process of the crowd ended without a word")
        process.join()
        if process.exitcode != 0:
            losses.torn.append(f"a process of the crowd ended with {process.exitcode}")
    return losses


def _all_ids(memory: Recollect) -> list[str]:
    page = memory.list(limit=1_000)
    ids = [item.id for item in page.items]
    while page.next_cursor:
        page = memory.list(limit=1_000, cursor=page.next_cursor)
        ids += [item.id for item in page.items]
    return ids
