"""Rounds of ``kill -9``: two writers at work, killed at a random moment, and then an inspection.

On a server the writers first live through a blow, in two rounds of three: the server itself is
killed and started again, or their connections are cut. They may hear of it, and they go on.

Writers and inspectors are forked from this process, which has loaded everything and never opens the
store itself. Between rounds the store lives on, so that what one round broke the next would meet.
"""

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

from benchmarks.crash.actor import Actor
from benchmarks.crash.expected_state import Ledger, Thing, Things, read_ledger
from benchmarks.crash.injected_faults import fault_of
from benchmarks.crash.inspection import inspect, opened
from benchmarks.crash.losses import Losses
from benchmarks.crash.stores import Store
from recollect.inference.embedder import Embedder
from recollect.inference.static_embedder import StaticEmbedder
from recollect.inference.tokens import count_tokens
from recollect.vocabulary.errors import RecollectError

_WRITERS = ("a", "b")
_SHORTEST, _LONGEST = 0.1, 0.6
_WARMING = 10
_PATIENCE = 60.0
_DONE = b'["done"'
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
    store: Store
    rounds: int
    embedder: Embedder = field(default_factory=_warm)
    chance: Random = field(default_factory=lambda: Random(3))
    books: dict[str, Things] = field(default_factory=lambda: {name: {} for name in _WRITERS})
    blows: Counter[str] = field(default_factory=Counter)
    acknowledged: int = 0
    left_open: int = 0

    def __post_init__(self) -> None:
        self.address = self.store.address("kills")

    def run(self) -> Losses:
        """Every round, until something goes wrong."""
        print(f"Kills: {self.rounds} rounds, {len(_WRITERS)} writers each", flush=True)
        losses = Losses()
        for number in range(1, self.rounds + 1):
            losses.add(self._round(number))
            if number % 10 == 0 or number == self.rounds or not losses.clean:
                print(
                    f"Kills: round {number}, {self.acknowledged:,} changes acknowledged, "
                    f"{sum(map(len, self.books.values())):,} things, {self._said()}{losses}",
                    flush=True,
                )
            if not losses.clean:
                break
        return losses

    def _said(self) -> str:
        """What the writers lived through, if there was anything but their death."""
        blows = "".join(f"{count} times {name}, " for name, count in self.blows.items())
        return f"{blows}{self.left_open:,} calls left open, " if blows else ""

    def _round(self, number: int) -> Losses:
        ledgers = {name: self.folder / f"{name}{number}.ledger" for name in _WRITERS}
        losses = self._act_and_kill(number, ledgers)
        calls: dict[str, list[list[Thing]]] = {}
        for name, path in ledgers.items():
            notes = read_ledger(path)
            losses.add(notes.losses)
            calls[name] = notes.open
            self.acknowledged += len(notes.done)
            self.left_open += len(notes.open)
            self.books[name].update({thing.key: thing for thing in notes.done})
            path.unlink()
        found, there = self._inspected([call for open_ in calls.values() for call in open_])
        losses.add(found)
        self._settle(calls, there)
        return losses

    def _act_and_kill(self, number: int, ledgers: dict[str, Path]) -> Losses:
        """Start the writers, strike, and kill one after the other at moments nobody knows."""
        losses = Losses()
        name, blow = fault_of(self.store, number)
        writers = [
            self._started(writer, ledger, store_may_be_away=blow is not None)
            for writer, ledger in ledgers.items()
        ]
        time.sleep(self.chance.uniform(_SHORTEST, _LONGEST))
        if blow is not None:
            self.blows[name] += 1
            blow(self.address, self.chance)
            losses.torn += [
                f"a writer did not go on after {name}"
                for ledger in ledgers.values()
                if not _goes_on(ledger)
            ]
        for writer in self.chance.sample(writers, len(writers)):
            if writer.exitcode is not None:
                losses.torn.append(f"a writer ended by itself, with {writer.exitcode}")
            _kill(writer)
            time.sleep(self.chance.choice((0.0, 0.0, self.chance.uniform(0, 0.1))))
        return losses

    def _started(self, name: str, ledger: Path, *, store_may_be_away: bool) -> BaseProcess:
        """A writer that has opened the store and got going."""
        told, tell = _fork.Pipe(duplex=False)
        writer = _fork.Process(
            target=self._act, args=(tell, name, ledger, store_may_be_away), daemon=True
        )
        writer.start()
        tell.close()
        told.poll(_PATIENCE)
        return writer

    def _act(self, tell: Connection, name: str, ledger: Path, store_may_be_away: bool) -> None:
        """The life of a writer; the first has its jobs done by a thread of its own."""
        notes = Ledger(ledger)
        try:
            memory = opened(self.address, self.embedder, worker=name == _WRITERS[0])
        except RecollectError as error:
            losses = Losses()
            losses.note(error, f"{ledger.stem}, opening")
            notes.trouble(losses)
            raise
        actor = Actor(
            memory,
            self.folder,
            ledger.stem,
            self.books[name],
            notes,
            store_may_be_away=store_may_be_away,
        )
        for _ in range(_WARMING):
            actor.act()
        tell.send(b"ready")
        actor.act_until_killed()

    def _inspected(self, calls: list[list[Thing]]) -> tuple[Losses, Things]:
        """What an inspector finds, in a process of its own."""
        told, tell = _fork.Pipe(duplex=False)
        chance = Random(self.chance.random())
        inspector = _fork.Process(target=self._inspect, args=(tell, calls, chance), daemon=True)
        inspector.start()
        tell.close()
        try:
            losses, there = told.recv()
        except EOFError:
            losses, there = Losses(torn=["the inspection ended without a word"]), {}
        finally:
            _kill(inspector)
        return losses, there

    def _inspect(self, tell: Connection, calls: list[list[Thing]], chance: Random) -> None:
        book = {key: thing for things in self.books.values() for key, thing in things.items()}
        tell.send(
            inspect(self.store, self.address, self.embedder, book=book, calls=calls, chance=chance)
        )

    def _settle(self, calls: dict[str, list[list[Thing]]], there: Things) -> None:
        """From now on what was in the air stands as it was found; and ids are known."""
        for name, book in self.books.items():
            for thing in (thing for call in calls[name] for thing in call):
                if thing.key in there:
                    book[thing.key] = there[thing.key]
                elif thing.key in book:
                    book[thing.key] = thing._replace(gone=True)
            for key, thing in book.items():
                if thing.id is None and key in there:
                    book[key] = thing._replace(id=there[key].id)


def _goes_on(ledger: Path) -> bool:
    """Whether a writer has another call acknowledged, before long."""
    here = ledger.stat().st_size
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if _DONE in ledger.read_bytes()[here:]:
            return True
        time.sleep(0.02)
    return False


def _kill(process: BaseProcess) -> None:
    """SIGKILL by its id, and wait until it is gone."""
    if process.pid is not None and process.exitcode is None:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
