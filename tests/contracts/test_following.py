"""What one engine wrote, the next search of another finds: in this process, and across two."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.index import place_table, search_index
from recollect.memories import maintenance
from recollect.vocabulary.clock import system_clock
from tests.child_processes import ForkedProcess, started
from tests.clocks import START, TickingClock
from tests.stores import StoreMaker


def ids(view: Recollect, query: str, **narrow: Any) -> set[str]:
    return {hit.id for hit in view.recall(query, **narrow)}


@pytest.fixture
def pair(stores: StoreMaker) -> tuple[Recollect, Recollect]:
    """Two engines on one store, each with an index of its own that is warm."""
    address = stores.ready()
    writer, reader = stores.open(address), stores.open(address)
    assert ids(reader, "anything") == set()
    return writer, reader


def test_new_memories_and_events_are_found(pair: tuple[Recollect, Recollect]) -> None:
    writer, reader = pair
    for number in range(5):
        kept = writer.remember(f"alpha {number}")
        said = writer.record(f"alpha said {number}")
        assert {kept.id, said.id} <= ids(reader, "alpha", limit=100)
    assert len(ids(reader, "alpha", limit=100)) == 10


def test_changes_are_followed(pair: tuple[Recollect, Recollect]) -> None:
    writer, reader = pair
    kept, said = writer.remember("alpha"), writer.record("alpha")
    assert ids(reader, "alpha") == {kept.id, said.id}

    writer.update(kept.id, content="beta")
    writer.edit_event(said.id, "gamma")
    assert ids(reader, "alpha") == set()
    assert ids(reader, "beta") == {kept.id}
    assert ids(reader, "gamma") == {said.id}

    writer.forget(kept.id)
    writer.delete_event(said.id)
    assert ids(reader, "beta gamma") == set()
    writer.restore(kept.id)
    assert ids(reader, "beta") == {kept.id}
    writer.forget(kept.id, for_good=True)
    assert ids(reader, "beta") == set()


def test_what_came_and_went_between_two_looks_is_not_there(
    pair: tuple[Recollect, Recollect],
) -> None:
    writer, reader = pair
    kept = writer.remember("alpha")
    for word in ("beta", "gamma", "delta"):
        writer.update(kept.id, content=word)
    gone = writer.remember("alpha beta gamma")
    writer.forget(gone.id, for_good=True)
    assert ids(reader, "alpha beta gamma") == set()
    assert ids(reader, "delta") == {kept.id}


def test_reader_that_is_too_far_behind_reads_anew(
    pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    first = writer.remember("alpha")
    assert ids(reader, "alpha") == {first.id}
    monkeypatch.setattr(search_index, "CHANGES_KEPT", 2)
    for number in range(5):
        writer.update(first.id, content=f"beta {number}")
    assert ids(reader, "alpha") == set()
    assert ids(reader, "beta") == {first.id}


def test_index_of_mostly_struck_out_rows_is_read_anew(
    pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    monkeypatch.setattr(
        place_table.PlaceTable,
        "should_reload",
        property(lambda table: table.count > 4 and table.statistics()[0] * 2 < table.count),
    )
    kept = writer.remember("alpha")
    for number in range(12):
        writer.update(kept.id, content=f"alpha beta {number}")
        assert ids(reader, "beta") == {kept.id}
    (hit,) = reader.recall("beta")
    assert hit.vector_rank == 1


def test_rebuilt_index_is_followed(pair: tuple[Recollect, Recollect]) -> None:
    writer, reader = pair
    kept, said = writer.remember("alpha"), writer.record("alpha")
    before = reader.recall("alpha").found
    assert writer.rebuild_index() == 2
    assert reader.recall("alpha").found == before
    writer.update(kept.id, content="beta")
    assert ids(reader, "alpha") == {said.id}


def test_members_and_lists_are_followed(pair: tuple[Recollect, Recollect]) -> None:
    writer, reader = pair
    bob = reader.within(user="bob")
    kept = writer.remember("alpha")
    assert ids(bob, "alpha") == set()
    writer.add_member("bob", "reader")
    assert ids(bob, "alpha") == {kept.id}
    writer.remove_member("bob")
    assert ids(bob, "alpha") == set()


def test_reader_whose_clock_lags_behind_finds_it_at_once(stores: StoreMaker) -> None:
    """Two machines never agree on the time; what is acknowledged on one is found on the other."""
    address = stores.ready()
    ahead = stores.open(address, clock=TickingClock(START + timedelta(minutes=5)))
    behind = stores.open(address, clock=TickingClock(START))
    kept, said = ahead.remember("alpha"), ahead.record("alpha")
    assert ids(behind, "alpha") == {kept.id, said.id}
    assert ids(behind, "alpha", kinds=["memory"], tag=None) == {kept.id}
    again = ahead.supersede(kept.id, "alpha anew")
    assert ids(behind, "alpha", kinds=["memory"]) >= {again.id}
    assert ids(behind, "alpha", as_of=START + timedelta(hours=1)) == {again.id}
    assert ids(behind, "alpha", as_of=START) == set(), "nobody believed it yet"
    behind.rebuild_index()
    assert ids(behind, "alpha anew", kinds=["memory"]) >= {again.id}


def test_spaces_that_are_seldom_searched_are_let_go_and_read_again(
    pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = pair
    monkeypatch.setattr(search_index, "_SETS", 3)
    kept = {}
    for number in range(6):
        kept[number] = writer.within(space=f"space {number}").remember(f"alpha {number}").id
    for _ in range(2):
        for number in range(6):
            assert ids(reader.within(space=f"space {number}"), "alpha") == {kept[number]}


# --- A real second process ------------------------------------------------------------------------


class Child:
    """The other process, as something to talk to."""

    def __init__(self, process: ForkedProcess) -> None:
        self._process = process

    def hear(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def ask(self, verb: str, *given: Any, **named: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([verb, given, named]) + "\n")
        self._process.stdin.flush()
        return self.hear()


@contextmanager
def child(address: str) -> Iterator[Child]:
    """A second process on the store; it is gone when the block ends, however it ends."""
    process = started("tests.contracts.child", address, stdin=subprocess.PIPE)
    try:
        other = Child(process)
        assert other.hear() == "ready"
        yield other
    finally:
        process.kill()
        process.communicate()


def test_second_process_follows_and_is_followed(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address, clock=system_clock)
    memory.remember("here before")
    with child(address) as other:

        def theirs(query: str) -> set[str]:
            return {hit["item"]["id"] for hit in other.ask("recall", query)["found"]}

        assert theirs("alpha") == set()
        mine = memory.remember("alpha of mine")
        assert theirs("alpha") == {mine.id}
        kept = other.ask("remember", "alpha of theirs")["id"]
        assert ids(memory, "alpha") == {mine.id, kept}

        other.ask("update", mine.id, content="beta")
        memory.forget(kept)
        assert theirs("alpha") == ids(memory, "alpha") == set()
        assert theirs("beta") == ids(memory, "beta") == {mine.id}
        said = other.ask("record", "gamma gamma gamma gamma", stream="talk")["id"]
        memory.edit_event(said, "delta delta delta delta")
        assert theirs("gamma") == set()
        assert theirs("delta") == ids(memory, "delta") == {said}
        (hit,) = memory.recall("delta")
        assert (hit.keyword_rank, hit.vector_rank) == (1, 1)
    assert memory.health().sound


def test_changes_told_long_ago_are_forgotten_and_nothing_is_missed(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "CHANGES_KEPT", 3)
    monkeypatch.setattr(search_index, "CHANGES_KEPT", 3)
    address = stores.ready()
    writer, reader = stores.open(address), stores.open(address)
    kept = writer.remember("alpha")
    assert ids(reader, "alpha") == {kept.id}
    for number in range(5):
        writer.update(kept.id, content=f"beta {number}")
    stores.clock.move(timedelta(days=2))
    writer.work()
    assert ids(reader, "alpha") == set()
    assert ids(reader, "beta") == {kept.id}
