"""A space too large to scan is ranked by the server's index, through the same mask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from recollect.engine import Recollect
from recollect.index import server_vectors
from recollect.storage.dialects.postgres import vector_search
from recollect.storage.dialects.postgres.dialect import PostgresDialect
from recollect.storage.search.places import items_at
from recollect.trust.authorisation import authorise
from recollect.vocabulary.events import NewEvent
from tests.stores import StoreMaker

pytestmark = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many slots the server was asked for, each time."""
    found: list[int] = []
    real = PostgresDialect.nearest

    def spy(self: PostgresDialect, *given: Any) -> list[int]:
        found.append(given[-1])
        return real(self, *given)

    monkeypatch.setattr(PostgresDialect, "nearest", spy)
    return found


def fill(memory: Recollect, count: int, stream: str = "talk") -> None:
    memory.record_many(
        [NewEvent(f"{WORDS[n % 5]} {WORDS[n // 5 % 5]} number{n}") for n in range(count)],
        stream=stream,
    )


def answers(memory: Recollect, limit: int = 10) -> list[tuple[str, float]]:
    """What the vector leg finds, best first: ids and cosines."""
    recall = memory._services.recall
    asked = recall._indexer.question("gamma delta")
    assert asked is not None
    with recall._database.reading() as transaction:
        access = authorise(transaction, memory.viewer, memory.space)
        model, vector = asked
        survey = recall._index.survey(
            transaction, access, "events", (), model=model, moment=None, ahead=True
        )
        assert survey.codes is not None
        near = recall._index.nearness(transaction, survey, survey.codes, vector)
        best = np.lexsort((survey.slots, -near))[:limit]
        slots = survey.slots[best].tolist()
        ids = items_at(transaction, memory.space.id, slots)
    return [
        (ids[slot], round(score, 3)) for slot, score in zip(slots, near[best].tolist(), strict=True)
    ]


def scores(found: Sequence[tuple[str, float]]) -> list[float]:
    return sorted((score for _, score in found), reverse=True)


def test_large_space_is_ranked_by_the_server(
    stores: StoreMaker, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = stores.ready()
    memory = stores.open(address)
    fill(memory, 400)
    expected = answers(memory)
    assert not asked, "a small one is scanned here"
    monkeypatch.setattr(server_vectors, "TURN", 300)
    assert answers(memory) == expected
    assert not asked, "there is no index yet"

    memory.rebuild_index()

    assert scores(answers(memory)) == pytest.approx(scores(expected), abs=0.005)
    assert asked[0] == 200
    assert scores(answers(stores.open(address))) == pytest.approx(scores(expected), abs=0.005)
    asked.clear()
    assert memory.recall("gamma delta", kinds=["event"])
    assert asked, "so is a whole recall"


def test_writes_after_the_index_was_built_are_found(
    stores: StoreMaker, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_vectors, "TURN", 300)
    memory = stores.open()
    fill(memory, 400)
    memory.rebuild_index()
    new = memory.record("gamma delta gamma delta", stream="talk")
    assert dict(answers(memory, 50))[new.id] > 0.99
    memory.delete_event(new.id)
    assert new.id not in dict(answers(memory, 50))
    assert asked


def test_hidden_rows_are_never_ranked_and_never_cost_a_result(
    stores: StoreMaker, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_vectors, "TURN", 300)
    monkeypatch.setattr(server_vectors, "_PORTIONS", (20, 40))
    memory = stores.open()
    memory.add_member("bob")
    memory.open_stream("secret", access="private")
    fill(memory, 400, stream="secret")
    fill(memory, 25, stream="open")
    memory.rebuild_index()
    bob = memory.within(user="bob")

    found = answers(bob)

    assert asked == [20, 40], "after two portions of what is hidden, the rest is scanned"
    assert len(found) == 10
    seen = {event.id for event in bob.read("open", limit=100).items}
    assert {identifier for identifier, _ in found} <= seen


def test_building_twice_builds_once_and_mends_what_was_broken_off(stores: StoreMaker) -> None:
    address = stores.ready()
    fill(stores.open(address), 30)
    database = stores.database(address)
    assert database.build_vector_index("words", 48)
    assert not database.build_vector_index("words", 48)

    name = vector_search.index_name("words")

    def break_off(connection: Any) -> None:
        connection.exec_driver_sql("SET LOCAL ROLE NONE")
        connection.exec_driver_sql(
            f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass"
        )

    database.write(break_off)
    with database.reading() as connection:
        assert not database.dialect.has_vector_index(connection, "words")
        assert database.dialect.store_problems(connection) == [f"The index {name} is not valid."]
    assert database.build_vector_index("words", 48)
    with database.reading() as connection:
        assert database.dialect.has_vector_index(connection, "words")
        assert database.dialect.store_problems(connection) == []
