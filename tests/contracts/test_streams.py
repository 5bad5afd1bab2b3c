"""Streams: who opens them, who may read them, and threads that follow their root."""

from collections.abc import Callable

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, NotAllowed, NotFound, StreamNotFound
from recollect.vocabulary.streams import StreamAccess, StreamKind


@pytest.fixture
def bob(memory: Recollect) -> Recollect:
    memory.add_member("bob")
    return memory.within(user="bob")


@pytest.fixture
def cyd(memory: Recollect) -> Recollect:
    memory.add_member("cyd")
    return memory.within(user="cyd")


def names(view: Recollect) -> list[str]:
    return [stream.name for stream in view.streams().items]


def test_stream_is_opened_once(memory: Recollect) -> None:
    first = memory.open_stream("general", kind="channel")
    again = memory.open_stream("general", kind="session", access="private")

    assert again == first
    assert (first.kind, first.access) == (StreamKind.CHANNEL, StreamAccess.OPEN)
    assert first.owner == "ada"
    assert memory.open_stream(first.id) == first
    assert memory.open_stream("  general ") == first


def test_streams_are_listed_by_kind_and_page(memory: Recollect) -> None:
    for number in range(230):
        memory.open_stream(f"stream {number}", kind="channel" if number % 2 else "chat")

    seen: list[str] = []
    cursor = None
    while len(seen) < 1_000:
        page = memory.streams(kind="channel", cursor=cursor)
        seen += [stream.name for stream in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [f"stream {number}" for number in range(1, 230, 2)]


def test_private_stream_shows_to_its_owner_and_its_list(
    memory: Recollect, bob: Recollect, cyd: Recollect
) -> None:
    bob.open_stream("secret", access="private")
    bob.admit("secret", "cyd")

    assert names(bob) == names(cyd) == ["secret"]
    assert names(memory) == [], "owning the space is not being on the list"
    with pytest.raises(StreamNotFound):
        memory.read("secret")


def test_name_of_a_hidden_stream_tells_nothing(memory: Recollect, bob: Recollect) -> None:
    hidden = bob.open_stream("secret", access="private")
    bob.record("the old word", stream="secret")
    opened = memory.open_stream("secret", access="private")
    free = memory.open_stream("free", access="private")
    assert (opened.name, opened.id != hidden.id) == ("secret", True)
    assert (opened.kind, opened.access, opened.owner) == (free.kind, free.access, free.owner)
    memory.record("the new word", stream="secret")
    assert [event.text for event in memory.read("secret").items] == ["the new word"]
    assert [event.text for event in bob.read("secret").items] == ["the old word"]
    assert names(memory) == ["secret", "free"]
    bob.admit("secret", "ada")
    assert names(memory) == ["secret", "secret", "free"]
    assert [event.text for event in memory.read(opened.id).items] == ["the new word"]
    assert "\x1f" not in "".join(memory.export("json"))
    assert "\\u001f" not in "".join(memory.export("json"))


def test_access_and_list_count_at_once(memory: Recollect, bob: Recollect) -> None:
    memory.open_stream("plans")
    said = memory.record("we launch in May", stream="plans")
    assert bob.get(said.id) == said
    assert len(bob.recall("launch may")) == 1

    memory.set_access("plans", "private")
    attempts: list[Callable[[], object]] = [lambda: bob.get(said.id), lambda: bob.read("plans")]
    for attempt in attempts:
        with pytest.raises(NotFound):
            attempt()
    assert len(bob.recall("launch may")) == 0

    memory.admit("plans", "bob")
    assert bob.read("plans").items == (said,)
    memory.dismiss("plans", "bob")
    assert len(bob.recall("launch may")) == 0
    memory.set_access("plans", "open")
    assert bob.get(said.id) == said


def test_only_owner_and_steward_decide_about_a_stream(
    memory: Recollect, bob: Recollect, cyd: Recollect
) -> None:
    bob.open_stream("bobs")
    attempts: list[Callable[[], object]] = [
        lambda: cyd.set_access("bobs", "private"),
        lambda: cyd.admit("bobs", "cyd"),
        lambda: cyd.dismiss("bobs", "bob"),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()

    memory.add_member("cyd", "steward")
    cyd.set_access("bobs", "private")
    assert names(cyd) == []
    with pytest.raises(StreamNotFound):
        cyd.set_access("bobs", "open")


def test_owner_of_a_stream_who_may_only_read_decides_nothing(
    memory: Recollect, bob: Recollect
) -> None:
    bob.open_stream("bobs", access="private")
    memory.add_member("bob", "reader")
    attempts: list[Callable[[], object]] = [
        lambda: bob.set_access("bobs", "open"),
        lambda: bob.admit("bobs", "cyd"),
        lambda: bob.dismiss("bobs", "bob"),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()


def test_thread_is_read_by_whoever_may_read_its_root(
    memory: Recollect, bob: Recollect, cyd: Recollect
) -> None:
    memory.open_stream("board", kind="channel", access="private")
    memory.admit("board", "bob")
    thread = bob.open_stream("board / budget", kind="thread", parent="board")
    deeper = bob.open_stream("board / budget / travel", kind="thread", parent=thread.id)
    said = bob.record("travel costs too much", stream=deeper.id)

    assert thread.parent_id == memory.open_stream("board").id
    assert deeper.parent_id == thread.id
    assert memory.get(said.id) == said
    assert names(memory) == names(bob) == ["board", "board / budget", "board / budget / travel"]
    assert names(cyd) == []

    memory.dismiss("board", "bob")
    assert names(bob) == [], "having opened the thread does not keep it open"
    with pytest.raises(NotFound):
        bob.get(said.id)
    assert len(bob.recall("travel costs")) == 0


def test_memory_of_a_thread_is_seen_by_whoever_may_read_its_root(
    memory: Recollect, bob: Recollect, cyd: Recollect
) -> None:
    memory.open_stream("board", kind="channel", access="private")
    memory.admit("board", "bob")
    thread = bob.open_stream("board / budget", kind="thread", parent="board")
    memo = bob.remember("the budget was cut", type="memo", stream=thread.id)

    assert memory.get(memo.id).id == memo.id
    with pytest.raises(NotFound):
        cyd.get(memo.id)
    assert len(cyd.recall("budget cut")) == 0

    memory.dismiss("board", "bob")
    with pytest.raises(NotFound):
        bob.get(memo.id)
    memory.set_access("board", "open")
    assert cyd.get(memo.id).id == memo.id


def test_thread_has_no_access_of_its_own(memory: Recollect, bob: Recollect) -> None:
    memory.open_stream("board", kind="channel")
    memory.open_stream("board / budget", kind="thread", parent="board")
    memory.record("numbers", stream="board / budget")
    attempts: list[Callable[[], object]] = [
        lambda: memory.set_access("board / budget", "private"),
        lambda: memory.admit("board / budget", "bob"),
        lambda: memory.dismiss("board / budget", "bob"),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput, match="Decide about that stream"):
            attempt()


def test_thread_of_a_hidden_stream_cannot_be_opened(memory: Recollect, bob: Recollect) -> None:
    secret = bob.open_stream("secret", access="private")
    for parent in (secret.id, secret.name, "no such stream"):
        with pytest.raises(StreamNotFound):
            memory.open_stream("mine", kind="thread", parent=parent)
    assert names(memory) == []


def test_unknown_words_are_refused_also_for_a_stream_that_is_there(memory: Recollect) -> None:
    memory.open_stream("general")
    attempts: list[Callable[[], object]] = [
        lambda: memory.open_stream("general", kind="party"),
        lambda: memory.open_stream("general", access="ajar"),
        lambda: memory.set_access("general", "ajar"),
        lambda: memory.streams(kind="party"),
    ]
    for attempt in attempts:
        with pytest.raises(InvalidInput, match="Choose one of"):
            attempt()


def test_stream_that_is_not_there(memory: Recollect) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: memory.read("nowhere"),
        lambda: memory.set_access("nowhere", "open"),
        lambda: memory.admit("nowhere", "bob"),
        lambda: memory.open_stream("str_" + "0" * 26),
    ]
    for attempt in attempts:
        with pytest.raises(StreamNotFound):
            attempt()
