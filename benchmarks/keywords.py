"""Keyword search among 100,000 texts beside a plain FTS5 OR over the same tokens.

Both sides are given the same words, all of them, the frequent ones too; what happens when ours
leaves out stop words, as it does for people, is told beside it.
"""

from collections.abc import Callable
from time import perf_counter

from benchmarks.fts5_baseline import PlainOr
from benchmarks.measures import Measure, Target, at_least, medians, time_text
from benchmarks.stage import OWNER, Stage, Store
from recollect.index.analyser import analyse, query_terms
from recollect.index.search_index import SearchIndex

_LIMIT = 10
_MOMENT = 2**60
_TIMED = 60

Terms = list[str]
Search = Callable[[Terms], list[int]]

#: What ours is asked and what the baseline is asked, question by question.
Asked = list[tuple[Terms, Terms]]


def measure(stage: Stage) -> list[Measure]:
    """Speed with known words, speed at the first question, and sameness."""
    store = stage.store
    plain = PlainOr(stage.folder / "plain.db", store.text_at)
    every = [list(dict.fromkeys(analyse(question))) for question in stage.questions]
    telling = [query_terms(question) for question in stage.questions]
    ours = _ours(store)
    for terms in (*every, *telling):
        ours(terms)
    all_words = list(zip(every, every, strict=True))
    without = list(zip(telling, telling, strict=True))
    ours_without = list(zip(telling, every, strict=True))
    texts = f"{len(store.text_at):,} texts"
    return [
        _speed(f"{texts}, all words", ours, plain, all_words, at_least(10)),
        _speed("ours without stop words", ours, plain, ours_without, None),
        _first_question(store, plain, every[0]),
        _same("all words", ours, plain, all_words, at_least(0.95)),
        _same("stop words left out by both", ours, plain, without, None),
        _same("stop words left out by ours alone", ours, plain, ours_without, None),
    ]


def _ours(store: Store) -> Search:
    index = SearchIndex(store.database.dialect)

    def search(terms: Terms) -> list[int]:
        with store.seen_by(OWNER) as (transaction, sight):
            found = index.keywords(
                transaction, sight, "events", terms, moment=_MOMENT, limit=_LIMIT
            )
        return [slot for slot, _ in found]

    return search


def _speed(how: str, ours: Search, plain: PlainOr, asked: Asked, target: Target | None) -> Measure:
    fast, slow = medians(
        min(_TIMED, len(asked) - 1),
        lambda number: ours(asked[number][0]),
        lambda number: plain.best(asked[number][1], _LIMIT),
    )
    what = f"keyword search, {how}, times faster"
    return Measure(what, time_text(fast), time_text(slow), slow / fast, target)


def _first_question(store: Store, plain: PlainOr, terms: Terms) -> Measure:
    """A search with nothing in memory yet: it reads the places and the words of the question."""
    cold = _ours(store)
    started = perf_counter()
    cold(terms)
    first = perf_counter() - started
    started = perf_counter()
    plain.best(terms, _LIMIT)
    usual = perf_counter() - started
    what = "keyword search, the first question of a process, times faster"
    return Measure(what, time_text(first), time_text(usual), usual / first)


def _same(how: str, ours: Search, plain: PlainOr, asked: Asked, target: Target | None) -> Measure:
    same = sum(plain.as_good(theirs, ours(mine), _LIMIT) for mine, theirs in asked)
    return Measure(
        f"keyword search, same top {_LIMIT}: {how}",
        f"{same:,} same",
        f"{len(asked):,} asked",
        same / len(asked),
        target,
    )
