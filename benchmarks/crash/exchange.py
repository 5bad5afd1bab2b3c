"""Rounds of ``kill -9`` while three devices sync with a server: what was lost, returned or differs.

Each device is a process with a file of its own and a clock that is days away from the others'. It
makes, changes, merges, relates, supersedes and forgets memories, decides conflicts, and syncs after
every few acts, over a network that cuts connections at any byte; in some rounds it is offline.
Before and after each act it writes a line into its ledger. In every round some of the devices, and
often the server, are killed at a random moment. At the end all meet, and every ledger is held
against every store.
"""

import importlib
import json
import os
import signal
import socket
import time
from collections import Counter
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
from benchmarks.crash.relay import LossyNetwork
from recollect.engine import Recollect
from recollect.inference.static_embedder import StaticEmbedder
from recollect.vocabulary.clock import system_clock
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.memory import Memory

DEVICES = {"a": timedelta(days=3), "b": timedelta(), "c": timedelta(days=-3)}
_SHORTEST, _LONGEST = 0.2, 1.2
_MEETINGS = 6
_PATIENCE = 20.0
#: How often a device has no network for a round.
_OFFLINE = 0.25
_HOT = 3
_ACTS = (
    *("new", "new", "text", "text", "text", "tag", "forget", "supersede", "merge"),
    *("archive", "restore", "end", "relate", "unrelate", "pin", "decide", "decide"),
)
_fork = get_context("fork")


