"""Rounds of ``kill -9``: two writers at work, killed at a random moment, and then an inspection.

Writers and inspectors are forked from this process, which has loaded everything and never opens the
store itself. Between rounds the store lives on, so that what one round broke the next would meet.
"""

import os
import signal
import time
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

from benchmarks.crash.actor import Actor
from benchmarks.crash.book import Ledger, Thing, Things, read_ledger
from benchmarks.crash.inspection import inspect, opened
from benchmarks.crash.toll import Toll
from recollect.inference.embedder import Embedder
from recollect.inference.static import StaticEmbedder
from recollect.inference.tokens import count_tokens
from recollect.vocabulary.errors import RecollectError

_WRITERS = ("a", "b")
_SHORTEST, _LONGEST = 0.1, 0.6
_WARMING = 10
_PATIENCE = 60.0
_fork = get_context("fork")


def _warm() -> Embedder:
    """Everything that takes time to load, loaded before the forks."""
    embedder = StaticEmbedder()
    embedder.embed(["warm"])
    count_tokens("warm")
    return embedder


@dataclass
class Kills:
    """The campaign: a store, and a book for each writer."""

    folder: Path
    rounds: int
    embedder: Embedder = field(default_factory=_warm)
    chance: Random = field(default_factory=lambda: Random(3))
    books: dict[str, Things] = field(default_factory=lambda: {name: {} for name in _WRITERS})
    acknowledged: int = 0

    @property
    def path(self) -> Path:
        """The store."""
        return self.folder / "kills.db"

    def run(self) -> Toll:
        """Every round, until something goes wrong."""
        print(f"Kills: {self.rounds} rounds, {len(_WRITERS)} writers each", flush=True)
        toll = Toll()
        for number in range(1, self.rounds + 1):
            toll.add(self._round(number))
            if number % 10 == 0 or number == self.rounds or not toll.clean:
                print(
                    f"Kills: round {number}, {self.acknowledged:,} changes acknowledged, "
                    f"{sum(map(len, self.books.values())):,} things, {toll}",
                    flush=True,
                )
            if not toll.clean:
                break
        return toll

    def _round(self, number: int) -> Toll:
        ledgers = {name: self.folder / f"{name}{number}.ledger" for name in _WRITERS}
        toll = self._act_and_kill(ledgers)
        begun: list[list[Thing]] = []
        for name, path in ledgers.items():
            notes = read_ledger(path)
            toll.add(notes.toll)
            begun.append(notes.begun)
            self.acknowledged += len(notes.done)
            self.books[name].update({thing.key: thing for thing in notes.done})
            path.unlink()
        found, there = self._inspected(begun)
        toll.add(found)
        self._settle(begun, there)
        return toll

    def _act_and_kill(self, ledgers: dict[str, Path]) -> Toll:
        """Start the writers, and kill one after the other at moments nobody knows."""
        toll = Toll()
        writers = [self._started(name, ledger) for name, ledger in ledgers.items()]
        time.sleep(self.chance.uniform(_SHORTEST, _LONGEST))
        for writer in self.chance.sample(writers, len(writers)):
            if writer.exitcode is not None:
                toll.torn.append(f"a writer ended by itself, with {writer.exitcode}")
            _kill(writer)
            time.sleep(self.chance.choice((0.0, 0.0, self.chance.uniform(0, 0.1))))
        return toll

    def _started(self, name: str, ledger: Path) -> BaseProcess:
        """A writer that has opened the store and got going."""
        told, tell = _fork.Pipe(duplex=False)
        writer = _fork.Process(target=self._act, args=(tell, name, ledger), daemon=True)
        writer.start()
        tell.close()
        told.poll(_PATIENCE)
        return writer

    def _act(self, tell: Connection, name: str, ledger: Path) -> None:
        """The life of a writer; the first has its jobs done by a thread of its own."""
        notes = Ledger(ledger)
        try:
            memory = opened(self.path, self.embedder, worker=name == _WRITERS[0])
        except RecollectError as error:
            toll = Toll()
            toll.note(error, f"{ledger.stem}, opening")
            notes.trouble(toll)
            raise
        actor = Actor(memory, self.folder, ledger.stem, self.books[name], notes)
        for _ in range(_WARMING):
            actor.act()
        tell.send(b"ready")
        actor.act_until_killed()

    def _inspected(self, begun: list[list[Thing]]) -> tuple[Toll, Things]:
        """What an inspector finds, in a process of its own."""
        told, tell = _fork.Pipe(duplex=False)
        chance = Random(self.chance.random())
        inspector = _fork.Process(target=self._inspect, args=(tell, begun, chance), daemon=True)
        inspector.start()
        tell.close()
        try:
            toll, there = told.recv()
        except EOFError:
            toll, there = Toll(torn=["the inspection ended without a word"]), {}
        finally:
            _kill(inspector)
        return toll, there

    def _inspect(self, tell: Connection, begun: list[list[Thing]], chance: Random) -> None:
        book = {key: thing for things in self.books.values() for key, thing in things.items()}
        tell.send(inspect(self.path, self.embedder, book, begun, chance))

    def _settle(self, begun: list[list[Thing]], there: Things) -> None:
        """From now on what was in the air stands as it was found; and ids are known."""
        for name, call in zip(_WRITERS, begun, strict=True):
            book = self.books[name]
            for thing in call:
                if thing.key in there:
                    book[thing.key] = there[thing.key]
                elif thing.key in book:
                    book[thing.key] = thing._replace(gone=True)
            for key, thing in book.items():
                if thing.id is None and key in there:
                    book[key] = thing._replace(id=there[key].id)


def _kill(process: BaseProcess) -> None:
    """SIGKILL by its id, and wait until it is gone."""
    if process.pid is not None and process.exitcode is None:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
