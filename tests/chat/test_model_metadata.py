"""A model reads what was told once it is kept; whatever it does, what rules found stays."""

import json
from collections.abc import Iterator

import pytest

from recollect.engine import Recollect
from tests.inference.model_server import ModelServer, hang_up, patience, raw, running, status
from tests.stores import StoreMaker

SAID = "My sister Ana is allergic to peanuts and moves to Lisbon in May."
FOUND = {
    "entities": ["Ana", "Lisbon"],
    "phrases": ["allergic to peanuts"],
    "dates": ["May"],
    "tags": ["Allergies", "relocation"],
    "confidence": 0.9,
}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as made:
        yield made


@pytest.fixture
def memory(stores: StoreMaker, server: ModelServer) -> Recollect:
    return stores.open(
        settings={
            "model": "openai",
            "model_name": "small",
            "model_url": server.url,
            "model_key": "sk-not-a-real-key-0123456789",
            "model_timeout": str(patience()),
        }
    )


def test_what_the_model_notices_is_added(memory: Recollect, server: ModelServer) -> None:
    server.says = json.dumps(FOUND)
    entry = memory.chat.add(SAID, tags=["mine"]).entry
    assert entry is not None
    assert server.requests == []  # the write waited for nobody
    memory.work(10)

    kept = memory.chat.entry(entry.id)
    assert {"mine", "allergies", "relocation"} <= set(kept.memory.tags)
    assert {"allergies", "relocation"} <= set(kept.noticed.tags)
    assert "allergic to peanuts" in kept.noticed.phrases
    assert kept.noticed.confidence == 0.9
    assert memory.recall("relocation").found[0].id == entry.id
    used = {budget.kind: budget.used for budget in memory.budgets()}
    assert used["enrichments"] == 1


def test_topics_stand_in_where_no_tags_were_found(memory: Recollect, server: ModelServer) -> None:
    server.script = [
        raw(_answer(json.dumps({**FOUND, "tags": []}))),
        raw(_answer('{"topics": ["moving house"]}')),
    ]
    entry = memory.chat.add(SAID).entry
    assert entry is not None
    memory.work(10)
    assert "moving house" in memory.chat.entry(entry.id).memory.tags


def _answer(text: str) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


@pytest.mark.parametrize(
    "trouble",
    [
        raw(b"half an ans"),
        raw(_answer("I cannot help with that.")),
        hang_up,
        status(500),
        status(401),
    ],
)
def test_trouble_changes_nothing(memory: Recollect, server: ModelServer, trouble: object) -> None:
    entry = memory.chat.add(SAID).entry
    assert entry is not None
    server.script = [trouble] * 8  # type: ignore[list-item]
    memory.work(10)
    assert memory.chat.entry(entry.id).noticed == entry.noticed
    assert memory.chat.entry(entry.id).memory.tags == entry.memory.tags
    assert memory.dead_jobs() == ()


def test_an_entry_forgotten_meanwhile_is_not_asked_about(
    memory: Recollect, server: ModelServer
) -> None:
    entry = memory.chat.add(SAID).entry
    assert entry is not None
    memory.chat.forget(entry.id)
    memory.work(10)
    assert server.requests == []
    assert memory.dead_jobs() == ()


def test_a_used_up_budget_asks_nobody(memory: Recollect, server: ModelServer) -> None:
    memory.set_budget("enrichments", 0)
    entry = memory.chat.add(SAID).entry
    assert entry is not None
    memory.work(10)
    assert server.requests == []
    assert memory.chat.entry(entry.id).noticed == entry.noticed


def test_neighbours_propose_the_tags_they_share(stores: StoreMaker) -> None:
    memory = stores.open(embedder="static")
    for plant in ("tomatoes", "beans", "carrots"):
        memory.chat.add(f"The {plant} in the garden need water.", tags=["balcony project"])
    entry = memory.chat.add("The garden cucumbers need water too.").entry
    assert entry is not None
    assert "balcony project" in entry.noticed.proposed
    assert "balcony project" not in entry.memory.tags
    assert memory.chat.entry(entry.id).noticed == entry.noticed
    other = memory.chat.add("My flight to Oslo leaves on Friday.").entry
    assert other is not None
    assert other.noticed.proposed == ()


def test_how_well_recall_found_an_entry_counts_when_the_cap_is_reached(stores: StoreMaker) -> None:
    memory = stores.open(embedder="static")
    asked = memory.chat.add("Locker 7 belongs to the violin teacher.").entry
    passed = memory.chat.add("Locker 8 belongs to the drawing class.").entry
    assert asked is not None
    assert passed is not None
    memory.recall("violin teacher")
    memory._services.serving.flush()
    fresh = {entry.id: entry.scores for entry in memory.chat.entries().items}
    assert fresh[asked.id].relevance > fresh[passed.id].relevance
    assert fresh[asked.id].total == pytest.approx(
        fresh[asked.id].relevance + fresh[asked.id].recency + fresh[asked.id].importance
    )
    memory.chat.set(soft_cap=2)
    memory.chat.add("My flight to Oslo leaves on Friday.", manually_saved=True)
    assert asked.id in {entry.id for entry in memory.chat.entries().items}
