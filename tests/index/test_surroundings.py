"""What stands around an event is the same whether events were read one by one or all at once."""

from datetime import timedelta

import pytest

from recollect.engine import Recollect
from recollect.index import surroundings
from recollect.index.search_index import CollectionView, SearchIndex
from recollect.storage.access.visibility_filter import read_shared_rows, shared_reads
from recollect.storage.database import Database
from recollect.storage.pages.events import texts_at
from recollect.storage.search.places import events_by_stream
from recollect.storage.space_clock import number_and_clock
from recollect.trust.authorisation import authorise
from recollect.vocabulary.events import Event, NewEvent
from tests.stores import StoreMaker


def surveyed(index: SearchIndex, memory: Recollect, database: Database) -> CollectionView:
    with database.reading() as transaction:
        access = authorise(transaction, memory.viewer, memory.space)
        return index.survey(transaction, access, "events", ["stone"], model=None, moment=None)


def told(view: CollectionView) -> list[tuple[object, ...]]:
    """All that is known of each visible row, in an order and by names that no reading decides."""
    beside = view.beside
    assert beside is not None
    rows = [int(row) for row in view.seen.nonzero()[0]]
    slots = [*view.slots.tolist(), None]  # the last one is that of no row
    firsts: dict[int, int] = {}
    return [
        (
            slots[row],
            beside.names[beside.authors[row]],
            *(int(values[row]) for values in (beside.moments, beside.asks, beside.outcomes)),
            int(beside.replies[row]),
            *(slots[values[row]] for values in (beside.previous, beside.following)),
            slots[firsts.setdefault(int(beside.sessions[row]), row)],
        )
        for row in rows
    ]


@pytest.mark.parametrize("least", [0, 500])
def test_reading_all_at_once_is_reading_one_by_one(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch, least: int
) -> None:
    monkeypatch.setattr(surroundings, "_ONE_BY_ONE", least)
    address = stores.ready()
    memory, database = stores.open(address), stores.database(address)
    started = stores.clock.now
    followed = SearchIndex(database.dialect)
    said: list[Event] = []
    for number in range(24):
        texts = ("a stone", "which stone?  ", "Decision: the stone stays.")
        event = NewEvent(
            f"{texts[number % 3]}{' ' * (number % 2)}",
            occurred_at=started - timedelta(hours=7 * (number % 5), minutes=number),
            reply_to=said[-3].id if number > 4 and number % 4 == 0 else None,
        )
        said += memory.record_many([event], stream=("one", "two", "three")[number % 3])
        surveyed(followed, memory, database)
    memory.edit_event(said[3].id, "an edited stone?")
    memory.delete_event(said[7].id)
    fresh = surveyed(SearchIndex(database.dialect), memory, database)
    assert told(fresh) == told(surveyed(followed, memory, database))
    assert sum(bool(row[3]) for row in told(fresh)) == 8  # the edited one asks, the deleted did


def test_reading_by_stream_goes_on_after_any_event(stores: StoreMaker) -> None:
    address = stores.ready()
    memory, database = stores.open(address), stores.database(address)
    for number in range(12):
        memory.record(f"stone {number}", stream=("one", "two")[number % 2])
    with database.reading() as transaction:
        authorise(transaction, memory.viewer, memory.space)
        every = events_by_stream(transaction, memory.space.id, ("", 0, 0))
        assert len(every) == 12
        for place, (_, _, stream, moment, *_, arrival) in enumerate(every, 1):
            after = stream, moment, arrival
            assert events_by_stream(transaction, memory.space.id, after) == every[place:]


def test_postings_of_several_terms_are_those_of_each(stores: StoreMaker) -> None:
    address = stores.ready()
    memory, database = stores.open(address), stores.database(address)
    for text in ("stone stone wood", "wood", "glass stone", "water"):
        memory.record(text, stream="talk")
    dialect = database.dialect
    with database.reading() as transaction, shared_reads(transaction):
        authorise(transaction, memory.viewer, memory.space)
        read_shared_rows(transaction)
        space = memory.space.id, number_and_clock(transaction, memory.space.id)[0]
        slots, counts, sizes = dialect.postings(
            transaction, "events", space, ["stone", "nothing", "water", "wood"]
        )
        assert sizes == [2, 0, 1, 2]
        assert counts.tolist() == [2, 1, 1, 1, 1]
        alone = [
            dialect.postings(transaction, "events", space, [term]) for term in ("stone", "water")
        ]
        assert slots[:3].tolist() == [*alone[0][0].tolist(), *alone[1][0].tolist()]
        nothing = dialect.postings(transaction, "events", space, ["nothing"])
        assert [len(nothing[0]), len(nothing[1]), nothing[2]] == [0, 0, [0]]


def test_texts_are_read_of_the_given_audiences_alone(stores: StoreMaker) -> None:
    address = stores.ready()
    memory, database = stores.open(address), stores.database(address)
    memory.record("a stone in the open", stream="talk")
    memory.open_stream("hidden", access="private")
    memory.record("a stone that is hidden", stream="hidden")
    view = surveyed(SearchIndex(database.dialect), memory, database)
    slots = view.slots.tolist()
    with database.reading() as transaction:
        authorise(transaction, memory.viewer, memory.space)
        space = memory.space.id
        every = texts_at(transaction, space, view.audiences, slots)
        assert [text for _, text in every.values()] == [
            "a stone in the open",
            "a stone that is hidden",
        ]
        parts = [texts_at(transaction, space, {one}, slots) for one in sorted(view.audiences)]
        assert sorted(len(part) for part in parts if part) == [1, 1]
        assert texts_at(transaction, space, frozenset(), slots) == {}
