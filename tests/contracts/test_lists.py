"""Lists: filters equal a plain walk over all memories, and pages neither skip nor repeat."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType, Scope, Source
from recollect.vocabulary.results import Filters, Recalled
from tests.clocks import START, TickingClock
from tests.stores import StoreMaker

HOUR = timedelta(hours=1)
WORDS = ("red", "green", "blue")


def let_through(memory: Memory, filters: Filters, now_is: TickingClock) -> bool:
    """The filters in words: each that is set must hold."""
    moment = filters.as_of or now_is.now
    listed: list[tuple[frozenset[str], set[str]]] = [
        (filters.types, {memory.type.value}),
        (filters.sources, {memory.provenance.source.value}),
        (filters.scopes, {memory.scope.value}),
        (filters.authors, {memory.provenance.created_by}),
        (filters.streams, {memory.audience.stream or ""}),
        (filters.tags, set(memory.tags)),
        (filters.files, set(memory.files)),
        (filters.modules, set(memory.modules)),
    ]
    over = memory.valid_to is not None and memory.valid_to <= moment
    rules = [
        all(not wanted or wanted & has for wanted, has in listed),
        memory.archived == filters.archived,
        filters.pinned in {None, memory.pinned},
        filters.needs_review in {None, memory.needs_review},
        memory.confidence >= (filters.minimum_confidence or 0),
        filters.archived or filters.superseded or not over,
        filters.as_of is None or memory.valid_from <= filters.as_of,
        filters.created_after is None or memory.created_at >= filters.created_after,
        filters.created_before is None or memory.created_at < filters.created_before,
    ]
    return all(rules)


some = {
    "types": st.frozensets(st.sampled_from(["fact", "gotcha", "memo"])),
    "sources": st.frozensets(st.sampled_from(["system", "user_taught"])),
    "scopes": st.frozensets(st.sampled_from(["global", "module"])),
    "tags": st.frozensets(st.sampled_from(WORDS)),
    "files": st.frozensets(st.sampled_from(WORDS)),
    "modules": st.frozensets(st.sampled_from(WORDS)),
    "authors": st.frozensets(st.sampled_from(["ada", "bob", "nobody"])),
    "streams": st.just(frozenset[str]()),
    "created_after": st.none() | st.integers(0, 20).map(lambda hours: START + hours * HOUR),
    "created_before": st.none() | st.integers(0, 20).map(lambda hours: START + hours * HOUR),
    "minimum_confidence": st.none() | st.sampled_from([0.0, 0.5, 1.0]),
    "pinned": st.none() | st.booleans(),
    "needs_review": st.none() | st.booleans(),
    "archived": st.booleans(),
    "superseded": st.booleans(),
    "as_of": st.none() | st.integers(-5, 25).map(lambda hours: START + hours * HOUR),
}


def few(name: str) -> st.SearchStrategy[Any]:
    """Most filters are left alone, so that the others have something to let through."""
    default = getattr(Filters(), name)
    return st.one_of(st.just(default), st.just(default), st.just(default), some[name])


@pytest.fixture
def world(stores: StoreMaker, clock: TickingClock) -> tuple[Recollect, list[Memory]]:
    """Sixty memories that differ in every respect that can be filtered by."""
    memory = stores.open()
    memory.add_member("bob")
    views = memory, memory.within(user="bob")
    channel = memory.open_stream("channel")
    for number in range(60):
        clock.now = START + number * HOUR / 3
        view = views[number % 7 == 3]
        kept = view.remember(
            f"number {number}",
            type=("fact", "gotcha", "memo")[number % 3],
            source=("system", "user_taught", "qa_auto")[number % 3 - number % 2],
            scope=("global", "module", "session")[number // 3 % 3],
            tags=[WORDS[number % 3], WORDS[number // 3 % 3]][: number % 4],
            files=[WORDS[number // 5 % 3]][: number % 2],
            modules=[WORDS[number // 7 % 3]][: number % 3],
            confidence=(0.2, 0.5, 1.0)[number // 2 % 3],
            pinned=number % 5 == 0,
            needs_review=number % 6 == 0,
            stream=channel.id if number % 8 == 0 else None,
            valid_from=None if number % 4 else START - HOUR,
            valid_to=START + number * HOUR if number % 9 == 0 else None,
        )
        if number % 10 == 4:
            memory.forget(kept.id)
        if number % 11 == 5:
            memory.supersede(kept.id, f"number {number} anew", tags=[WORDS[number % 3]])
    everything = [
        *memory.list(limit=1_000, superseded=True).items,
        *memory.list(limit=1_000, archived=True, superseded=True).items,
    ]
    assert len(everything) == 60 + 5
    return memory, everything


@given(data=st.data())
def test_list_equals_a_plain_walk(
    world: tuple[Recollect, list[Memory]], clock: TickingClock, data: st.DataObject
) -> None:
    memory, everything = world
    drawn: dict[str, Any] = {name: data.draw(few(name), label=name) for name in some}
    filters = Filters(**drawn)
    if data.draw(st.booleans(), label="of the channel"):
        filters = replace(filters, streams=frozenset([memory.open_stream("channel").id]))
    limit = data.draw(st.integers(1, 70), label="limit")

    found: list[Memory] = []
    cursor = None
    for _ in everything:
        page = memory.list(filters=filters, cursor=cursor, limit=limit)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break

    expected = [item for item in everything if let_through(item, filters, clock)]
    assert found == sorted(expected, key=lambda item: item.id, reverse=True)


def listed(view: Recollect, **narrow: Any) -> tuple[Memory, ...]:
    return view.list(**narrow).items


def recalled(view: Recollect, **narrow: Any) -> Recalled:
    return view.recall("x", **narrow)


def test_filter_names_and_words(memory: Recollect) -> None:
    one = memory.remember("x", type="gotcha", tags=["red"], source="system", scope="module")
    narrow: dict[str, Any] = {
        "type": "gotcha",
        "types": ["gotcha"],
        "tag": "red",
        "tags": {"red", "unused"},
        "source": "system",
        "scope": "module",
        "author": "ada",
        "pinned": False,
    }
    for name, value in narrow.items():
        assert listed(memory, **{name: value}) == (one,), name
    assert memory.list(filters=Filters(), tag="blue").items == ()
    assert memory.list(tag=None, type=None).items == (one,)
    for wrong in ("colour", "typ"):
        with pytest.raises(InvalidInput, match="There is no filter"):
            listed(memory, **{wrong: "x"})
        with pytest.raises(InvalidInput, match="There is no filter"):
            recalled(memory, **{wrong: "x"})


@pytest.mark.parametrize("name", ["type", "source", "scope"])
def test_unknown_word_in_a_filter_is_an_error_and_not_an_empty_list(
    memory: Recollect, name: str
) -> None:
    whole: dict[str, Any] = {f"{name}s": frozenset(["nonsense"])}
    attempts: list[Callable[[], object]] = [
        lambda: listed(memory, **{name: "nonsense"}),
        lambda: recalled(memory, **{name: "nonsense"}),
        lambda: listed(memory, filters=Filters(**whole)),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput, match="Choose one of"):
            attempt()
    known = {"type": MemoryType, "source": Source, "scope": Scope}[name]
    for word in known:
        listed(memory, **{name: word})
        recalled(memory, **{name: word.value})


def test_pages_go_on_while_memories_come_and_go(memory: Recollect) -> None:
    kept = [memory.remember(f"{number}") for number in range(10)]
    first = memory.list(limit=4)
    memory.remember("newer than the list")
    memory.forget(kept[5].id)
    memory.forget(kept[9].id, for_good=True)
    second = memory.list(limit=4, cursor=first.next_cursor)
    third = memory.list(limit=4, cursor=second.next_cursor)

    seen = [item.content for page in (first, second, third) for item in page.items]
    assert seen == ["9", "8", "7", "6", "4", "3", "2", "1", "0"]
    assert third.next_cursor is None
    for wrong in ("", "nonsense", kept[0].id[:-1], "evt_" + "0" * 26):
        with pytest.raises(InvalidInput, match="cursor"):
            memory.list(cursor=wrong)


@pytest.mark.parametrize("order", ["unsure", "used"])
def test_pages_in_another_order_hold_each_memory_once(memory: Recollect, order: str) -> None:
    for number in range(9):
        kept = memory.remember(f"Thing {number} is so.", confidence=(number % 4) / 4)
        for _ in range(number % 3):
            memory.get(kept.id)
    memory._services.serving.flush()
    seen: list[Memory] = []
    cursor = None
    while True:
        page = memory.list(limit=2, order=order, cursor=cursor)
        seen += page.items
        if (cursor := page.next_cursor) is None:
            break
    assert len({one.id for one in seen}) == len(seen) == 9
    keys = [
        one.confidence if order == "unsure" else -(one.counts.access + one.counts.retrieval)
        for one in seen
    ]
    assert keys == sorted(keys)


def test_order_that_is_unknown_is_refused(memory: Recollect) -> None:
    with pytest.raises(InvalidInput, match="order"):
        memory.list(order="loudest")
