"""Memories: every field comes back, every change is written down, nothing moves that must not."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from sqlalchemy import select

from recollect.engine import Recollect
from recollect.inference.tokens import count_tokens
from recollect.memories.changes import CHANGEABLE
from recollect.memories.drafts import Draft
from recollect.storage import schema
from recollect.vocabulary.audiences import Visibility
from recollect.vocabulary.errors import (
    Conflict,
    EventNotFound,
    InvalidInput,
    MemoryNotFound,
    NotFound,
    StreamNotFound,
)
from recollect.vocabulary.memory import Action, Memory
from recollect.vocabulary.memory_types import HALF_LIFE_DAYS, MemoryType
from tests.contracts.drafts import EXTRAS, drafts, updates
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker

DAY = timedelta(days=1)


def memory_at(view: Recollect, memory_id: str) -> Memory:
    item = view.get(memory_id)
    assert isinstance(item, Memory)
    return item


# --- The record -----------------------------------------------------------------------------------


def test_drafts_of_these_tests_word_every_field() -> None:
    @settings(max_examples=100)
    @given(drafts())
    def every_field(draft: dict[str, Any]) -> None:
        seen.update(draft)

    seen: set[str] = set()
    every_field()
    assert seen | {"events", "stream", "outside", "happened_at"} == {
        field.name for field in fields(Draft)
    }


@given(draft=drafts())
def test_every_field_of_a_draft_comes_back(
    memory: Recollect, stores: StoreMaker, draft: dict[str, Any]
) -> None:
    kept = memory.remember(**draft, repeats="keep")

    assert memory.get(kept.id) == kept
    kind = MemoryType(draft["type"])
    assert kept.type is kind
    for name in (
        *("content", "confidence", "importance", "citation", "pinned", "manually_saved"),
        *("needs_review", "work_unit"),
    ):
        assert getattr(kept, name) == draft[name], name
    assert kept.scope.value == draft["scope"]
    for name in ("tags", "files", "modules"):
        assert getattr(kept, name) == tuple(draft[name]), name
    assert _as_lists(kept.extras) == draft["extras"]
    levels = kept.levels
    assert [levels.summary, levels.compressed, levels.index] == [
        draft["summary"],
        draft["compressed"],
        draft["index"],
    ]
    expected_life = draft["half_life_days"] or HALF_LIFE_DAYS.get(kind)
    assert kept.half_life_days == expected_life
    assert kept.valid_from == (draft["valid_from"] or kept.created_at)
    assert kept.valid_to == draft["valid_to"]
    origin = kept.provenance
    session = [draft["session"]] if draft["session"] else []
    assert origin.source.value == draft["source"]
    assert origin.created_by == "ada"
    assert origin.session_id == draft["session"]
    assert origin.sessions == tuple(dict.fromkeys([*draft["sessions"], *session]))
    assert origin.commit == draft["commit"]
    assert origin.phase == draft["phase"]
    assert kept.audience.visibility.value == draft["visibility"]
    assert kept.audience.team == draft.get("team")
    assert kept.audience.organisation == draft.get("organisation")
    assert (kept.revision, kept.archived, kept.superseded_by) == (1, False, None)


def _as_lists(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_as_lists(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_lists(item) for key, item in value.items()}
    return value


def test_memory_is_the_same_for_another_who_opens_the_store(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.add_member("bob")
    said = memory.record("where it came from")
    for kind in MemoryType:
        kept = memory.remember(f"a {kind.value}", type=kind, extras=EXTRAS.get(kind, {}))
        assert stores.open(address, user="bob").get(kept.id) == kept
    pointing = memory.remember("with pointers", events=[said.id], stream=said.stream_id)
    assert pointing.provenance.events == (said.id,)
    assert stores.open(address, user="bob").pointing_at(said.id) == (pointing,)


def test_short_ids_are_completed(memory: Recollect) -> None:
    first, second = memory.remember("one"), memory.remember("two")
    shared = max(n for n in range(30) if first.id[:n] == second.id[:n])

    assert memory.get(first.id[: shared + 1]) == first
    with pytest.raises(InvalidInput, match="More than one"):
        memory.get(first.id[:shared])
    for nothing in ("mem_zzzz", "mem%", "_", "%", ""):
        with pytest.raises(MemoryNotFound):
            memory.get(nothing)


def test_visibility_defaults_to_what_the_space_is_for(memory: Recollect) -> None:
    diary = memory.within(space="diary", kind="personal")
    team = memory.within(space="core", team="core", organisation="acme")

    assert memory.remember("x").audience.visibility is Visibility.PROJECT
    assert diary.remember("x").audience.visibility is Visibility.PERSONAL
    assert team.remember("x", visibility="team").audience.team == "core"
    assert team.remember("x", visibility="organisation").audience.organisation == "acme"
    assert team.remember("x", visibility="team", team="other").audience.team == "other"
    for wanted in ("team", "organisation", "stream"):
        with pytest.raises(InvalidInput, match=f"needs a {wanted}"):
            memory.remember("x", visibility=wanted)


def test_pointers_must_be_visible_to_whoever_makes_them(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.add_member("bob")
    bob = memory.within(user="bob")
    hidden = bob.open_stream("secret", access="private")
    said = bob.record("bobs secret", stream="secret")
    elsewhere = memory.within(space="other").record("over there")
    before = state_of(database := stores.database(address))

    for event in (said.id, elsewhere.id, "evt_" + "0" * 26, "nonsense"):
        with pytest.raises(EventNotFound):
            memory.remember("I saw it", events=[event])
    for stream in (hidden.id, elsewhere.stream_id, "nonsense"):
        with pytest.raises(StreamNotFound):
            memory.remember("I saw it", stream=stream)

    assert changed(before, state_of(database)) == {}


# --- Changes --------------------------------------------------------------------------------------


@given(draft=drafts(), change=updates())
def test_change_is_kept_and_written_down(
    memory: Recollect, draft: dict[str, Any], change: dict[str, Any]
) -> None:
    plain = {**draft, "type": "fact", "extras": {}, "valid_to": None}
    kept = memory.remember(**plain, repeats="keep")

    new = memory.update(kept.id, **change)

    assert memory.get(kept.id) == new
    entries = memory.history(kept.id)
    assert entries[0].action is Action.CREATED
    told = dict(entries[1].changes) if len(entries) > 1 else {}
    for name, value in change.items():
        home = kept.levels if name in {"summary", "compressed", "index"} else kept
        old = getattr(home, name)
        if _plain(old) == _plain(value):
            assert name not in told
        else:
            assert (_plain(told[name][0]), _plain(told[name][1])) == (_plain(old), _plain(value))
    assert new.revision == kept.revision + bool(told)
    unchanged = set(CHANGEABLE) - set(change) - {"summary", "compressed", "index"}
    for name in unchanged:
        assert getattr(new, name) == getattr(kept, name), name
    assert (new.audience, new.provenance) == (kept.audience, kept.provenance)
    assert (new.id, new.space_id, new.created_at) == (kept.id, kept.space_id, kept.created_at)


def _plain(value: Any) -> Any:
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def test_every_changeable_field_can_be_changed(memory: Recollect) -> None:
    moment = memory.remember("x").created_at
    values: dict[str, Any] = {
        "content": "new words",
        "type": "gotcha",
        "scope": "module",
        "confidence": 0.1,
        "importance": 0.9,
        "tags": ["b", "a"],
        "files": ["src\\new.py"],
        "modules": ["core"],
        "citation": "short",
        "half_life_days": 3,
        "pinned": True,
        "manually_saved": True,
        "needs_review": True,
        "user_verified": True,
        "disputed": True,
        "stale_at": moment,
        "valid_from": moment - DAY,
        "valid_to": moment + DAY,
        "extras": {"key": "k"},
        "summary": "s",
        "compressed": "c",
        "index": "i",
    }
    assert set(values) == set(CHANGEABLE)
    for name, value in values.items():
        kept = memory.remember("old words", type="fact", repeats="keep")
        new = memory.update(kept.id, **{name: value})
        assert list(memory.history(kept.id)[1].changes) == [name]
        home = new.levels if name in {"summary", "compressed", "index"} else new
        got = getattr(home, name)
        expected = ["src/new.py"] if name == "files" else value
        assert _plain(got) == _plain(expected), name


def test_owner_space_visibility_and_origin_cannot_be_changed(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("mine", visibility="personal")
    before = state_of(database := stores.database(address))
    known = {field.name for field in fields(Memory)} | {field.name for field in fields(Draft)}
    forbidden = known | {"owner", "user", "created_by", "slot", "audience_id"}
    forbidden -= {*CHANGEABLE, "revision"}
    assert {"audience", "space_id", "id", "provenance", "visibility", "team"} <= forbidden

    for name in sorted(forbidden):
        changes: list[dict[str, Any]] = [
            {name: "x"},
            {"content": "new", name: getattr(kept, name, None)},
        ]
        for change in changes:
            with pytest.raises(InvalidInput, match="cannot be changed"):
                memory.update(kept.id, **change)

    assert changed(before, state_of(database)) == {}


def test_change_to_the_same_value_is_no_change(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("the same", tags=["a"], confidence=0.5)
    before = state_of(database := stores.database(address))

    assert memory.update(kept.id, content="the same", tags=["a"], confidence=0.5) == kept
    assert memory.restore(kept.id) == kept

    assert changed(before, state_of(database)) == {}


def test_revision_guards_against_a_change_in_between(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("first")
    second = stores.open(address).update(kept.id, content="second", revision=1)
    before = state_of(database := stores.database(address))

    with pytest.raises(Conflict, match="revision 2, not 1"):
        memory.update(kept.id, content="third", revision=1)

    assert changed(before, state_of(database)) == {}
    assert memory.update(kept.id, content="third", revision=second.revision).revision == 3


def test_change_of_type_must_fit_the_extras(memory: Recollect) -> None:
    kept = memory.remember("x", type="dead_end", extras=EXTRAS[MemoryType.DEAD_END])
    with pytest.raises(InvalidInput):
        memory.update(kept.id, type="fact")
    with pytest.raises(InvalidInput):
        memory.update(kept.id, type="decision")
    assert memory.update(kept.id, type="decision", extras={}).extras == {}
    assert memory_at(memory, kept.id).type is MemoryType.DECISION


def test_history_tells_of_short_forms_that_somebody_brought_and_of_no_others(
    memory: Recollect,
) -> None:
    kept = memory.remember("The bank on the square closes at four. Bring the long form.")
    memory.work(1)
    memory.update(kept.id, content="The bank on the square closes at five. Bring the long form.")
    memory.work(1)
    memory.update(kept.id, summary="Bank until five.")
    memory.update(kept.id, content="The bank on the square is closed for good.")

    told = [sorted(entry.changes) for entry in memory.history(kept.id)]
    assert told == [[], ["content"], ["summary"], ["content", "summary"]]
    assert memory.history(kept.id)[3].changes["summary"][0] == "Bank until five."


def test_new_content_drops_the_old_short_forms(memory: Recollect) -> None:
    kept = memory.remember("long words", summary="short", compressed="brief", index="line")
    partly = memory.update(kept.id, content="new words", summary="short")
    assert (partly.levels.summary, partly.levels.compressed) == ("short", None)
    assert partly.levels.index is None
    assert memory.update(kept.id, content="other words").levels.summary is None
    changed = memory.history(kept.id)[-1]
    assert changed.changes["summary"] == ("short", None)
    assert set(changed.edited_fields) == {"content"}  # what somebody changed
    again = memory.update(kept.id, content="third words", summary="third")
    assert again.levels.summary == "third"
    assert memory.work() > 0
    levels = memory_at(memory, kept.id).levels
    assert levels.summary == "third"
    assert None not in {levels.compressed, levels.index, levels.full_tokens, levels.index_tokens}
    memory.update(kept.id, index="another line")
    memory.work()
    levels = memory_at(memory, kept.id).levels
    assert (levels.summary, levels.index) == ("third", "another line")
    assert levels.index_tokens == count_tokens("another line")


def test_ties_are_rows_that_follow_the_memory(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    database = stores.database(address)
    said = memory.record("a")
    kept = memory.remember(
        "x", tags=["a", "b"], files=["f.py"], modules=["m"], sessions=["s"], events=[said.id]
    )
    ties = {
        schema.memory_tags: ["a", "b"],
        schema.memory_files: ["f.py"],
        schema.memory_modules: ["m"],
        schema.memory_sessions: ["s"],
        schema.memory_events: [said.id],
    }

    def tied(table: Any) -> list[str]:
        with database.reading(all_spaces=True) as transaction:
            rows = transaction.execute(select(table).order_by(table.c.position)).all()
        return [row[2] for row in rows]

    assert {table: tied(table) for table in ties} == ties
    memory.update(kept.id, tags=["c", "a"], files=[])
    assert (tied(schema.memory_tags), tied(schema.memory_files)) == (["c", "a"], [])
    assert tied(schema.memory_modules) == ["m"]
    memory.forget(kept.id, for_good=True)
    assert {table: tied(table) for table in ties} == {table: [] for table in ties}


# --- Putting away, bringing back, erasing ---------------------------------------------------------


def test_archived_memory_is_out_of_lists_and_search_and_comes_back(memory: Recollect) -> None:
    kept = memory.remember("the red kettle", tags=["kitchen"])
    other = memory.remember("the blue pan")

    away = memory.forget(kept.id)

    assert away is not None
    assert away.archived
    assert memory.get(kept.id) == away
    assert memory.list().items == (other,)
    assert memory.list(archived=True).items == (away,)
    assert [found.id for found in memory.recall("red kettle")] == []
    assert memory.forget(kept.id) == away, "putting away twice is putting away once"

    back = memory.restore(kept.id)

    assert back == replace(away, archived_at=None, updated_at=back.updated_at, revision=3)
    assert memory.list().items == (other, back)
    (hit,) = memory.recall("red kettle")
    assert hit.item == back
    assert (hit.keyword_rank, hit.vector_rank) == (1, 1)
    assert [entry.action.value for entry in memory.history(kept.id)] == [
        "created",
        "archived",
        "restored",
    ]


def test_archived_memory_can_be_changed_and_comes_back_changed(memory: Recollect) -> None:
    kept = memory.remember("the red kettle")
    memory.forget(kept.id)
    memory.update(kept.id, content="the green kettle")
    assert [found.id for found in memory.recall("green kettle")] == []

    memory.restore(kept.id)

    (hit,) = memory.recall("green")
    assert hit.text == "the green kettle"
    assert memory.health().sound


def test_erased_memory_leaves_no_word(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("zanzibar", tags=["zanzibar"], files=["zanzibar.py"])
    other = memory.remember("else")
    memory.update(kept.id, content="zanzibar again")
    memory.relate(other.id, "validates", memory=kept.id)
    memory.relate(kept.id, "validates", memory=other.id)

    assert memory.forget(kept.id, for_good=True) is None

    with pytest.raises(MemoryNotFound):
        memory.get(kept.id)
    assert [found.id for found in memory.recall("zanzibar")] == []
    assert memory.relations(other.id) == ()
    state = state_of(stores.database(address))
    assert "zanzibar" not in repr(state)
    assert all(kept.id not in repr(rows) for name, rows in state.items() if name != "jobs")
    assert memory.health().sound


def test_levels_of_a_memory_that_was_erased_or_changed_are_not_written(memory: Recollect) -> None:
    gone = memory.remember("to be erased before the worker comes")
    kept = memory.remember("to be changed before the worker comes")
    memory.forget(gone.id, for_good=True)
    memory.update(kept.id, content="changed")
    memory.work()
    assert memory_at(memory, kept.id).levels.summary == "changed"
    assert memory.dead_jobs() == ()


def test_pin_and_verify(memory: Recollect) -> None:
    kept = memory.remember("x", needs_review=True)
    assert memory.pin(kept.id).pinned is True
    assert memory.pin(kept.id, False).pinned is False
    checked = memory.verify(kept.id)
    assert (checked.user_verified, checked.needs_review) == (True, False)


def test_ids_of_another_space_or_of_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    elsewhere = memory.within(space="other").remember("over there")
    here = memory.remember("here")
    before = state_of(database := stores.database(address))
    verbs: list[Callable[[str], object]] = [
        memory.get,
        memory.history,
        memory.relations,
        memory.forget,
        memory.restore,
        memory.pin,
        memory.verify,
        lambda memory_id: memory.forget(memory_id, for_good=True),
        lambda memory_id: memory.update(memory_id, content="mine now"),
        lambda memory_id: memory.supersede(memory_id, "mine now"),
        lambda memory_id: memory.relate(memory_id, "validates", memory=here.id),
        lambda memory_id: memory.relate(here.id, "validates", memory=memory_id),
        lambda memory_id: memory.unrelate(here.id, "validates", memory=memory_id),
        lambda memory_id: memory.unrelate(memory_id, "validates", memory=here.id),
    ]
    for memory_id in (elsewhere.id, "mem_" + "0" * 26, "nonsense", elsewhere.id[:-3], "evt_x"):
        for verb in verbs:
            with pytest.raises(NotFound):
                verb(memory_id)

    assert changed(before, state_of(database)) == {}


def test_confidence_fades_by_half_each_half_life(memory: Recollect) -> None:
    kept = memory.remember("x", type="gotcha", confidence=0.8, half_life_days=10)
    at = kept.created_at
    assert math.isclose(kept.current_confidence(at + 10 * DAY), 0.4)
    assert math.isclose(kept.current_confidence(at + 20 * DAY), 0.2)
    assert kept.current_confidence(at - DAY) == 0.8
    assert memory.pin(kept.id).current_confidence(at + 20 * DAY) == 0.8
    lasting = memory.remember("y", type="decision", confidence=0.8)
    assert lasting.current_confidence(at + 9_999 * DAY) == 0.8
