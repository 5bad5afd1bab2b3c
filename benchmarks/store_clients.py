"""Clients of one store, each a process of its own, that begin together and are timed together."""

import multiprocessing
from collections.abc import Callable
from itertools import count
from multiprocessing.context import SpawnProcess
from time import perf_counter
from typing import Any

import recollect
from benchmarks.bare_postgres import BarePostgres
from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError

_PATIENCE = 600.0


def write(memory: Recollect, texts: list[str], number: int) -> None:
    """Remember every text."""
    for text in texts:
        memory.remember(f"{text} (client {number})")


def search(memory: Recollect, questions: list[str], _number: int) -> None:
    """Ask every question."""
    for question in questions:
        memory.recall(question, limit=10)


BY_HAND = "by hand"
ACTS: dict[str, Callable[[Recollect, list[str], int], None]] = {"write": write, "search": search}


def throughput(
    address: str, act: str, work: list[list[str]], embedder: str = "static", *, apart: bool = False
) -> float:
    """How much all clients together do in a second; each has a list of texts of its own.

    They share one space, or each has its own.
    """
    context = multiprocessing.get_context("spawn")
    gate = context.Barrier(len(work) + 1)
    ends: Any = context.SimpleQueue()
    clients = [
        context.Process(
            target=_client,
            args=(
                (address, embedder, f"space-{number}" if apart else None),
                act,
                texts,
                number,
                (gate, ends),
            ),
        )
        for texts, number in zip(work, count(), strict=False)
    ]
    for client in clients:
        client.start()
    gate.wait(_PATIENCE)
    started = perf_counter()
    last: float = max(ends.get() for _ in clients)  # one clock serves all processes of a machine
    _joined(clients)
    return sum(map(len, work)) / (last - started)


def _client(
    place: tuple[str, str, str | None],
    act: str,
    texts: list[str],
    number: int,
    signals: tuple[Any, Any],
) -> None:
    address, embedder, space = place
    gate, ends = signals
    if act == BY_HAND:
        _insert_by_hand(address, texts, gate, ends)
        return
    try:
        with recollect.open(
            address, user="owner", space=space, embedder=embedder, worker=False
        ) as memory:
            memory.recall("warm up", limit=10)
            gate.wait(_PATIENCE)
            ACTS[act](memory, texts, number)
            ends.put(perf_counter())
    except RecollectError:
        gate.abort()
        raise


def _insert_by_hand(addresses: str, ids: list[str], gate: Any, ends: Any) -> None:
    """The rows of memories that the engine wrote, read beforehand and inserted by psycopg."""
    bare = BarePostgres(*addresses.split())
    every = [bare.rows_of(one) for one in ids]
    bare.insert(every[0])
    gate.wait(_PATIENCE)
    for rows in every[1:]:
        bare.insert(rows)
    ends.put(perf_counter())
    bare.close()


def _joined(clients: list[SpawnProcess]) -> None:
    for client in clients:
        client.join()
    failed = [client.exitcode for client in clients if client.exitcode]
    if failed:
        raise RuntimeError(f"{len(failed)} clients failed.")
