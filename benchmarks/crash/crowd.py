"""A crowd on one store: processes that write, and two that search all the while.

They open the new store all at once. Every memory that ``remember`` returned must be there at the
end, and each one that carries a word of its own must be found by the next search that anybody makes
after it was acknowledged, in whatever process.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.crash.crowd_parts import FINISHED, acknowledged, opened
from benchmarks.crash.toll import Toll
from recollect.engine import Recollect

_SEARCHERS = 2

Process = subprocess.Popen[str]


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
        searchers = [self._start("search", number) for number in range(_SEARCHERS)]
        writers = [self._start("write", number) for number in range(self.writers)]
        try:
            toll = _gathered(writers)
            (self.folder / FINISHED).touch()
            toll.add(_gathered(searchers))
        finally:
            for process in (*writers, *searchers):
                process.kill()
                process.wait()
        toll.add(self._counted())
        print(f"Crowd: {toll}", flush=True)
        return toll

    def _start(self, part: str, number: int) -> Process:
        arguments = (part, self.folder, self.address, number, self.memories)
        return subprocess.Popen(
            [sys.executable, "-m", "benchmarks.crash.crowd_parts", *map(str, arguments)],
            stdout=subprocess.PIPE,
            text=True,
        )

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


def _gathered(processes: list[Process]) -> Toll:
    """What each of them tells at its end."""
    toll = Toll()
    for process in processes:
        said = process.communicate()[0].strip().splitlines()
        if process.returncode == 0 and said:
            toll.add(Toll(**json.loads(said[-1])))
        else:
            toll.torn.append(f"a process of the crowd ended with {process.returncode}")
    return toll


def _all_ids(memory: Recollect) -> list[str]:
    page = memory.list(limit=1_000)
    ids = [item.id for item in page.items]
    while page.next_cursor:
        page = memory.list(limit=1_000, cursor=page.next_cursor)
        ids += [item.id for item in page.items]
    return ids
