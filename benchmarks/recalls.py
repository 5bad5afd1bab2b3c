"""``recall`` among 100,000 events, beside what one would write by hand with sqlite-vec and FTS5.

Both sides get a question as text and give back ten texts: ours as the verb that users call, with
its default profile; theirs embed or analyse the question, search one table and read the rows. Half
of the events are hidden from the viewer whose vectors are compared. Profiles of a single leg tell
what the rest of the pipeline costs, and whether a leg finds what an exact search finds.
"""

import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

import recollect
from benchmarks.fts5_baseline import PlainOr
from benchmarks.measures import Measure, Target, at_least, medians, time_text
from benchmarks.sqlite_vec_baseline import sqlite_vec_search
from benchmarks.stage import GUEST, OWNER, Stage, Store
from recollect.engine import Recollect
from recollect.index.analyser import analyse, query_terms
from recollect.recall.candidates import NEAR_ENOUGH
from recollect.recall.profiles import Profile

_LIMIT = 10
_TIMED = 60
_BY_VECTORS = Profile("vectors", {"meaning": 1.0})
_BY_WORDS = Profile("words", {"words": 1.0})

Vectors = NDArray[np.float32]
Ask = Callable[[int], object]


def measure(stage: Stage) -> list[Measure]:
    """Speed, sameness and memory of recall."""
    store, questions = stage.store, stage.questions
    plain = PlainOr(stage.folder / "plain.db", store.text_at)
    with (
        recollect.open(store.path, user=GUEST.user, embedder="static", worker=False) as guest,
        recollect.open(store.path, user=OWNER.user, embedder="none", worker=False) as words,
    ):
        return [
            *_to_sqlite_vec(store, guest, questions),
            *_to_fts5(store, words, plain, questions),
            _first_question(store, plain, questions[0]),
            *_same_vectors(store, guest, questions),
            _same_words(store, words, plain, questions),
            _memory(store, len(store.text_at) * 256),
        ]


def _asking(memory: Recollect, questions: list[str], profile: str | Profile | None = None) -> Ask:
    return lambda number: memory.recall(
        questions[number % len(questions)], kinds="event", limit=_LIMIT, profile=profile
    )


def _to_sqlite_vec(store: Store, memory: Recollect, questions: list[str]) -> list[Measure]:
    slots = np.array(list(store.text_at), np.int64)
    brute = sqlite_vec_search(slots, _embedded(store, list(store.text_at.values())), _LIMIT)
    if brute is None:
        print("sqlite-vec cannot be loaded by this Python: not compared.", file=sys.stderr)
        return []

    def by_hand(number: int) -> list[str]:
        vector = _embedded(store, [questions[number % len(questions)]])[0]
        return [store.text_at[slot] for slot, _ in brute(vector)]

    texts = f"{len(slots):,} events, half hidden"
    return [
        _faster(
            f"recall, {texts}, to sqlite-vec", _asking(memory, questions), by_hand, at_least(3)
        ),
        _faster(
            "recall, vectors alone, to sqlite-vec",
            _asking(memory, questions, _BY_VECTORS),
            by_hand,
            None,
        ),
    ]


def _to_fts5(
    store: Store, memory: Recollect, plain: PlainOr, questions: list[str]
) -> list[Measure]:
    """Without an embedder, as FTS5 has none. Recall leaves out stop words; so may FTS5."""

    def by_hand(words: Callable[[str], list[str]]) -> Ask:
        return lambda number: [
            store.text_at[slot]
            for slot, _ in plain.best(words(questions[number % len(questions)]), _LIMIT)
        ]

    every, telling = (
        by_hand(lambda asked: list(dict.fromkeys(analyse(asked)))),
        by_hand(query_terms),
    )
    texts = f"{len(store.text_at):,} events, no embedder"
    ours, legs = _asking(memory, questions), _asking(memory, questions, _BY_WORDS)
    return [
        _faster(f"recall, {texts}, to FTS5 OR of all words", ours, every, at_least(10)),
        _faster("recall, no embedder, to FTS5 OR without stop words", ours, telling, None),
        _faster("recall, words alone, to FTS5 OR without stop words", legs, telling, None),
    ]


