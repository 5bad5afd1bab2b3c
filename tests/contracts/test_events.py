"""Events: whole, in order, found at once; what is edited or taken back leaves nothing stale."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.vocabulary.errors import (
    EventNotFound,
    InvalidInput,
    InvalidText,
    InvalidTime,
    NotAllowed,
    NotFound,
    StreamNotFound,
)
from recollect.vocabulary.events import Event, EventKind, NewEvent
from tests.clocks import START
from tests.contracts.state import state_of
from tests.stores import StoreMaker

MINUTE = timedelta(minutes=1)


def texts(events: tuple[Event, ...]) -> list[str]:
    return [event.text for event in events]


def found(view: Recollect, query: str) -> list[str]:
    return [item.text for item in view.recall(query, kinds="event")]


def read_all(view: Recollect, stream: str, limit: int) -> list[Event]:
    events: list[Event] = []
    cursor = None
    while len(events) < 10_000:
        page = view.read(stream, cursor=cursor, limit=limit)
        events += page.items
        cursor = page.next_cursor
        if cursor is None:
            return events
    raise AssertionError("the pages do not end")


# --- Kept whole -----------------------------------------------------------------------------------


def test_every_field_comes_back(memory: Recollect) -> None:
    first = memory.record("shall we?", stream="general")
    moment = datetime(2020, 5, 17, 8, 30, tzinfo=timezone(timedelta(hours=2)))
    said = memory.record(
        "yes, at once",
        stream="general",
        kind="tool_result",
        author="  the tool ",
        occurred_at=moment,
        payload={"exit": 0, "deep": {"list": [1, 2.5, None, "ü"]}},
        reply_to=first.id,
    )

    assert memory.get(said.id) == said
    assert said.kind is EventKind.TOOL_RESULT
    assert said.author == "the tool"
    assert said.occurred_at == moment
    assert said.occurred_at.tzinfo is UTC
    assert said.payload == {"exit": 0, "deep": {"list": [1, 2.5, None, "ü"]}}
    assert said.reply_to == first.id
    assert said.recorded_at > said.occurred_at
    assert (said.edited_at, said.deleted_at) == (None, None)
    assert first.author == "ada"


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_is_kept_and_found(memory: Recollect, kind: EventKind) -> None:
    said = memory.record(f"zebra of kind {kind}", kind=kind)
    assert memory.get(said.id) == said
    assert said.kind is kind
    assert found(memory, "zebra") == [said.text]


@given(
    text=st.text(st.characters(codec=None), min_size=1, max_size=200),
    payload=st.dictionaries(
        st.text(st.characters(codec=None), max_size=10),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters(codec=None), max_size=20),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
            max_leaves=5,
        ),
        max_size=4,
    ),
)
@example(text="half \ud83d of \x00 a pair", payload={"k\udfff": ["\ud800\x00", {"\ud800": 1}]})
def test_any_text_and_payload_is_kept(
    memory: Recollect, text: str, payload: dict[str, object]
) -> None:
    """Whatever happened is kept; only what no store can hold is shown by a sign in its place."""

    def shown(value: object) -> object:
        if isinstance(value, str):
            return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
        if isinstance(value, list):
            return [shown(item) for item in value]
        if isinstance(value, dict):
            return {shown(key): shown(item) for key, item in value.items()}
        return value

    said = memory.record(text, stream="anything", payload=payload)

    assert memory.get(said.id) == said
    expected = shown(text)
    assert isinstance(expected, str)
    assert said.text == expected.replace("\x00", "\u2400")
    assert said.payload == shown(payload)


def test_event_without_words_is_kept(memory: Recollect) -> None:
    said = memory.record("", payload={"image": "cat.png"})
    cheer = memory.record("🎉")
    assert memory.read("notes").items == (said, cheer)
    assert memory.health().sound


def test_large_event_is_kept_whole(memory: Recollect) -> None:
    text = "needle " + "hay " * 2_500_000
    said = memory.record(text)
    assert len(text) > 10_000_000
    event = memory.get(said.id)
    assert isinstance(event, Event)
    assert event.text == text
    assert [item.id for item in memory.recall("needle")] == [said.id]


# --- Order ----------------------------------------------------------------------------------------


def test_events_of_one_time_stay_in_the_order_they_arrived(memory: Recollect) -> None:
    for number in range(20):
        memory.record(f"{number}", occurred_at=START)
    memory.record("before", occurred_at=START - MINUTE)
    memory.record("after", occurred_at=START + MINUTE)
    memory.record("last of the same", occurred_at=START)

    expected = ["before", *map(str, range(20)), "last of the same", "after"]
    for limit in (1, 3, 100):
        assert [event.text for event in read_all(memory, "notes", limit)] == expected


@given(
    moments=st.lists(st.integers(0, 4), max_size=40),
    limit=st.integers(1, 7),
)
def test_cursor_neither_skips_nor_repeats(
    memory: Recollect, moments: list[int], limit: int
) -> None:
    view = memory.within(space=f"space {memory.space.id} {len(memory.spaces())}")
    view.open_stream("s")
    said = view.record_many(
        [NewEvent(f"{place}", occurred_at=START + m * MINUTE) for place, m in enumerate(moments)],
        stream="s",
    )
    order = sorted(range(len(moments)), key=lambda place: (moments[place], place))

    assert read_all(view, "s", limit) == [said[place] for place in order]


def test_long_stream_is_read_while_it_grows(memory: Recollect) -> None:
    memory.record_many([NewEvent(f"{n}", occurred_at=START + n * MINUTE) for n in range(2_500)])
    seen: list[str] = []
    cursor = None
    while len(seen) < 10_000:
        page = memory.read("notes", cursor=cursor, limit=1_000)
        seen += texts(page.items)
        if cursor is None:
            memory.record("too late for this reader", occurred_at=START - MINUTE)
            memory.record("in time", occurred_at=START + 2_500 * MINUTE)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [*map(str, range(2_500)), "in time"]


@pytest.mark.parametrize(
    "cursor",
    ["", "5", "a.b", "1.", ".1", "²." + "1", "1.5.2", "9" * 30 + ".1", "-1" + "9" * 18 + ".0"],
)
def test_cursor_that_nobody_gave_is_refused(memory: Recollect, cursor: str) -> None:
    memory.record("one")
    with pytest.raises(InvalidInput, match="cursor"):
        memory.read("notes", cursor=cursor)


@given(
    size=st.integers(1, 9),
    place=st.integers(0, 8),
    before=st.integers(0, 10),
    after=st.integers(0, 10),
)
def test_window_is_cut_at_the_edges(
    memory: Recollect, size: int, place: int, before: int, after: int
) -> None:
    view = memory.within(space=f"space {len(memory.spaces())}")
    said = view.record_many([NewEvent(f"{n}", occurred_at=START) for n in range(size)], stream="a")
    view.record_many([NewEvent(f"noise {n}", occurred_at=START) for n in range(3)], stream="b")
    middle = min(place, size - 1)

    window = view.window(said[middle].id, before=before, after=after)

    assert window.event == said[middle]
    assert window.before == said[max(0, middle - before) : middle]
    assert window.after == said[middle + 1 : middle + 1 + after]


def test_window_stays_in_its_thread(memory: Recollect) -> None:
    memory.open_stream("channel", kind="channel")
    memory.open_stream("thread", kind="thread", parent="channel")
    memory.record("above", stream="channel")
    inside = [memory.record(word, stream="thread") for word in ("one", "two", "three")]
    memory.record("below", stream="channel")

    window = memory.window(inside[1].id)

    assert (texts(window.before), texts(window.after)) == (["one"], ["three"])


# --- Replies and signs ----------------------------------------------------------------------------


def test_replies_come_in_order_and_from_any_stream(memory: Recollect) -> None:
    asked = memory.record("who has the key?")
    second = memory.record("me", reply_to=asked.id, occurred_at=START + 2 * MINUTE)
    first = memory.record("not me", stream="aside", reply_to=asked.id, occurred_at=START + MINUTE)
    memory.record("unrelated")

    assert memory.replies(asked.id) == (first, second)
    assert memory.replies(first.id) == ()


def test_reply_in_the_same_batch(memory: Recollect) -> None:
    stream = memory.open_stream("s")
    (asked,) = memory.record_many([NewEvent("q", external_id="1")], stream="s")
    again, answer = memory.record_many(
        [NewEvent("q", external_id="1"), NewEvent("a", reply_to=asked.id)], stream=stream.id
    )
    assert again == asked
    assert memory.replies(asked.id) == (answer,)


def test_reply_to_what_is_not_visible_changes_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    elsewhere = memory.within(space="other").record("over there")
    before = state_of(database := stores.database(address))

    for target in (elsewhere.id, "evt_" + "0" * 26, "nonsense"):
        with pytest.raises(EventNotFound):
            memory.record("hello?", stream="brand new", reply_to=target)

    assert state_of(database) == before


def test_signs_are_put_once_and_taken_off(memory: Recollect) -> None:
    memory.add_member("bob")
    bob = memory.within(user="bob")
    said = memory.record("ship it")

    memory.react(said.id, "👍")
    bob.react(said.id, "👍")
    memory.react(said.id, "👍")
    memory.react(said.id, "🚀")

    signs = [(sign.user, sign.emoji) for sign in memory.reactions(said.id)]
    assert sorted(signs) == [("ada", "👍"), ("ada", "🚀"), ("bob", "👍")]
    assert bob.unreact(said.id, "🚀") is False, "another's sign stays"
    assert memory.unreact(said.id, "👍") is True
    assert memory.unreact(said.id, "👍") is False
    assert [(sign.user, sign.emoji) for sign in bob.reactions(said.id)] == [
        ("bob", "👍"),
        ("ada", "🚀"),
    ]


def test_reader_neither_signs_nor_takes_signs_off(memory: Recollect) -> None:
    memory.add_member("bob")
    bob = memory.within(user="bob")
    said = memory.record("ship it")
    bob.react(said.id, "👍")
    memory.add_member("bob", "reader")

    with pytest.raises(NotAllowed):
        bob.react(said.id, "🚀")
    with pytest.raises(NotAllowed):
        bob.unreact(said.id, "👍")
    assert [sign.emoji for sign in bob.reactions(said.id)] == ["👍"]


# --- Edits and deletes ----------------------------------------------------------------------------


def test_edit_is_followed_by_words_and_by_meaning(memory: Recollect) -> None:
    said = memory.record("the meeting is at noon in paris")
    assert found(memory, "paris") == [said.text]

    edited = memory.edit_event(said.id, "the meeting is at four in london")

    assert edited.text == "the meeting is at four in london"
    assert (edited.id, edited.occurred_at) == (said.id, said.occurred_at)
    assert edited.edited_at is not None
    assert memory.get(said.id) == edited
    assert found(memory, "paris") == []
    (hit,) = memory.recall("london four")
    assert hit.item == edited
    assert hit.keyword_rank == hit.vector_rank == 1
    for item in memory.recall("noon paris").found:
        assert item.keyword_score is None
    assert [(old.text, old.editor) for old in memory.revisions(said.id)] == [(said.text, "ada")]
    assert memory.health().sound


def test_every_edit_is_kept_in_order(memory: Recollect) -> None:
    said = memory.record("version 0")
    for number in range(1, 6):
        memory.edit_event(said.id, f"version {number}")
    assert [old.text for old in memory.revisions(said.id)] == [f"version {n}" for n in range(5)]
    assert texts(memory.read("notes").items) == ["version 5"]


def test_delete_erases_words_revisions_and_signs(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    before, said, after = (memory.record(word) for word in ("one", "xylophone", "three"))
    memory.record("reply", reply_to=said.id)
    memory.edit_event(said.id, "xylophone with a glockenspiel")
    memory.react(said.id, "🎵")
    memo = memory.remember("they spoke of instruments", type="memo", events=[said.id])
    assert len(memory.recall("glockenspiel", profile="plain")) == 1

    memory.delete_event(said.id)

    gone = memory.get(said.id)
    assert isinstance(gone, Event)
    assert (gone.text, gone.payload) == ("", {})
    assert gone.deleted_at is not None
    assert memory.read("notes").items[:3] == (before, gone, after)
    assert memory.revisions(said.id) == ()
    assert memory.reactions(said.id) == ()
    assert texts(memory.replies(said.id)) == ["reply"]
    assert memory.pointing_at(said.id) == (memo,)
    assert found(memory, "xylophone glockenspiel") == []
    assert "xylophone" not in repr(state_of(stores.database(address))).lower()
    assert memory.health().sound


def test_deleted_event_can_be_neither_edited_nor_deleted_again(memory: Recollect) -> None:
    said = memory.record("gone soon", external_id="7")
    memory.delete_event(said.id)
    with pytest.raises(EventNotFound):
        memory.edit_event(said.id, "back again")
    with pytest.raises(EventNotFound):
        memory.delete_event(said.id)
    assert memory.record("gone soon", external_id="7").text == "", (
        "an import does not bring it back"
    )


def test_only_its_author_and_a_steward_change_an_event(memory: Recollect) -> None:
    for user, role in (("bob", "member"), ("cyd", "member"), ("dan", "steward")):
        memory.add_member(user, role)
    bob, cyd, dan = (memory.within(user=user) for user in ("bob", "cyd", "dan"))
    said = bob.record("bobs words")

    with pytest.raises(NotAllowed):
        cyd.edit_event(said.id, "other words")
    with pytest.raises(NotAllowed):
        cyd.delete_event(said.id)
    assert bob.edit_event(said.id, "his own words").text == "his own words"
    assert dan.edit_event(said.id, "corrected words").text == "corrected words"
    memory.add_member("bob", "reader")
    with pytest.raises(NotAllowed):
        bob.edit_event(said.id, "again")
    dan.delete_event(said.id)


# --- Once, and all or none ------------------------------------------------------------------------


def test_event_that_its_source_names_is_written_once(memory: Recollect) -> None:
    first = memory.record("hello", external_id="slack-1", occurred_at=START)
    again = memory.record("hello, changed at the source", external_id="slack-1", occurred_at=START)
    other = memory.record("hello", external_id="slack-1", occurred_at=START, stream="elsewhere")

    assert again == first
    assert other.id != first.id, "a name counts inside its stream"
    assert memory.read("notes").items == (first,)


def test_same_event_twice_in_a_batch_is_one(memory: Recollect) -> None:
    batch = [NewEvent("hello", external_id="1"), NewEvent("hello", external_id="1")]
    one, two = memory.record_many(batch)
    assert one == two
    assert memory.read("notes").items == (one,)


def test_batch_is_kept_wholly_or_not_at_all(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.record("already here")
    before = state_of(database := stores.database(address))
    naive = datetime(2026, 1, 1)  # noqa: DTZ001

    bad: list[tuple[NewEvent, type[Exception]]] = [
        (NewEvent(""), InvalidText),
        (NewEvent("x", occurred_at=naive), InvalidTime),
        (NewEvent("x", reply_to="evt_" + "0" * 26), EventNotFound),
        (NewEvent("x", author="a" * 201), InvalidText),
    ]
    for event, error in bad:
        for stream in ("notes", "brand new"):
            with pytest.raises(error):
                memory.record_many([NewEvent("good"), event, NewEvent("also good")], stream=stream)

    assert state_of(database) == before


def test_batch_of_nothing_is_nothing(memory: Recollect) -> None:
    assert memory.record_many([]) == ()


def test_ids_of_nowhere(memory: Recollect) -> None:
    verbs: list[Callable[[str], object]] = [
        memory.get,
        memory.window,
        memory.replies,
        memory.revisions,
        memory.reactions,
        memory.pointing_at,
        memory.delete_event,
        lambda event: memory.edit_event(event, "new words"),
        lambda event: memory.react(event, "👍"),
        lambda event: memory.unreact(event, "👍"),
    ]
    elsewhere = memory.within(space="other").record("over there")
    for event in (elsewhere.id, "evt_" + "0" * 26, "nonsense", elsewhere.id[:-3]):
        for verb in verbs:
            with pytest.raises(NotFound):
                verb(event)
    with pytest.raises(StreamNotFound):
        memory.read(elsewhere.stream_id)
