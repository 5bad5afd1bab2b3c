"""Rounds of ``kill -9`` of the night: on both stores, in every step, two nights at once among them.

Each round makes a space with verdicts that wait to be applied, uses that wait to be counted and
memories that are due, starts nights in processes of their own and kills them at random moments, and
at last lets one night finish. Then every effect must be there exactly once: what is missing is
lost, what was done again is twice.
"""

import os
import signal
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random

import recollect
from benchmarks.crash.stores import Store, store_of
from recollect.engine import Recollect
from recollect.evolution import rules
from recollect.inference.static_embedder import StaticEmbedder
from recollect.vocabulary.memory import Memory

_MEMORIES = 24
_USED = 6  # times; five uses without a correction are one reward
_BORN = datetime(2025, 1, 6, 9, tzinfo=UTC)
_TONIGHT = _BORN + timedelta(days=200)
_LONGEST = 1.5  # seconds from its beginning until a night is killed
_PATIENCE = 60.0
_KILLS = 6
_fork = get_context("fork")


@dataclass
class NightKills:
    """The campaign on one store."""

    store: Store
    rounds: int
    chance: Random = field(default_factory=lambda: Random(7))
    embedder: StaticEmbedder = field(default_factory=StaticEmbedder)
    killed: int = 0
    half_done: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Every round, in one store that lives on."""
        rules.BATCH = 3  # type: ignore[misc]  # many batches, so that each step is met half done
        self.embedder.embed(["warm"])
        address = self.store.address("nights")
        for number in range(self.rounds):
            space = f"round-{number}"
            ids = self._in_child_returning(address, space)
            for _ in range(self.chance.randint(1, _KILLS)):
                self._kill_nights(address, space)
            _finished(_fork.Process(target=self._night, args=(address, space)))
            self._check(address, space, ids)

    def _in_child_returning(self, address: str, space: str) -> list[str]:
        told, tell = _fork.Pipe(duplex=False)
        _finished(_fork.Process(target=self._fill, args=(address, space, tell)))
        ids: list[str] = told.recv()
        return ids

    def _opened(self, address: str, space: str, now: datetime) -> Recollect:
        return recollect.open(
            address,
            user="ada",
            space=space,
            embedder=self.embedder,
            worker=False,
            clock=lambda: now,
        )

    def _fill(self, address: str, space: str, tell: object) -> None:
        """Of three memories one is due, one has a verdict, one was used."""
        with self._opened(address, space, _BORN) as memory:
            ids = [
                memory.remember(
                    _text(number),
                    type="gotcha",
                    source="observer_inferred",
                    confidence=0.5,
                    repeats="keep",
                ).id
                for number in range(_MEMORIES)
            ]
        with self._opened(address, space, _BORN + timedelta(days=1)) as memory:
            for number in range(1, _MEMORIES, 3):
                asked = memory.recall(_text(number), limit=1)
                memory.feedback(asked.id or "", "helpful", items=[ids[number]])
        with self._opened(address, space, _TONIGHT - timedelta(days=1)) as memory:
            for memory_id in ids[1::3]:
                memory.get(memory_id)
            for memory_id in ids[2::3] * _USED:
                memory.get(memory_id)
        tell.send(ids)  # type: ignore[attr-defined]  # a pipe's end
        os._exit(0)

    def _night(self, address: str, space: str, began: Event | None = None) -> None:
        with self._opened(address, space, _TONIGHT) as memory:
            if began is not None:
                began.set()
            memory.evolution.run()
        os._exit(0)

    def _kill_nights(self, address: str, space: str) -> None:
        """One night, or two at once, until a random moment."""
        began = _fork.Event()
        nights = [
            _fork.Process(target=self._night, args=(address, space, began))
            for _ in range(self.chance.choice((1, 1, 2)))
        ]
        for night in nights:
            night.start()
        began.wait(_PATIENCE)
        time.sleep(self.chance.uniform(0.0, _LONGEST))
        for night in nights:
            if night.exitcode is None and night.pid is not None:
                os.kill(night.pid, signal.SIGKILL)
                self.killed += 1
            night.join()
        open_runs = "SELECT COUNT(*) FROM evolution_runs WHERE finished_at IS NULL"
        self.half_done += int(self.store.rows(address, open_runs)[0][0])

    def _check(self, address: str, space: str, ids: list[str]) -> None:
        with self._opened(address, space, _TONIGHT) as memory:
            for number, memory_id in enumerate(ids):
                found = memory.get(memory_id)
                assert isinstance(found, Memory)
                self._check_one(memory, number, found, space)

    def _check_one(self, memory: Recollect, number: int, found: Memory, space: str) -> None:
        named = f"{space}, memory {number}"
        done = [one for one in memory.history(found.id) if one.actor == "night"]
        if len(done) < 1:
            self.lost.append(f"{named}: the night did nothing to it")
        if len(done) > 1:
            self.twice.append(f"{named}: the night changed it {len(done)} times")
        if found.archived != (number % 3 == 0):
            self.lost.append(f"{named}: archived is {found.archived}")
        raised = round(found.confidence - 0.5, 6)
        if number % 3 and raised < 0.05:
            self.lost.append(f"{named}: its confidence rose by {raised}")
        if raised > (0.05 if number % 3 else 0.0):
            self.twice.append(f"{named}: its confidence rose by {raised}")


def _text(number: int) -> str:
    """Sentences of which none is near another."""
    chance = Random(number)
    words = [
        "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(3))
        for _ in range(6)
    ]
    return f"The {words[0]} of {words[1]} wants {words[2]} before {words[3]} {words[4]} {words[5]}."


def campaign(folder: Path, rounds: int) -> int:
    """Both stores; the last line is what was lost and what was done twice."""
    lost = twice = killed = 0
    for kind in ("sqlite", "postgres"):
        with store_of(kind, folder) as store:
            kills = NightKills(store, rounds)
            kills.run()
        for sentence in [*kills.lost, *kills.twice][:20]:
            print(f"{kind}: {sentence}")
        print(f"{kind}: {rounds} rounds, {kills.killed} nights killed, {kills.half_done} half done")
        lost, twice = lost + len(kills.lost), twice + len(kills.twice)
        killed += kills.half_done
    print(f"lost {lost}, twice {twice}")
    return 0 if killed and not lost and not twice else 1


def _finished(process: BaseProcess) -> None:
    process.start()
    process.join()
    if process.exitcode != 0:
        raise SystemExit(f"a process of the campaign ended with {process.exitcode}")