@dataclass
class SyncLosses:
    """What went wrong, each with a sentence."""

    lost: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    acknowledged: Counter[str] = field(default_factory=Counter)
    kills: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing did."""
        return not (self.lost or self.returned or self.differing)

    def lines(self, most: int = 20) -> list[str]:
        """The sentences, for people."""
        named = (("lost", self.lost), ("returned", self.returned), ("differing", self.differing))
        told = [f"{kind}: {sentence}" for kind, kept in named for sentence in kept[:most]]
        acts = ", ".join(f"{act} {count}" for act, count in sorted(self.acknowledged.items()))
        return [
            *told,
            f"{self.acknowledged.total():,} acts were acknowledged: {acts}",
            f"{self.kills:,} processes were killed",
        ]

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
        self._socket, self._door = _listening(), _listening()
        self._address = f"http://127.0.0.1:{_port(self._door)}"
        importlib.import_module("recollect.composition.features")
        importlib.import_module("recollect.surfaces.rest.application")
        importlib.import_module("recollect.sync.device")
        importlib.import_module("uvicorn")
        self._embedder = StaticEmbedder()
        self._embedder.embed(["warm"])
        self._token = ""
        self._kills = 0

    def run(self) -> SyncLosses:
        """All rounds, and then the meeting."""
        self._token = self._told(self._enrolled)
        server = self._start(self._serve)
        network = self._start(LossyNetwork(self._door, _port(self._socket), 7).run)
        for number in range(self._rounds):
            devices = {name: self._start(partial(self._live, name, number)) for name in DEVICES}
            self._await_work()
            time.sleep(self._chance.uniform(_SHORTEST, _LONGEST))
            victims: list[str] = self._chance.sample(sorted(devices), len(devices))
            for name in victims[: self._chance.randint(0, 2)]:
                self._kill(devices.pop(name))
            if self._chance.random() < 0.4:
                self._kill(server)
                server = self._start(self._serve)
            for process in devices.values():
                self._kill(process)
        stores = self._meet()
        for process in (server, network):
            self._kill(process)
        self._socket.close()
        self._door.close()
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

    def _kill(self, process: BaseProcess) -> None:
        if process.pid is not None and process.is_alive():
            os.kill(process.pid, signal.SIGKILL)
            self._kills += 1
        process.join()

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
        online = chance.random() > _OFFLINE
        self._socket.close()
        self._door.close()
        with self._open(name) as memory, (self._folder / f"{name}.ledger").open("a") as ledger:

            def note(*line: Any) -> None:
                ledger.write(json.dumps(line) + "\n")
                ledger.flush()
                os.fsync(ledger.fileno())

            while True:
                for step in range(chance.randint(1, 4)):
                    mark = f"{name}{number}.{time.monotonic_ns()}.{step}"
                    _Act(memory, chance, note, mark).run()
                if not online:
                    continue
                try:
                    memory.sync.now(self._address, token=self._token)
                except RecollectError:
                    time.sleep(0.02)

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
        """Everything of a store that must be the same on all."""
        with self._open(name) as memory:
            conflicts = {
                one.memory_id: sorted(version.content for version in one.versions)
                for one in memory.sync.conflicts()
            }
            found: dict[str, Any] = {}
            for archived in (False, True):
                cursor = None
                while True:
                    page = memory.list(limit=500, cursor=cursor, superseded=True, archived=archived)
                    for one in page.items:
                        found[one.id] = _facts(memory, one, conflicts)
                    cursor = page.next_cursor
                    if cursor is None:
                        break
            return found

    def _toll(self, stores: dict[str, dict[str, Any]]) -> SyncLosses:
        losses = SyncLosses(kills=self._kills)
        server = stores["server"]
        for name in DEVICES:
            for id in sorted(stores[name].keys() | server.keys()):
                here, there = stores[name].get(id), server.get(id)
                if here != there:
                    losses.differing.append(f"{id} on {name}: {here} and not {there}")
        acts = [act for name in DEVICES for act in _ledger(self._folder / f"{name}.ledger")]
        losses.acknowledged.update(act for state, act, *_ in acts if state == "done")
        forgotten = {id for state, act, id, *_ in acts if act == "forget" and state == "done"}
        perhaps = {id for _, act, id, *_ in acts if act == "forget"}
        replaced = {
            (id, text)
            for _, act, id, _, *seen in acts
            if act in ("text", "decide")
            for text in seen
        }
        losses.returned += sorted(forgotten & server.keys())
        for state, act, id, words, *_ in acts:
            if state != "done" or act not in ("new", "text") or id in perhaps:
                continue
            kept = server.get(id, {}).get("texts", ())
            if words not in kept and (id, words) not in replaced:
                losses.lost.append(f"{id}: {words}")
        for id, one in server.items():
            least, most = (
                1
                + sum(
                    (state, act, named) == (wanted, "merge", id) for state, act, named, *_ in acts
                )
                for wanted in ("done", "try")
            )
            if not least <= one["told"] <= most:
                losses.lost.append(f"{id}: told {one['told']} times, and not {least} to {most}")
        return losses


class _Act:
    """One thing that somebody does on a device, with what the ledger says of it."""

    def __init__(
        self, memory: Recollect, chance: Random, note: Callable[..., None], mark: str
    ) -> None:
        self._memory = memory
        self._chance = chance
        self._note = note
        self._mark = mark
        self._words = f"Fact {mark} was written down at {chance.random()}."

    def run(self) -> None:
        """Do something, by chance."""
        act = self._chance.choice(_ACTS)
        known = self._memory.list(limit=500, archived=act == "restore").items
        if act == "decide":
            self._decide()
        elif act == "new" or not known:
            made = self._memory.remember(self._words, visibility="project", repeats="keep")
            self._note("done", "new", made.id, self._words)
        else:
            # A few are changed by all, so that contents meet.
            one = self._chance.choice(known[-_HOT:] if self._chance.random() < 0.6 else known)
            self._note("try", act, one.id, self._words, one.content)
            try:
                getattr(self, f"_{act}")(one)
            except RecollectError:
                return
            self._note("done", act, one.id, self._words, one.content)

    def _text(self, one: Memory) -> None:
        self._memory.update(one.id, content=self._words)

    def _tag(self, one: Memory) -> None:
        kept = [tag for tag in one.tags if self._chance.random() < 0.7]
        self._memory.update(one.id, tags=[*kept, self._mark[-6:]])

    def _forget(self, one: Memory) -> None:
        self._memory.forget(one.id, for_good=True)

    def _supersede(self, one: Memory) -> None:
        made = self._memory.supersede(one.id, self._words, visibility="project")
        self._note("done", "new", made.id, self._words)

    def _merge(self, one: Memory) -> None:
        """Say again what is known: the same memory counts it and takes the new tag."""
        made = self._memory.remember(one.content, visibility="project", tags=[self._mark[-6:]])
        if made.id != one.id:  # it said the same as another, or was put away meanwhile
            act = "new" if made.times_told == 1 else "merge"
            for state in ("try", "done"):
                self._note(state, act, made.id, one.content)
            raise InvalidInput("Another memory counts it.")

    def _archive(self, one: Memory) -> None:
        self._memory.forget(one.id)

    def _restore(self, one: Memory) -> None:
        self._memory.restore(one.id)

    def _end(self, one: Memory) -> None:
        self._memory.update(one.id, valid_to=one.valid_from + timedelta(days=400))

    def _pin(self, one: Memory) -> None:
        self._memory.pin(one.id, not one.pinned)

    def _relate(self, one: Memory) -> None:
        other = self._chance.choice(self._memory.list(limit=50).items)
        self._memory.relate(one.id, "derived_from", memory=other.id)

    def _unrelate(self, one: Memory) -> None:
        for arrow in self._memory.relations(one.id):
            if arrow.source_id == one.id and arrow.type == "derived_from":
                self._memory.unrelate(one.id, "derived_from", memory=arrow.target_id)

    def _decide(self) -> None:
        """Keep one of the contents of a conflict."""
        conflicts = self._memory.sync.conflicts()
        if conflicts:
            one = self._chance.choice(conflicts)
            kept, *others = self._chance.sample(one.versions, len(one.versions))
            texts = [other.content for other in others]
            self._note("try", "decide", one.memory_id, kept.content, *texts)
            try:
                self._memory.sync.resolve(one.memory_id, keep=kept.version)
            except RecollectError:
                return
            self._note("done", "decide", one.memory_id, kept.content, *texts)


def _facts(memory: Recollect, one: Memory, conflicts: dict[str, list[str]]) -> dict[str, Any]:
    return {
        "content": one.content,
        "texts": conflicts.get(one.id, [one.content]),
        "tags": sorted(one.tags),
        "superseded_by": one.superseded_by,
        "supersedes": one.supersedes,
        "confidence": one.confidence,
        "valid": (str(one.valid_from), str(one.valid_to)),
        "archived": str(one.archived_at),
        "pinned": one.pinned,
        "told": one.times_told,
        "relations": sorted(
            (arrow.type, str(arrow.target_id), arrow.confidence)
            for arrow in memory.relations(one.id)
            if arrow.source_id == one.id
        ),
    }


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


def _listening() -> socket.socket:
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen(64)
    return made


def _port(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])
