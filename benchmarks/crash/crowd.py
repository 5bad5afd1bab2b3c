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

from benchmarks.crash.crowd_parts import FINISHED, acknowledged, opened, search, write
from benchmarks.crash.toll import Toll
from recollect.engine import Recollect

_SEARCHERS = 2

Part = Callable[[Path, str, int, int], Toll]
Process = tuple[BaseProcess, Connection]
_fork = get_context("fork")


@dataclass(frozen=True)
class Crowd:
    """How many write, and how much each."""

    folder: Path
    address: str
    writers: int
    memories: int

    def run(self) -> Toll:
        """Let them loose and count."""
        print(
            f"Crowd: {self.writers} processes x {self.memories:,} memories, "
            f"{_SEARCHERS} more searching",
            flush=True,
        )
        self._load()
        searchers = [self._start(search, number) for number in range(_SEARCHERS)]
        writers = [self._start(write, number) for number in range(self.writers)]
        try:
            toll = _gathered(writers)
            (self.folder / FINISHED).touch()
            toll.add(_gathered(searchers))
        finally:
            for process, told in (*writers, *searchers):
                process.kill()
                process.join()
                told.close()
        toll.add(self._counted())
        print(f"Crowd: {toll}", flush=True)
        return toll

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

    def _counted(self) -> Toll:
        """Whether exactly what was acknowledged is there."""
        toll = Toll()
        with opened(self.address) as memory:
            there = _all_ids(memory)
            health = memory.health()
        missing = sorted(acknowledged(self.folder) - set(there))
        toll.lost += [f"{identifier} was acknowledged and is not there" for identifier in missing]
        wanted = self.writers * self.memories
        if len(there) != wanted or len(set(there)) != wanted:
            toll.torn.append(f"{len(there):,} memories are there, not {wanted:,}")
        if not health.sound:
            toll.torn.append(f"the store is not sound: {health}")
        print(f"Crowd: {len(there):,} memories are there", flush=True)
        return toll


def _take_part(tell: Connection, part: Part, *given: Any) -> None:
    tell.send(part(*given))


def _gathered(processes: list[Process]) -> Toll:
    """What each of them tells at its end."""
    toll = Toll()
    for process, told in processes:
        try:
            toll.add(told.recv())
        except EOFError:
            toll.torn.append("a process of the crowd ended without a word")
        process.join()
        if process.exitcode != 0:
            toll.torn.append(f"a process of the crowd ended with {process.exitcode}")
    return toll


def _all_ids(memory: Recollect) -> list[str]:
    page = memory.list(limit=1_000)
    ids = [item.id for item in page.items]
    while page.next_cursor:
        page = memory.list(limit=1_000, cursor=page.next_cursor)
        ids += [item.id for item in page.items]
    return ids
