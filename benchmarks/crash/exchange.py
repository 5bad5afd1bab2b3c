"""Rounds of ``kill -9`` while three devices sync with a server: what was lost, returned or differs.

Each device is a process with a file of its own and a clock that is days away from the others'. It
makes, changes, supersedes and forgets memories, and syncs after every few of them; before and after
each act it writes a line into its ledger. In every round one of the devices, or the server, is
killed at a random moment. At the end all meet, and every ledger is held against every store.
"""

import importlib
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

import recollect
from recollect.engine import Recollect
from recollect.inference.static import StaticEmbedder
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.errors import RecollectError

DEVICES = {"a": timedelta(days=3), "b": timedelta(), "c": timedelta(days=-3)}
_SHORTEST, _LONGEST = 0.2, 1.2
_MEETINGS = 6
_PATIENCE = 20.0
_fork = get_context("fork")


@dataclass
class SyncToll:
    """What went wrong, each with a sentence."""

    lost: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    acknowledged: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing did."""
        return not (self.lost or self.returned or self.differing)

    def lines(self, most: int = 20) -> list[str]:
        """The sentences, for people."""
        named = (("lost", self.lost), ("returned", self.returned), ("differing", self.differing))
        told = [f"{kind}: {sentence}" for kind, kept in named for sentence in kept[:most]]
        return [*told, f"{self.acknowledged:,} acts were acknowledged"]

    def __str__(self) -> str:
        return (
            f"lost {len(self.lost)}, returned {len(self.returned)}, differing {len(self.differing)}"
        )


class Exchange:
    """The campaign: a server, three devices, and a ledger for each."""

    def __init__(self, folder: Path, rounds: int) -> None:
        self._folder = folder
        self._rounds = rounds
        self._chance = Random(7)
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(64)
        self._address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        importlib.import_module("recollect.composition.features")
        importlib.import_module("recollect.surfaces.rest.application")
        importlib.import_module("recollect.sync.device")
        importlib.import_module("uvicorn")
        self._embedder = StaticEmbedder()
        self._embedder.embed(["warm"])
        self._token = ""

    def run(self) -> SyncToll:
        """All rounds, and then the meeting."""
        self._token = self._told(self._enrolled)
        server = self._start(self._serve)
        for number in range(self._rounds):
            devices = {name: self._start(partial(self._live, name, number)) for name in DEVICES}
            self._await_work()
            time.sleep(self._chance.uniform(_SHORTEST, _LONGEST))
            victims = self._chance.sample(sorted(devices), self._chance.randint(1, 3))
            if self._chance.random() < 0.4:
                _kill(server)
                server = self._start(self._serve)
            for name in sorted(devices, key=lambda name: name not in victims):
                _kill(devices[name])
        stores = self._meet()
        _kill(server)
        self._socket.close()
        return self._toll(stores)

    def _await_work(self) -> None:
        """Until every device has written into its ledger since it was started."""
        ledgers = [self._folder / f"{name}.ledger" for name in DEVICES]
        before = {ledger: _size(ledger) for ledger in ledgers}
        until = time.monotonic() + _PATIENCE
        while any(_size(one) == before[one] for one in ledgers) and time.monotonic() < until:
            time.sleep(0.01)

    # --- processes --------------------------------------------------------------------------------

    def _start(self, work: Callable[[], Any]) -> BaseProcess:
        process = _fork.Process(target=work, daemon=True)
        process.start()
        return process

    def _told(self, work: Callable[[], Any]) -> Any:
        """What a process of its own finds, which ends before anything else begins."""
        ours, theirs = _fork.Pipe(duplex=False)
        process = self._start(lambda: theirs.send(work()))
        found = ours.recv()
        process.join()
        return found

    def _open(self, name: str) -> Recollect:
        ahead = DEVICES.get(name, timedelta())

        def clock() -> datetime:
            return system_clock() + ahead

        return recollect.open(
            self._folder / f"{name}.db",
            user="ann" if name in DEVICES else "owner",
            embedder=self._embedder,
            worker=False,
            clock=clock,
        )

    def _enrolled(self) -> str:
        with self._open("server") as memory:
            memory.add_member("ann")
            return memory.tokens.create(user="ann", role="member", name="laptops").secret

    def _serve(self) -> None:
        import uvicorn

        from recollect.surfaces.rest.application import application

        memory = self._open("server")
        config = uvicorn.Config(
            application(memory, tokens_required=True), log_config=None, access_log=False
        )
        uvicorn.Server(config).run([self._socket])

    # --- what a device does -----------------------------------------------------------------------

    def _live(self, name: str, number: int) -> None:
        chance = Random(f"{name}{number}")
        self._socket.close()
        with self._open(name) as memory, (self._folder / f"{name}.ledger").open("a") as ledger:

            def note(*line: Any) -> None:
                ledger.write(json.dumps(line) + "\n")
                ledger.flush()
                os.fsync(ledger.fileno())

            while True:
                for step in range(chance.randint(1, 4)):
                    self._act(memory, chance, note, f"{name}{number}.{time.monotonic_ns()}.{step}")
                try:
                    memory.sync.now(self._address, token=self._token)
                except RecollectError:
                    time.sleep(0.02)

    @staticmethod
    def _act(memory: Recollect, chance: Random, note: Callable[..., None], mark: str) -> None:
        words = f"Fact {mark} was written down at {chance.random()}."
        known = memory.list(limit=50).items
        act = chance.choice(("new", "new", "text", "text", "tag", "forget", "supersede"))
        if act == "new" or not known:
            made = memory.remember(words, visibility="project", repeats="keep")
            note("done", "new", made.id, words)
            return
        one = chance.choice(known)
        note("try", act, one.id, words, one.content)
        try:
            if act == "text":
                memory.update(one.id, content=words)
            elif act == "tag":
                memory.update(one.id, tags=[*one.tags, mark[-6:]])
            elif act == "forget":
                memory.forget(one.id, for_good=True)
            else:
                made = memory.supersede(one.id, words, visibility="project")
                note("done", "new", made.id, words)
        except RecollectError:
            return
        note("done", act, one.id, words, one.content)

    # --- the meeting ------------------------------------------------------------------------------

    def _meet(self) -> dict[str, dict[str, Any]]:
        for _ in range(_MEETINGS):
            for name in DEVICES:
                self._told(partial(self._met, name))
        return {name: self._told(partial(self._shown, name)) for name in (*DEVICES, "server")}

    def _met(self, name: str) -> int:
        with self._open(name) as memory:
            for _ in range(100):
                try:
                    return memory.sync.now(self._address, token=self._token).pulled
                except RecollectError:
                    time.sleep(0.05)
        return -1

    def _shown(self, name: str) -> dict[str, Any]:
        with self._open(name) as memory:
            conflicts = {
                one.memory_id: sorted(version.content for version in one.versions)
                for one in memory.sync.conflicts()
            }
            found: dict[str, Any] = {}
            cursor = None
            while True:
                page = memory.list(limit=500, cursor=cursor, superseded=True)
                for one in page.items:
                    found[one.id] = {
                        "content": one.content,
                        "texts": conflicts.get(one.id, [one.content]),
                        "tags": sorted(one.tags),
                        "superseded_by": one.superseded_by,
                        "confidence": one.confidence,
                        "valid_to": str(one.valid_to),
                        "told": one.times_told,
                    }
                cursor = page.next_cursor
                if cursor is None:
                    return found

    def _toll(self, stores: dict[str, dict[str, Any]]) -> SyncToll:
        toll = SyncToll()
        server = stores["server"]
        for name in DEVICES:
            for id in sorted(stores[name].keys() | server.keys()):
                here, there = stores[name].get(id), server.get(id)
                if here != there:
                    toll.differing.append(f"{id} on {name}: {here} and not {there}")
        acts = [act for name in DEVICES for act in _ledger(self._folder / f"{name}.ledger")]
        toll.acknowledged = sum(act[0] == "done" for act in acts)
        forgotten = {id for state, act, id, *_ in acts if act == "forget" and state == "done"}
        perhaps = {id for _, act, id, *_ in acts if act == "forget"}
        replaced = {(id, before[0]) for _, act, id, _, *before in acts if act == "text"}
        toll.returned += sorted(forgotten & server.keys())
        for state, act, id, words, *_ in acts:
            if state != "done" or act not in ("new", "text") or id in perhaps:
                continue
            kept = server.get(id, {}).get("texts", ())
            if words not in kept and (id, words) not in replaced:
                toll.lost.append(f"{id}: {words}")
        return toll


def _ledger(file: Path) -> list[list[Any]]:
    """The lines that were written wholly."""
    acts: list[list[Any]] = []
    for line in file.read_text().splitlines():
        try:
            acts.append(json.loads(line))
        except ValueError:
            continue
    return acts


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _kill(process: BaseProcess) -> None:
    if process.pid is not None and process.is_alive():
        os.kill(process.pid, signal.SIGKILL)
    process.join()
