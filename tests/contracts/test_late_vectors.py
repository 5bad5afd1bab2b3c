"""A remote embedder is never waited for: what it owes is a backlog that survives its outages."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from recollect.engine import Recollect
from recollect.index import vector_index
from recollect.storage import schema
from recollect.storage.database import Database
from recollect.vocabulary.errors import NotAllowed
from recollect.vocabulary.events import NewEvent
from tests.embedders import RemoteEmbedder, WordEmbedder
from tests.stores import StoreMaker

HOUR = timedelta(hours=1)

GAMMA = "alpha gamma alpha gamma"  # what is shorter gets no vector


def legs(view: Recollect, query: str) -> dict[str, tuple[bool, bool]]:
    """Which legs found what."""
    return {
        hit.text: (hit.keyword_rank is not None, hit.vector_rank is not None)
        for hit in view.recall(query, limit=200)
    }


def vectors(database: Database) -> int:
    with database.reading(all_spaces=True) as transaction:
        return len(transaction.execute(select(schema.vectors.c.slot)).all())


def work_off(memory: Recollect, stores: StoreMaker, tries: int = 40) -> None:
    """Work until nothing waits; pauses after failures pass by."""
    for _ in range(tries):
        memory.work()
        stores.clock.move(HOUR)
        if memory.stats()["queue"].backlog == 0:
            return
    raise AssertionError("the backlog did not drain")


def test_item_is_found_by_words_until_its_vector_comes(stores: StoreMaker) -> None:
    remote = RemoteEmbedder()
    memory = stores.open(embedder=remote)
    memory.remember("alpha beta")
    memory.record(GAMMA)
    assert remote.asked == [], "no write waits for it"
    assert legs(memory, "alpha") == {"alpha beta": (True, False), GAMMA: (True, False)}
    assert memory.health().without_vector == 2

    work_off(memory, stores)

    assert {"alpha beta", GAMMA} <= set(remote.asked)
    assert legs(memory, "alpha") == {"alpha beta": (True, True), GAMMA: (True, True)}
    assert memory.health().without_vector == 0


def test_outage_delays_and_loses_nothing(stores: StoreMaker) -> None:
    remote = RemoteEmbedder(down=True)
    memory = stores.open(embedder=remote)
    for number in range(7):
        memory.remember(f"alpha {number}")
        memory.record(f"beta beta beta number {number}", stream="talk")
    answer = memory.recall("alpha", limit=50)
    assert len(answer) == 7
    assert answer.missing[0].startswith("Searched without vectors:")
    for _ in range(6):
        memory.work()
        stores.clock.move(HOUR)
    assert memory.stats()["queue"].failures > 0
    assert memory.stats()["queue"].backlog > 0
    assert memory.dead_jobs() == ()

    remote.down = False
    work_off(memory, stores)

    answer = memory.recall("alpha", limit=50)
    assert answer.missing == ()
    assert [hit.vector_score is not None for hit in answer] == [True] * 7
    assert memory.stats()["vectors"] == {"remote": 14}
    assert memory.dead_jobs() == ()


def test_late_vectors_appear_in_another_open_engine(stores: StoreMaker) -> None:
    address = stores.ready()
    worker = stores.open(address, embedder=RemoteEmbedder())
    reader = stores.open(address, embedder=RemoteEmbedder())
    worker.remember("alpha beta")
    assert legs(reader, "alpha") == {"alpha beta": (True, False)}
    work_off(worker, stores)
    assert legs(reader, "alpha") == {"alpha beta": (True, True)}


@pytest.mark.parametrize("batch", [2, 1_000])
def test_vectors_that_come_out_of_order_all_arrive(
    stores: StoreMaker, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """Later slots had their vectors first; then come those of many earlier ones at once."""
    monkeypatch.setattr(vector_index, "VECTORS_READ", batch)
    address = stores.ready()
    remote = RemoteEmbedder(down=True)
    late = stores.open(address, embedder=remote)
    late.record_many([NewEvent(f"alpha alpha alpha {number:02}") for number in range(30)])
    prompt = stores.open(address, embedder=WordEmbedder("remote"))
    prompt.record("alpha alpha alpha at once")
    reader = stores.open(address, embedder=WordEmbedder("remote"))
    assert sum(vector for _, vector in legs(reader, "alpha").values()) == 1

    remote.down = False
    work_off(late, stores)

    found = legs(reader, "alpha")
    assert len(found) == 31
    assert all(vector for _, vector in found.values())


def test_edit_before_the_vector_came_embeds_the_new_words_only(stores: StoreMaker) -> None:
    remote = RemoteEmbedder(down=True)
    address = stores.ready()
    memory = stores.open(address, embedder=remote)
    kept, said = memory.remember("old memory"), memory.record("old event of the stream")
    memory.update(kept.id, content="new memory")
    memory.edit_event(said.id, "new event of the stream")
    gone = memory.remember("gone before its vector came")
    memory.forget(gone.id, for_good=True)
    put_away = memory.remember("put away before its vector came")
    memory.forget(put_away.id)
    remote.down = False
    work_off(memory, stores)

    assert not any("old" in text or "gone" in text or "away" in text for text in remote.asked)
    assert legs(memory, "new") == {
        "new memory": (True, True),
        "new event of the stream": (True, True),
    }
    assert vectors(stores.database(address)) == 2
    memory.restore(put_away.id)
    work_off(memory, stores)
    assert legs(memory, "put away") == {put_away.content: (True, True)}


def test_moved_before_the_vector_came_is_embedded_all_the_same(stores: StoreMaker) -> None:
    """A change of validity takes a new slot; the promise must follow it there."""
    remote = RemoteEmbedder(down=True)
    memory = stores.open(embedder=remote)
    kept = memory.remember("alpha beta")
    memory.update(kept.id, valid_to=stores.clock.now + 10_000 * HOUR)
    old = memory.remember("gamma delta")
    memory.supersede(old.id, "gamma epsilon")
    remote.down = False
    work_off(memory, stores)

    assert legs(memory, "alpha") == {"alpha beta": (True, True)}
    assert memory.health().without_vector == 0


def test_question_that_cannot_be_embedded_is_answered_by_words(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address, embedder=RemoteEmbedder())
    memory.remember("alpha beta")
    work_off(memory, stores)
    cut_off = stores.open(address, embedder=RemoteEmbedder(down=True))
    answer = cut_off.recall("alpha")
    assert [hit.text for hit in answer] == ["alpha beta"]
    assert len(answer.missing) == 1
    assert cut_off.embedder_state() == (False, "The wire is cut. Ask again later.")


def test_dead_jobs_can_be_given_another_life(stores: StoreMaker) -> None:
    remote = RemoteEmbedder(down=True)
    memory = stores.open(embedder=remote)
    memory.remember("alpha beta")
    for _ in range(200):
        memory.work()
        stores.clock.move(2 * HOUR)
        if memory.dead_jobs():
            break
    (dead,) = memory.dead_jobs()
    assert "The wire is cut" in (dead.last_error or "")
    assert legs(memory, "alpha") == {"alpha beta": (True, False)}

    remote.down = False
    assert memory.retry_jobs(dead.id) == 1
    work_off(memory, stores)
    assert legs(memory, "alpha") == {"alpha beta": (True, True)}
    assert memory.dead_jobs() == ()


@pytest.mark.parametrize("role", ["stranger", "reader", "member"])
def test_jobs_of_a_space_are_for_its_stewards(stores: StoreMaker, role: str) -> None:
    memory = stores.open()
    if role != "stranger":
        memory.add_member("eve", role)
    eve = memory.within(user="eve")
    with pytest.raises(NotAllowed):
        eve.dead_jobs()
    with pytest.raises(NotAllowed):
        eve.retry_jobs()
    memory.add_member("eve", "steward")
    assert (eve.dead_jobs(), eve.retry_jobs()) == ((), 0)


# --- a summary has a vector of its own ------------------------------------------------------------

LONG = " ".join(f"Step {number} looks at valve v{number} and notes it." for number in range(40))
SUMMARY = "How boilers are inspected"


def nearness(view: Recollect, query: str) -> float:
    """How near the best lies to a question by its vectors."""
    return view.recall(query, kinds="memory", limit=1).found[0].vector_score or 0.0


@pytest.mark.parametrize("remote", [False, True])
def test_long_memory_is_near_by_its_summary_too(stores: StoreMaker, remote: bool) -> None:
    address = stores.ready()
    model = (RemoteEmbedder if remote else WordEmbedder)("model")
    memory = stores.open(address, embedder=model)
    reader = stores.open(address, embedder=WordEmbedder("model"))
    plain = memory.remember(LONG)
    work_off(memory, stores)
    ours = {"model": 1, "model#summary": 1}
    assert memory.stats()["vectors"] == ours, "its summary by the rules, from a job"
    before = nearness(reader, "valve v3 inspected boilers")

    told = memory.update(plain.id, summary=SUMMARY)
    work_off(memory, stores)
    assert memory.stats()["vectors"] == ours, "the vector of the old summary is gone"
    assert nearness(reader, "valve v3 inspected boilers") > before

    memory.remember("A short fact of the boiler room.")
    memory.update(told.id, tags=["boilers"])
    work_off(memory, stores)
    assert memory.stats()["vectors"] == {"model": 2, "model#summary": 1}
    memory.forget(told.id)
    assert memory.stats()["vectors"] == {"model": 1}


def test_summaries_get_their_vectors_of_a_new_model(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address, embedder=WordEmbedder("model"))
    memory.remember(LONG, summary=SUMMARY)
    other = stores.open(address, embedder=WordEmbedder("other"))
    work_off(other, stores)
    assert other.stats()["vectors"]["other#summary"] == 1
