"""Vector search among 100,000 texts, half of them hidden, beside the bare scan and sqlite-vec.

The bare scan is what the library does with the same codes: no filter, no exact scores, no store.
"""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from benchmarks.measures import Measure, at_least, at_most, medians, time_text
from benchmarks.sqlite_vec_baseline import sqlite_vec_search
from benchmarks.stage import GUEST, Stage, Store
from recollect.index.search_index import SearchIndex

_LIMIT = 10
_MOMENT = 2**60
_QUESTIONS = 100


def measure(stage: Stage) -> list[Measure]:
    """Speed, sameness and memory."""
    store = stage.store
    slots, exact = _exact(store)
    asked = _asked(store, stage.questions[:_QUESTIONS])
    ours = _ours(store)
    return [
        _to_bare_scan(ours, exact, asked),
        *_to_sqlite_vec(ours, slots, exact, asked),
        _recall(store, ours, slots, exact, asked),
        _memory(store, len(slots) * exact.shape[1]),
    ]


Vectors = NDArray[np.float32]
Search = Callable[[Vectors], Any]


def _to_bare_scan(ours: Search, exact: Vectors, asked: Vectors) -> Measure:
    bare = _bare_scan(exact)
    searched, scanned = medians(len(asked) - 1, _of(ours, asked), _of(bare, asked))
    return Measure(
        f"vector search, {len(exact):,} x {exact.shape[1]}, half hidden, to the bare scan",
        time_text(searched),
        time_text(scanned),
        searched / scanned,
        at_most(1.5),
    )


def _to_sqlite_vec(
    ours: Search, slots: NDArray[np.int64], exact: Vectors, asked: Vectors
) -> list[Measure]:
    brute = sqlite_vec_search(slots, exact, _LIMIT)
    if brute is None:
        print("sqlite-vec cannot be loaded by this Python: not compared.", file=sys.stderr)
        return []
    searched, brutal = medians(len(asked) // 4, _of(ours, asked), _of(brute, asked))
    return [
        Measure(
            "vector search, times faster than sqlite-vec",
            time_text(searched),
            time_text(brutal),
            brutal / searched,
            at_least(3),
        )
    ]


def _of(act: Search, asked: Vectors) -> Callable[[int], object]:
    return lambda number: act(asked[number % len(asked)])


def _exact(store: Store) -> tuple[NDArray[np.int64], Vectors]:
    """Every slot and the vector of its text, in full precision and not as the store keeps it."""
    slots = np.array(list(store.text_at), np.int64)
    return slots, _embedded(store, list(store.text_at.values()))


def _asked(store: Store, questions: list[str]) -> Vectors:
    """The vectors of those questions that have a known word."""
    asked = _embedded(store, questions)
    return asked[np.any(asked, axis=1)]


def _embedded(store: Store, texts: list[str]) -> Vectors:
    assert store.indexer.embedder is not None
    return store.indexer.embedder.embed(texts)


def _ours(store: Store) -> Search:
    index = SearchIndex(store.database.dialect)

    def search(vector: Vectors) -> list[tuple[int, float]]:
        with store.seen_by(GUEST) as (transaction, sight):
            return index.vectors(
                transaction,
                sight,
                "events",
                store.indexer.model,
                vector,
                moment=_MOMENT,
                limit=_LIMIT,
            )

    return search


def _bare_scan(exact: Vectors) -> Search:
    codes = np.rint(exact * (127 / np.abs(exact).max())).astype(np.int8)

    def search(vector: Vectors) -> NDArray[np.int64]:
        coded = np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8)
        scores = np.asarray(simsimd.cdist(coded[None, :], codes, metric="dot"))[0]
        best = np.argpartition(scores, len(scores) - _LIMIT)[len(scores) - _LIMIT :]
        return best[np.argsort(-scores[best])]

    return search


def _recall(
    store: Store,
    ours: Search,
    slots: NDArray[np.int64],
    exact: Vectors,
    asked: Vectors,
) -> Measure:
    """How many of the true ten are found; one as near as the tenth counts as one of them."""
    visible = np.isin(slots, _visible_slots(store))
    scores = exact @ asked.T
    scores[~visible] = -np.inf
    place = {int(slot): row for row, slot in enumerate(slots)}
    hits = 0
    for number, vector in enumerate(asked):
        tenth = np.partition(scores[:, number], len(slots) - _LIMIT)[len(slots) - _LIMIT]
        hits += sum(scores[place[slot], number] >= tenth - 1e-6 for slot, _ in ours(vector))
    share = hits / (len(asked) * _LIMIT)
    return Measure(
        f"vector search, share of the exact top {_LIMIT} that is found",
        f"{hits:,} found",
        f"{len(asked) * _LIMIT:,} exact",
        share,
        at_least(0.99),
    )


def _visible_slots(store: Store) -> list[int]:
    """What the guest may see, told by the rows and not by the index."""
    with store.database.reading() as transaction:
        rows = transaction.exec_driver_sql(
            "SELECT events.slot FROM events JOIN streams USING (space_id, stream_id) "
            "WHERE streams.access = 'open'"
        )
        return list(rows.scalars())


def _memory(store: Store, matrix: int) -> Measure:
    """What a process grows by when it makes its index, the rows it reads having been read once."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.vector_memory", str(store.path), store.space.name],
        check=True,
        capture_output=True,
        text=True,
    )
    grown = int(done.stdout)
    return Measure(
        "vector index, memory to its codes",
        f"{grown / 1e6:,.1f} MB",
        f"{matrix / 1e6:,.1f} MB",
        grown / matrix,
        at_most(1.5),
    )
