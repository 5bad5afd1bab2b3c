"""A filter never lets through what it excludes: random filters on every path, against an oracle.

The oracle reads every memory and event by other verbs and looks at each by itself.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.recall.profiles import PROFILES
from recollect.vocabulary.events import Event
from recollect.vocabulary.memory import Memory
from tests.clocks import START
from tests.stores import StoreMaker

WORDS = ("alpha", "beta", "gamma", "delta")
#: What a text ends with: code in several forms, and what only looks a little like it.
CODE = (" `total`", "", "\n```\nx\n```", " ` alone", " <CODE>x", "\ndef f():\n  x", " (); {}")
STREAMS = ("one", "two", "three")
TYPES = ("fact", "gotcha", "decision", "preference")
HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)
MOMENTS = st.integers(-5, 60).map(lambda hours: START + hours * HOUR)


class Judge:
    """A reranker that turns the order round."""

    model_id = "judge"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        return [place / max(len(texts), 1) for place in range(len(texts))]


class World(NamedTuple):
    """A store, the same store with models at every step, and everything that is in it."""

    plain: Recollect
    helped: Recollect
    memories: tuple[Memory, ...]
    events: tuple[Event, ...]


def world(stores: StoreMaker) -> World:
    """One store for all examples."""
    known: World | None = getattr(stores, "world", None)
    if known is not None:
        return known
    address = stores.ready()
    memory = stores.open(address)
    streams = [memory.open_stream(name) for name in STREAMS]
    for number in range(40):
        memory.record(
            f"common {WORDS[number % 4]} {WORDS[number // 4 % 4]}{CODE[number % 5]}",
            author=("Ann", "Bob")[number % 2],
            stream=STREAMS[number % 3],
            occurred_at=START + number * 2 * HOUR + (number // 10) * 20 * HOUR,
        )
    for number in range(40):
        stores.clock.now = START + number * HOUR
        home: dict[str, Any] = {"visibility": "stream", "stream": streams[number % 3].id}
        kept = memory.remember(
            f"common {WORDS[number % 4]} {WORDS[number // 8 % 4]}{CODE[number % 7]}",
            type=TYPES[number % 4],
            source=("user_taught", "qa_auto", "agent_explicit")[number % 3],
            scope=("global", "module")[number % 2],
            tags=["red", "blue", "green"][: number % 4],
            files=["a.py", "b.py"][: number % 3],
            modules=["core"][: number % 2],
            confidence=number % 10 / 10,
            pinned=number % 5 == 0,
            needs_review=number % 7 == 0,
            **(home if number % 6 == 5 else {}),
        )
        if number % 9 == 4:
            memory.supersede(kept.id, f"common {WORDS[number % 4]} anew")
        if number % 11 == 6:
            memory.forget(kept.id)
    stores.clock.now = START + 100 * HOUR
    helped = stores.open(address, reranker=Judge(), imagine=lambda question: "common gamma delta")
    current = memory.list(limit=1_000).items
    archived = memory.list(limit=1_000, archived=True).items
    superseded = memory.list(limit=1_000, superseded=True).items
    every = {one.id: one for one in (*current, *archived, *superseded)}
    said = [event for name in STREAMS for event in memory.read(name, limit=1_000).items]
    found = World(memory, helped, tuple(every.values()), tuple(said))
    stores.world = found  # type: ignore[attr-defined]
    return found


ONE_BY_ONE: dict[str, st.SearchStrategy[Any]] = {
    "types": st.sets(st.sampled_from(TYPES), min_size=1),
    "sources": st.sets(st.sampled_from(["user_taught", "qa_auto"]), min_size=1),
    "scopes": st.sets(st.sampled_from(["global", "module"]), min_size=1),
    "tags": st.sets(st.sampled_from(["red", "blue", "green"]), min_size=1),
    "files": st.sets(st.sampled_from(["a.py", "b.py", "c.py"]), min_size=1),
    "modules": st.just({"core"}),
    "authors": st.sets(st.sampled_from(["ada", "Ann", "Bob"]), min_size=1),
    "streams": st.sets(st.sampled_from(STREAMS), min_size=1),
    "created_after": MOMENTS,
    "created_before": MOMENTS,
    "minimum_confidence": st.sampled_from([0.0, 0.3, 0.75]),
    "pinned": st.booleans(),
    "needs_review": st.booleans(),
    "has_code": st.booleans(),
    "superseded": st.booleans(),
    "as_of": MOMENTS,
}
#: Few at a time: all of them together would leave nothing to look at.
NARROW = st.sets(st.sampled_from(sorted(ONE_BY_ONE)), max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: ONE_BY_ONE[name] for name in sorted(names)})
)
ONLY_MEMORIES = {
    *("types", "sources", "scopes", "tags", "files", "modules", "minimum_confidence"),
    *("pinned", "needs_review", "as_of"),
}


def holds_code(text: str) -> bool:
    """Whether one of the forms of code stands in a text."""
    return any(form in text for form in CODE if form.strip() and form not in CODE[3::3])


def lets_memory(one: Memory, narrow: dict[str, Any], now: datetime) -> bool:
    """Whether a memory is what the filters ask for, looked at by itself."""
    ties = {"tags": one.tags, "files": one.files, "modules": one.modules}
    fields = {
        "types": one.type.value,
        "sources": one.provenance.source.value,
        "scopes": one.scope.value,
        "authors": one.provenance.created_by,
        "streams": one.audience.stream,
    }
    moment = narrow.get("as_of", now)
    return all(
        (
            not one.archived,
            all(fields[name] in narrow[name] for name in fields if name in narrow),
            all(set(ties[name]) & narrow[name] for name in ties if name in narrow),
            one.confidence >= narrow.get("minimum_confidence", 0.0),
            one.pinned == narrow.get("pinned", one.pinned),
            one.needs_review == narrow.get("needs_review", one.needs_review),
            holds_code(one.content) == narrow.get("has_code", holds_code(one.content)),
            one.created_at >= narrow.get("created_after", one.created_at),
            "created_before" not in narrow or one.created_at < narrow["created_before"],
            narrow.get("superseded", False) or one.valid_to is None or one.valid_to > moment,
            "as_of" not in narrow or one.valid_from <= moment,
        )
    )


def lets_event(one: Event, narrow: dict[str, Any]) -> bool:
    return all(
        (
            not ONLY_MEMORIES & {name for name, value in narrow.items() if value is not None},
            one.author in narrow.get("authors", {one.author}),
            one.stream_id in narrow.get("streams", {one.stream_id}),
            holds_code(one.text) == narrow.get("has_code", holds_code(one.text)),
            one.occurred_at >= narrow.get("created_after", one.occurred_at),
            "created_before" not in narrow or one.occurred_at < narrow["created_before"],
        )
    )


def sessions(events: Sequence[Event]) -> list[list[Event]]:
    """Stretches of a stream without a pause of more than eight hours, by their end."""
    found: list[list[Event]] = []
    for stream in {one.stream_id for one in events}:
        ordered = sorted(
            (one for one in events if one.stream_id == stream), key=lambda one: one.occurred_at
        )
        for one in ordered:
            last = found[-1][-1] if found else None
            near = (
                last is not None
                and last.stream_id == stream
                and one.occurred_at - last.occurred_at <= 8 * HOUR
            )
            found[-1].append(one) if near else found.append([one])
    return sorted(found, key=lambda some: (some[-1].occurred_at, some[0].stream_id))


def allowed(kept: World, narrow: dict[str, Any], last: int | None, now: datetime) -> set[str]:
    """The ids of everything that may come."""
    memories = {one.id: one for one in kept.memories if lets_memory(one, narrow, now)}
    events = {one.id: one for one in kept.events if lets_event(one, narrow)}
    if last is None:
        return {*memories, *events}
    chosen = sessions(kept.events)[-last:]
    said = {one.id for some in chosen for one in some}
    made = {
        name
        for name, one in memories.items()
        if any(
            some[0].occurred_at <= one.created_at <= some[-1].occurred_at + 8 * HOUR
            for some in chosen
        )
    }
    return (events.keys() & said) | made


ASKED = st.fixed_dictionaries(
    {"profile": st.sampled_from(sorted(PROFILES))},
    optional={"last_sessions": st.integers(1, 4)},
)


@given(narrow=NARROW, asked=ASKED, word=st.sampled_from(["", *WORDS]), helped=st.booleans())
def test_what_comes_is_what_the_oracle_lets_through(
    lasting_stores: StoreMaker,
    narrow: dict[str, Any],
    asked: dict[str, Any],
    word: str,
    helped: bool,
) -> None:
    kept = world(lasting_stores)
    if "streams" in narrow:
        wanted = {kept.plain.open_stream(name).id for name in narrow["streams"]}
        narrow = {**narrow, "streams": wanted}
    view = kept.helped if helped else kept.plain
    answer = view.recall(f"common {word}", limit=1_000, **asked, **narrow)
    found = {hit.id for hit in answer}
    assert found == allowed(kept, narrow, asked.get("last_sessions"), lasting_stores.clock.now)
    assert len(found) == len(answer)


@given(narrow=NARROW, profile=st.sampled_from(sorted(PROFILES)), limit=st.integers(1, 7))
def test_few_results_keep_to_the_filter_too(
    lasting_stores: StoreMaker, narrow: dict[str, Any], profile: str, limit: int
) -> None:
    kept = world(lasting_stores)
    narrow = {name: value for name, value in narrow.items() if name != "streams"}
    answer = kept.helped.recall("gamma delta", limit=limit, profile=profile, **narrow)
    assert len(answer) <= limit
    assert {hit.id for hit in answer} <= allowed(kept, narrow, None, lasting_stores.clock.now)
    dropped = {one.id for one in kept.helped.recall("gamma", explain=True, **narrow).dropped}
    assert dropped <= allowed(kept, narrow, None, lasting_stores.clock.now)


@pytest.mark.parametrize("apart", [-TICK, timedelta(0), TICK], ids=["before", "at", "after"])
@pytest.mark.parametrize("name", ["created_after", "created_before"])
def test_a_bound_of_time_is_exact(lasting_stores: StoreMaker, name: str, apart: timedelta) -> None:
    """Random moments seldom fall on the very moment at which something was said."""
    kept = world(lasting_stores)
    for one in (kept.events[7], kept.events[23]):
        narrow: dict[str, Any] = {name: one.occurred_at + apart}
        found = {hit.id for hit in kept.plain.recall("common", limit=1_000, **narrow)}
        assert found == allowed(kept, narrow, None, lasting_stores.clock.now)
        assert (one.id in found) == (
            apart <= timedelta(0) if name == "created_after" else apart > timedelta(0)
        )


def test_a_memory_belongs_to_a_session_until_eight_hours_after_it(stores: StoreMaker) -> None:
    memory = stores.open(stores.ready())
    memory.record("common talk", stream="one", occurred_at=START)
    made: list[str] = []
    for late in (8 * HOUR - TICK, 8 * HOUR, 8 * HOUR + TICK):
        stores.clock.now = START + late - timedelta(milliseconds=1)  # it goes on as it is read
        kept = memory.remember(f"common note {len(made)}")
        assert kept.created_at == START + late
        made.append(kept.id)
    stores.clock.now = START + 100 * HOUR
    found = {hit.id for hit in memory.recall("common", limit=100, last_sessions=1)}
    assert found & set(made) == set(made[:2])


def test_the_oracle_is_not_blind(lasting_stores: StoreMaker) -> None:
    """Most filters leave something and take something, or the properties above say nothing."""
    kept = world(lasting_stores)
    everything = allowed(kept, {}, None, lasting_stores.clock.now)
    for narrow in ({"types": {"gotcha"}}, {"authors": {"Ann"}}, {"pinned": True}, {"as_of": START}):
        found = allowed(kept, narrow, None, lasting_stores.clock.now)
        assert len(found) < len(everything), narrow
    assert allowed(kept, {"types": {"gotcha"}}, None, lasting_stores.clock.now)
