"""Bad input of every kind for every argument of every verb.

A verb either refuses with one of our errors, and then nothing at all has changed; or, where the
table says so, gives a sensible answer. No other exception ever comes out.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.memories.changes import CHANGEABLE
from recollect.memories.drafts import Draft
from recollect.storage.database import Database
from recollect.vocabulary.errors import InvalidInput, NotFound, RecollectError
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.memory import WorkUnit
from recollect.vocabulary.results import Filters
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker

NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001
TOO_EARLY = datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))
HUGE = "x" * 1_000_000  # longer than anything may be
NAN, INFINITE = float("nan"), float("inf")
NOT_TEXT: tuple[Any, ...] = (5, 1.5, True, b"x", ["x"], {"x": 1}, object(), NAIVE)
UNSTORABLE = ("nul \x00", "half \ud800", "\udfff")
BLANK = ("", "   ", "\n\t", "\u3000")
OPERATORS = (
    *('"', '"unclosed', "*", "alpha*", "NEAR(alpha beta, 2)", "AND (", "OR", "NOT", "alpha AND ("),
    *("col:", "tokens:alpha", "{a b}:c", "^alpha", "a + b", "-alpha", "'; DROP TABLE memories;--"),
    *("%", "_", "\\", "?", ":seen_space", "__[POSTCOMPILE_ids]", "%s", "%(x)s", "{}", "\r\n"),
)

BAD_UNITS: tuple[Any, ...] = (
    WorkUnit(5, ("a",), "b"),  # type: ignore[arg-type]
    WorkUnit("m", "abc", "b"),  # type: ignore[arg-type]
    WorkUnit("m", ("\x00",), "b"),
    WorkUnit("m", ("a",), "\ud800"),
    WorkUnit("", (), ""),
)

#: What is no good, by the kind of argument.
BAD: dict[str, tuple[Any, ...]] = {
    "text": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE),
    "event text": (*NOT_TEXT, None, ""),
    "new event text": (*NOT_TEXT, None, *BLANK),
    "query": (*NOT_TEXT, None, *BLANK),
    "name": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, "x" * 201, "two\nlines"),
    "name or none": (*NOT_TEXT, *BLANK, *UNSTORABLE, HUGE, "x" * 201, "two\nlines"),
    "filter name": (5, 1.5, True, object(), *BLANK, *UNSTORABLE, HUGE, [5], [None], [""], b"x"),
    "outside name": (*NOT_TEXT, ""),
    "author": (*NOT_TEXT, *BLANK, HUGE, "x" * 201),
    "memory": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, *OPERATORS, "mem_" + "0" * 26, "evt_1"),
    "event": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, *OPERATORS, "evt_" + "0" * 26, "mem_1"),
    "event or none": (*NOT_TEXT, *BLANK, *UNSTORABLE, HUGE, "evt_" + "0" * 26),
    "stream or none": (*NOT_TEXT, *BLANK, *UNSTORABLE, HUGE, "str_" + "0" * 26, "no such stream"),
    "stream": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, "str_" + "0" * 26, "no such stream"),
    "new stream": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, "str_" + "0" * 26),
    "word": (*NOT_TEXT, None, *BLANK, *UNSTORABLE, HUGE, "nonsense", "FACT", "fact "),
    "word or none": (*NOT_TEXT, *BLANK, *UNSTORABLE, HUGE, "nonsense", "FACT"),
    "fraction": (NAN, INFINITE, -INFINITE, True, "0.5", -0.1, 1.1, None, [], 10**5_000, 2),
    "allowance": (NAN, INFINITE, -1, True, "5", [], 10**5_000),
    "note": (*NOT_TEXT, *UNSTORABLE, HUGE),
    "days": (NAN, INFINITE, 0, -1, True, "5", [], 10**5_000),
    "flag": (0, 1, "yes", "", None, [], 0.0),
    "budget": (-1, 1.5, True, "5", NAN, 10**30, []),
    "count": (0, -1, 1.5, True, "5", None, NAN, 10**30, []),
    "window": (-1, 1.5, True, "5", None, 10**30),
    "revision": (0, -1, 1.5, "1", [], 99),
    "time": (NAIVE, TOO_EARLY, "2026-01-01", 5, True, [], 0, ""),
    "time, not none": (NAIVE, TOO_EARLY, "2026-01-01", 5, True, [], 0, "", None),
    "names": ("word", 5, None, True, object(), [5], [None], [""], ["\x00"], ["\ud800"], [HUGE]),
    "files": ("a.py", 5, None, [5], [""], ["/etc/passwd"], ["../up.py"], ["C:\\x"], ["a\x00"]),
    "file": (5, "", "/etc/passwd", "../up.py", "C:/x", "\ud800", HUGE, ["a.py"], "."),
    "extras": (5, "text", ["key"], {"nonsense": 1}, {"key": 5}, {5: 1}, {"key": "\ud800"}),
    "payload": (5, "text", ["x"], {"x": object()}, {"x": NAN}, {(1, 2): 1}, {"x": {1, 2}}, None),
    "work unit": ("x", 5, {}, *BAD_UNITS),
    "kinds": (5, None, (), [], ["memory", "nonsense"], [5], "nonsense", [["memory"]], b"memory"),
    "filters": (5, "x", {}, {"types": "fact"}, Draft("x")),
    "cursor": (5, "", "nonsense", "mem_1", b"1.1", [], "\ud800", HUGE, True),
    "new events": (5, None, "text", [5], ["text"], [None], [{"text": "x"}]),
    "amount": ("5", -1, True, [], NAN, INFINITE),
    "seconds": ("5", None, [], NAN),
    "users": ("word", 5, None, [5], [""], ["\x00"]),
}  # fmt: skip


@dataclass
class World:
    """A store with a little of everything, and what valid calls need."""

    memory: Recollect
    database: Database
    ids: dict[str, str]


@pytest.fixture
def world(stores: StoreMaker) -> World:
    """One that a test may change."""
    return made_in(stores)


@pytest.fixture(scope="module")
def lasting_world(lasting_stores: StoreMaker) -> World:
    """One for all tests that change nothing."""
    return made_in(lasting_stores)


@pytest.fixture
def kept_world(lasting_world: World) -> World:
    """The same, with every question of the tests before written down."""
    lasting_world.memory.retrievals()
    return lasting_world


@pytest.fixture(scope="module")
def shared_store(lasting_stores: StoreMaker) -> tuple[Recollect, Database]:
    """A store in which each test has a space of its own."""
    address = lasting_stores.ready()
    return lasting_stores.open(address), lasting_stores.database(address)


@pytest.fixture
def world_in_a_space(
    shared_store: tuple[Recollect, Database], request: pytest.FixtureRequest
) -> World:
    """One that a test may change, for calls that stay within their space."""
    memory, database = shared_store
    return filled(memory.within(space=request.node.name), database)


def made_in(stores: StoreMaker) -> World:
    address = stores.ready()
    return filled(stores.open(address), stores.database(address))


def filled(memory: Recollect, database: Database) -> World:
    memory.add_member("bob")
    memory.open_stream("talk")
    said = memory.record("alpha said", stream="talk")
    kept, other = memory.remember("alpha kept", tags=["red"]), memory.remember("beta kept")
    memory.relate(kept.id, "validates", memory=other.id)
    asked = str(memory.recall("alpha").id)
    memory.retrievals()  # has it written down
    ids = {"memory": kept.id, "other": other.id, "event": said.id, "stream": said.stream_id}
    ids["retrieval"] = asked
    return World(memory, database, ids)


#: Each verb with a call that works, and the kind of each argument.
Verb = tuple[dict[str, Any], dict[str, str]]
DRAFT: dict[str, str] = {
    "content": "text",
    "type": "word",
    "confidence": "fraction",
    "importance": "fraction",
    "scope": "word",
    "source": "word",
    "visibility": "word or none",
    "team": "name or none",
    "organisation": "name or none",
    "stream": "stream or none",
    "tags": "names",
    "files": "files",
    "modules": "names",
    "events": "names",
    "sessions": "names",
    "session": "name or none",
    "commit": "name or none",
    "phase": "word or none",
    "work_unit": "work unit",
    "extras": "extras",
    "citation": "name or none",
    "summary": "text",
    "compressed": "text",
    "index": "text",
    "half_life_days": "days",
    "valid_from": "time",
    "valid_to": "time",
    "happened_at": "time",
    "pinned": "flag",
    "manually_saved": "flag",
    "needs_review": "flag",
    "outside": "names",
}
CHANGE: dict[str, str] = {
    **{name: kind for name, kind in DRAFT.items() if name in CHANGEABLE},
    "user_verified": "flag",
    "disputed": "flag",
    "stale_at": "time",
    "valid_from": "time, not none",
}
EVENT: dict[str, str] = {
    "text": "event text",
    "kind": "word",
    "author": "author",
    "occurred_at": "time",
    "payload": "payload",
    "reply_to": "event or none",
    "external_id": "outside name",
}
NARROW: dict[str, str] = {
    "types": "word",
    "sources": "word",
    "scopes": "word",
    "tags": "filter name",
    "files": "filter name",
    "modules": "filter name",
    "authors": "filter name",
    "streams": "filter name",
    "created_after": "time",
    "created_before": "time",
    "minimum_confidence": "fraction",
    "pinned": "flag",
    "needs_review": "flag",
    "has_code": "flag",
    "for_work": "flag",
    "archived": "flag",
    "superseded": "flag",
    "as_of": "time",
}
VERBS: dict[str, Verb] = {
    "remember": ({"content": "new"}, {**DRAFT, "repeats": "word", "same_tags": "flag"}),
    "recall": ({"query": "alpha"}, {"query": "query", "limit": "count", "kinds": "kinds",
                                    "filters": "filters", "profile": "word or none",
                                    "phase": "word or none", "budget": "budget",
                                    "explain": "flag", "session": "name or none",
                                    "explicit": "flag", "shown": "flag", "chain": "flag",
                                    "last_sessions": "count", "around": "event",
                                    "recent_files": "files", **NARROW}),
    "trend": ({"query": "alpha"}, {"query": "query", "days": "days", "filters": "filters",
                                   **NARROW}),
    "feedback": ({"retrieval_id": "retrieval", "verdict": "helpful"},
                 {"retrieval_id": "memory", "verdict": "word", "items": "names",
                  "note": "note"}),
    "retrievals": ({}, {"cursor": "cursor", "limit": "count", "client": "name or none"}),
    "research": ({"question": "alpha"}, {"question": "query", "requester": "word",
                                         "session": "name or none"}),
    "plan_research": ({"question": "alpha"}, {"question": "query"}),
    "remembered": ({"question": "alpha"}, {"question": "query", "limit": "count"}),
    "researches": ({}, {"cursor": "cursor", "limit": "count"}),
    "get": ({"item_id": "memory"}, {"item_id": "memory", "as_of": "time", "explicit": "flag"}),
    "list": ({}, {"cursor": "cursor", "limit": "count", "order": "word", "filters": "filters",
                  **NARROW}),
    "update": ({"memory_id": "memory", "pinned": True},
               {"memory_id": "memory", "revision": "revision", **CHANGE}),
    "forget": ({"memory_id": "memory"}, {"memory_id": "memory", "for_good": "flag"}),
    "restore": ({"memory_id": "memory"}, {"memory_id": "memory"}),
    "supersede": ({"memory_id": "memory", "content": "new"}, {"memory_id": "memory", **DRAFT}),
    "pin": ({"memory_id": "memory"}, {"memory_id": "memory", "pinned": "flag"}),
    "verify": ({"memory_id": "memory"}, {"memory_id": "memory"}),
    "history": ({"memory_id": "memory"}, {"memory_id": "memory"}),
    "relate": ({"source_id": "memory", "type": "validates", "file": "a.py"},
               {"source_id": "memory", "type": "word", "file": "file", "confidence": "fraction"}),
    "unrelate": ({"source_id": "memory", "type": "validates", "file": "a.py"},
                 {"source_id": "memory", "type": "word", "file": "file"}),
    "relations": ({"memory_id": "memory"}, {"memory_id": "memory"}),
    "record": ({"text": "new", "stream": "stream"}, {"stream": "new stream", **EVENT}),
    "record_many": ({"events": [NewEvent("new")], "stream": "stream"},
                    {"events": "new events", "stream": "new stream"}),
    "open_stream": ({"name": "another"}, {"name": "new stream", "kind": "word", "access": "word",
                                          "parent": "stream or none"}),
    "streams": ({}, {"kind": "word or none", "cursor": "cursor"}),
    "set_access": ({"stream": "stream", "access": "open"}, {"stream": "stream", "access": "word"}),
    "admit": ({"stream": "stream", "user": "bob"}, {"stream": "stream", "user": "name"}),
    "dismiss": ({"stream": "stream", "user": "bob"}, {"stream": "stream", "user": "name"}),
    "read": ({"stream": "stream"}, {"stream": "stream", "cursor": "cursor", "limit": "count"}),
    "window": ({"event_id": "event"}, {"event_id": "event", "before": "window", "after": "window"}),
    "replies": ({"event_id": "event"}, {"event_id": "event"}),
    "revisions": ({"event_id": "event"}, {"event_id": "event"}),
    "edit_event": ({"event_id": "event", "text": "new"}, {"event_id": "event",
                                                          "text": "new event text"}),
    "delete_event": ({"event_id": "event"}, {"event_id": "event"}),
    "react": ({"event_id": "event", "emoji": "👍"}, {"event_id": "event", "emoji": "name"}),
    "unreact": ({"event_id": "event", "emoji": "👍"}, {"event_id": "event", "emoji": "name"}),
    "reactions": ({"event_id": "event"}, {"event_id": "event"}),
    "pointing_at": ({"event_id": "event"}, {"event_id": "event"}),
    "export": ({}, {"format": "word"}),
    "add_member": ({"user": "cyd"}, {"user": "name", "role": "word"}),
    "remove_member": ({"user": "bob"}, {"user": "name"}),
    "join_stream": ({"stream": "stream"}, {"stream": "stream"}),
    "confirm_alias": ({"user": "bob", "name": "Robert"}, {"user": "name", "name": "name"}),
    "withdraw_alias": ({"user": "bob", "name": "Robert"}, {"user": "name", "name": "name"}),
    "set_budget": ({"kind": "queries", "allowed": 5}, {"kind": "word", "allowed": "allowance"}),
    "provider_state": ({"provider": "embedder"}, {"provider": "word"}),
    "work": ({}, {"seconds": "seconds"}),
    "retry_jobs": ({}, {"job_id": "event or none"}),
    "within": ({"user": "bob", "space": "default"},
               {"user": "name or none", "space": "name or none", "kind": "word", "teams": "users",
                "organisations": "users", "team": "name or none", "organisation": "name or none",
                "make": "flag", "client": "name or none"}),
}  # fmt: skip

#: Verbs that take nothing, or only a function, or that have a page of tests of their own.
PLAIN = {
    *(
        "aliases",
        "close",
        "spaces",
        "members",
        "stats",
        "health",
        "embedder_state",
        "start_worker",
        "warm",
    ),
    "at_once",
    *("dead_jobs", "erase_traces", "rebuild_index", "import_"),
    *("budgets", "session", "bearing"),
    *("change_number", "overview", "researching", "workspace"),
    *("assemble", "expand", "predict", "uses"),  # tests/context/test_assembling
    # families, each with tests of its own
    *("agents", "chat", "code", "contradictions", "evolution", "learning", "metrics", "tokens"),
    *("disputes", "people", "rights"),
    "sync",
}


POSITIONAL = {
    "remember": ["content"],
    "recall": ["query"],
    "trend": ["query"],
    "update": ["memory_id"],
    "supersede": ["memory_id", "content"],
    "record": ["text"],
}


def call(world: World, verb: str, **instead: Any) -> Any:
    """The verb with a valid call, but for what is given."""
    valid, _ = VERBS[verb]
    named = {
        name: world.ids.get(value, value) if isinstance(value, str) else value
        for name, value in valid.items()
    }
    named.update(instead)
    first = [named.pop(name) for name in POSITIONAL.get(verb, ()) if name in named]
    return getattr(world.memory, verb)(*first, **named)


def test_table_covers_every_verb_and_every_argument() -> None:
    verbs = {name for name in dir(Recollect) if not name.startswith("_")}
    assert set(VERBS) | PLAIN == verbs
    assert set(DRAFT) == {field.name for field in fields(Draft)}
    assert set(CHANGE) == set(CHANGEABLE)
    assert set(EVENT) == {field.name for field in fields(NewEvent)}
    assert set(NARROW) == {field.name for field in fields(Filters)}
    for verb, (_, kinds) in VERBS.items():
        known = inspect.signature(getattr(Recollect, verb)).parameters.values()
        named = {p.name for p in known if p.kind is not p.VAR_KEYWORD and p.name != "self"}
        assert named - set(kinds) <= {"memory", "unreadable"}, verb  # which are written to


@pytest.mark.parametrize("verb", VERBS)
def test_valid_call_works(world_in_a_space: World, verb: str) -> None:
    call(world_in_a_space, verb)


@pytest.mark.parametrize("verb", VERBS)
def test_bad_argument_is_refused_and_nothing_changes(kept_world: World, verb: str) -> None:
    before = state_of(kept_world.database)
    for argument, kind in VERBS[verb][1].items():
        wrong = [complaint(kept_world, verb, argument, value) for value in BAD[kind]]
        assert [told for told in wrong if told] == []
    assert changed(before, state_of(kept_world.database)) == {}


def complaint(world: World, verb: str, argument: str, value: Any) -> str | None:
    """What is wrong with how a verb takes a bad value; nothing, when it refuses as it should."""
    may_be_left_out = {"summary", "compressed", "index"}
    if value is None and (argument in may_be_left_out or verb in {"list", "recall", "trend"}):
        return None
    huge = isinstance(value, int) and abs(value) > 10**9
    shown = f"{verb}({argument}={'huge' if huge else repr(value)[:60]})"
    try:
        answer = call(world, verb, **{argument: value})
    except RecollectError as error:
        wordy = len(str(error)) > 2_000
        return f"{shown} repeats all that it was given" if wordy else None
    except Exception as error:  # noqa: BLE001 - any other error is what this test is about
        return f"{shown} ends in {error!r}"[:300]
    return f"{shown} gives {answer!r}"[:300]


@pytest.mark.parametrize("argument", ["tags", "modules", "sessions", "files"])
def test_too_many_names_are_refused(kept_world: World, argument: str) -> None:
    before = state_of(kept_world.database)
    names: dict[str, Any] = {argument: [f"{number}" for number in range(1_001)]}
    with pytest.raises(InvalidInput, match="too many"):
        kept_world.memory.remember("x", **names)
    assert changed(before, state_of(kept_world.database)) == {}


def test_unknown_fields_are_refused(kept_world: World) -> None:
    before = state_of(kept_world.database)
    attempts: list[Callable[[], object]] = [
        lambda: kept_world.memory.remember("x", colour="red"),
        lambda: kept_world.memory.remember("x", owner="bob"),
        lambda: kept_world.memory.record("x", colour="red"),
        lambda: kept_world.memory.supersede(kept_world.ids["memory"], "x", colour="red"),
        lambda: kept_world.memory.update(kept_world.ids["memory"], colour="red"),
        lambda: kept_world.memory.update(kept_world.ids["memory"]),
        lambda: kept_world.memory.list(colour="red"),
        lambda: kept_world.memory.recall("x", colour="red"),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput):
            attempt()
    assert changed(before, state_of(kept_world.database)) == {}


# --- Questions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", OPERATORS)
def test_operators_in_a_question_are_words(kept_world: World, query: str) -> None:
    """What a person types is never read as a language of the database."""
    before = state_of(kept_world.database)
    if query.strip():
        kept_world.memory.recall(query)
        kept_world.memory.recall(f"alpha {query}")
    found = [hit.text for hit in kept_world.memory.recall(f"alpha {query}", kinds=["memory"])]
    assert "alpha kept" in found
    assert changed(before, state_of(kept_world.database)) == {}


@given(st.text(st.characters(codec=None), min_size=1, max_size=60).filter(str.strip))
def test_any_question_gets_an_answer(kept_world: World, query: str) -> None:
    answer = kept_world.memory.recall(query)
    assert answer.query == query
    assert len(answer) <= 10


def test_very_long_question_gets_an_answer(kept_world: World) -> None:
    assert kept_world.memory.recall("alpha " * 200_000).found[0].text in {
        "alpha kept",
        "alpha said",
    }
    assert kept_world.memory.recall(HUGE).found == ()
    many = " ".join(f"word{number}" for number in range(5_000))
    assert len(kept_world.memory.recall("alpha " + many, kinds=["memory"])) == 1


@pytest.mark.parametrize("text", ["\x00\ud800", "  \x00 ", "x\x00y"])
def test_unstorable_signs_in_a_question_do_no_harm(kept_world: World, text: str) -> None:
    kept_world.memory.recall(text)
    assert {hit.text for hit in kept_world.memory.recall(f"alpha {text}") if hit.keyword_score} == {
        "alpha kept",
        "alpha said",
    }


# --- Ids of another space -------------------------------------------------------------------------


def test_ids_of_another_space_are_not_found(stores: StoreMaker, world: World) -> None:
    elsewhere = world.memory.within(space="elsewhere")
    said = elsewhere.record("theirs", stream="their stream")
    kept = elsewhere.remember("theirs")
    theirs: Mapping[str, tuple[str, ...]] = {
        "memory": (kept.id,),
        "event": (said.id,),
        "event or none": (said.id,),
        "stream": (said.stream_id, "their stream"),
        "stream or none": (said.stream_id, "their stream"),
        "new stream": (said.stream_id,),
    }
    before = state_of(world.database)
    for verb, (_, kinds) in VERBS.items():
        for argument, kind in kinds.items():
            for value in theirs.get(kind, ()):
                if (verb, argument) == ("retry_jobs", "job_id"):
                    continue
                with pytest.raises(NotFound):
                    call(world, verb, **{argument: value})
    with pytest.raises(NotFound):
        world.memory.relate(world.ids["memory"], "validates", memory=kept.id)
    with pytest.raises(NotFound):
        world.memory.remember("x", events=[said.id])
    assert world.memory.recall("theirs", stream=said.stream_id).found == ()
    assert world.memory.list(stream=said.stream_id).items == ()
    assert changed(before, state_of(world.database)) == {}


# --- Sizes ----------------------------------------------------------------------------------------


def test_limits_of_length(world: World) -> None:
    memory = world.memory
    assert memory.remember("x" * 200_000).content
    before = state_of(world.database)
    for attempt in (
        lambda: memory.remember("x" * 200_001),
        lambda: memory.update(world.ids["memory"], content=HUGE),
        lambda: memory.record("x" * 32_000_001, stream="talk"),
        lambda: memory.edit_event(world.ids["event"], "x" * 32_000_001),
    ):
        with pytest.raises(InvalidInput, match=r"[\d,]+ characters"):
            attempt()
    assert changed(before, state_of(world.database)) == {}


def test_times_at_the_ends_of_the_calendar(world: World) -> None:
    memory = world.memory
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    kept = memory.remember("always", valid_from=first, valid_to=last)
    assert (kept.valid_from, kept.valid_to) == (first, last)
    assert memory.get(kept.id) == kept
    assert [hit.id for hit in memory.recall("always", as_of=first)] == [kept.id]
    assert memory.list(as_of=last).items[-1].id != kept.id
    early = memory.record("in the year one", occurred_at=first, stream="talk")
    assert memory.read("talk").items[0] == early
    page = memory.read("talk", limit=1)
    assert len(memory.read("talk", limit=5, cursor=page.next_cursor).items) == 1