def _faster(what: str, ours: Ask, theirs: Ask, target: Target | None) -> Measure:
    for number in range(_TIMED):  # what is asked for the first time is read from the store
        ours(number)
    fast, slow = medians(_TIMED, ours, theirs)
    return Measure(f"{what}, times faster", time_text(fast), time_text(slow), slow / fast, target)


def _first_question(store: Store, plain: PlainOr, question: str) -> Measure:
    """A recall with nothing in memory yet: it reads the places and the words of the question."""
    with recollect.open(store.path, user=OWNER.user, embedder="none", worker=False) as cold:
        started = perf_counter()
        cold.recall(question, kinds="event", limit=_LIMIT)
        first = perf_counter() - started
    started = perf_counter()
    plain.best(list(dict.fromkeys(analyse(question))), _LIMIT)
    usual = perf_counter() - started
    what = "recall, the first question of a process, no embedder, times faster than FTS5"
    return Measure(what, time_text(first), time_text(usual), usual / first)


def _same_vectors(store: Store, memory: Recollect, questions: list[str]) -> list[Measure]:
    """How many of the exact ten are found; one as near as the tenth counts as one of them."""
    asked = [question for question in questions[:100] if _embedded(store, [question]).any()]
    exact = _embedded(store, list(store.text_at.values()))
    exact[~np.isin(list(store.text_at), _visible_slots(store))] = 0.0
    row_of = {text: row for row, text in enumerate(store.text_at.values())}
    hits = wanted = 0
    for question in asked:
        scores = exact @ _embedded(store, [question])[0]
        best = np.partition(scores, len(scores) - _LIMIT)[len(scores) - _LIMIT :]
        wanted += int(np.count_nonzero(best >= NEAR_ENOUGH))
        found = memory.recall(question, kinds="event", limit=_LIMIT, profile=_BY_VECTORS)
        hits += sum(bool(scores[row_of[hit.text]] >= best.min() - 1e-3) for hit in found)
    what = f"recall, vectors alone, share of the exact top {_LIMIT} that is found"
    return [Measure(what, f"{hits:,} found", f"{wanted:,} exact", hits / wanted, at_least(0.99))]


def _same_words(store: Store, memory: Recollect, plain: PlainOr, questions: list[str]) -> Measure:
    slot_of = {text: slot for slot, text in store.text_at.items()}
    same = 0
    for question in questions:
        found = memory.recall(question, kinds="event", limit=_LIMIT, profile=_BY_WORDS)
        slots = [slot_of[hit.text] for hit in found]
        same += plain.as_good(query_terms(question), slots, _LIMIT)
    return Measure(
        f"recall, words alone, same top {_LIMIT} as FTS5 without stop words",
        f"{same:,} same",
        f"{len(questions):,} asked",
        same / len(questions),
        at_least(0.95),
    )


def _embedded(store: Store, texts: list[str]) -> Vectors:
    assert store.indexer.embedder is not None
    return store.indexer.embedder.embed(texts)


def _visible_slots(store: Store) -> list[int]:
    """What the guest may see, told by the rows and not by the index."""
    with store.database.reading() as transaction:
        rows = transaction.exec_driver_sql(
            "SELECT events.slot FROM events JOIN streams USING (space_id, stream_id) "
            "WHERE streams.access = 'open'"
        )
        return list(rows.scalars())


def _memory(store: Store, codes: int) -> Measure:
    """What a process grows by in its first recall, the rows that it reads having been read once."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.recall_memory", str(store.path)],
        check=True,
        capture_output=True,
        text=True,
    )
    grown = int(done.stdout)
    return Measure(
        "recall, memory of everything it indexes, to the vector codes",
        f"{grown / 1e6:,.1f} MB",
        f"{codes / 1e6:,.1f} MB",
        grown / codes,
    )
