"""Many threads, and the async face, on one engine: nothing is lost and nothing is mixed up."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from inspect import isasyncgenfunction, iscoroutinefunction

import pytest

import recollect
from recollect.engine import AsyncRecollect, Recollect
from recollect.vocabulary.errors import Conflict, MemoryNotFound
from recollect.vocabulary.memory import Memory
from tests.clocks import TickingClock
from tests.embedders import WordEmbedder
from tests.stores import StoreMaker


def test_threads_write_and_search_at_once(stores: StoreMaker) -> None:
    address = stores.ready()
    engines = stores.open(address), stores.open(address)

    def write(number: int) -> tuple[str, str]:
        engine = engines[number % 2]
        word = f"word{number}"
        kept = engine.remember(f"alpha {word}")
        said = engine.record(f"beta {word}", stream=f"stream {number % 4}")
        (hit,) = [hit for hit in engine.recall(word, limit=50) if hit.id == kept.id]
        assert hit.keyword_score
        assert any(hit.id == said.id for hit in engines[1 - number % 2].recall(word, limit=50))
        return kept.id, said.id

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(120)))

    for engine in engines:
        assert len(engine.list(limit=1_000).items) == 120
        assert engine.stats()["events"] == 120
        assert {hit.id for hit in engine.recall("alpha", limit=500) if hit.keyword_score} == {
            kept for kept, _ in written
        }
    assert len(engines[0].streams().items) == 4, "each stream was opened once"
    assert engines[0].health().sound


def test_threads_change_one_memory(memory: Recollect) -> None:
    kept = memory.remember("count 0")

    def change(number: int) -> bool:
        try:
            memory.update(kept.id, content=f"count {number}", tags=[f"t{number}"])
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        done = sum(pool.map(change, range(1, 25)))

    item = memory.get(kept.id)
    assert isinstance(item, Memory)
    assert item.revision == 1 + done
    assert [entry.revision for entry in memory.history(kept.id)] == list(range(1, done + 2))
    assert item.tags == (f"t{item.content.split()[1]}",)
    assert len(memory.recall("count", limit=50)) == 1
    assert memory.health().sound


def test_spaces_and_streams_are_made_once_however_many_ask(stores: StoreMaker) -> None:
    address = stores.ready()
    engines = [stores.open(address) for _ in range(3)]

    def enter(number: int) -> tuple[str, str]:
        view = engines[number % 3].within(space="new")
        return view.space.id, view.record(f"{number}", stream="shared", external_id="1").stream_id

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(enter, range(12)))) == 1
    assert len(engines[0].within(space="new").read("shared").items) == 1


def test_one_worker_thread_and_many_writers(stores: StoreMaker) -> None:
    memory = stores.open(embedder=WordEmbedder(), worker=True)
    kept = [memory.remember(f"alpha {number}. It has two sentences.") for number in range(20)]
    memory.work()
    for item in kept:
        now = memory.get(item.id)
        assert isinstance(now, Memory)
        assert now.levels.summary


# --- The async face -------------------------------------------------------------------------------


def test_async_face_has_the_same_verbs() -> None:
    house = {"at_once", "close", "session", "start_worker"}
    verbs = {
        name
        for name in dir(Recollect)
        if not name.startswith("_") and callable(getattr(Recollect, name))
    }
    lifted = {name for name in dir(AsyncRecollect) if not name.startswith("_")}
    assert verbs - house <= lifted
    for name in verbs - house:
        verb = getattr(AsyncRecollect, name)
        assert iscoroutinefunction(verb) or isasyncgenfunction(verb), name
        assert verb.__doc__


def test_async_face_does_the_work(stores: StoreMaker, clock: TickingClock) -> None:
    async def story() -> None:
        async with recollect.open_async(
            stores.ready(),
            user="ada",
            embedder=WordEmbedder(),
            worker=False,
            clock=clock,
            threads=3,
        ) as memory:
            kept = await asyncio.gather(*(memory.remember(f"alpha {n}") for n in range(12)))
            assert len({item.id for item in kept}) == 12
            answers = await asyncio.gather(*(memory.recall(f"alpha {n}") for n in range(12)))
            assert [answer.found[0].text for answer in answers] == [f"alpha {n}" for n in range(12)]
            await memory.update(kept[0].id, content="beta")
            assert (await memory.get(kept[0].id)).content == "beta"  # type: ignore[union-attr]
            with pytest.raises(MemoryNotFound):
                await memory.get("mem_" + "0" * 26)
            assert (await memory.run(lambda: 7)) == 7
            other = await memory.within(space="other", user="bob")
            await other.remember("gamma")
            assert [item.content for item in (await other.list()).items] == ["gamma"]
            assert (await memory.recall("gamma")).found == ()

    asyncio.run(story())


def test_closing_lets_everything_go(stores: StoreMaker) -> None:
    address = stores.ready()
    with stores.open(address, worker=True) as memory:
        memory.remember("alpha")
    memory.close()
    assert len(stores.open(address).list().items) == 1


def test_many_may_begin_a_new_store_at_once(stores: StoreMaker) -> None:
    """Each looks for the facts of the store, finds none and writes them."""
    many = 6
    for _ in range(4):
        address = stores.ready()
        ready = threading.Barrier(many, timeout=60)

        def begin(_: int, address: str = address, ready: threading.Barrier = ready) -> str:
            ready.wait()
            return stores.open(address).remember("one of many").id

        with ThreadPoolExecutor(many) as pool:
            kept = set(pool.map(begin, range(many)))
        assert {found.id for found in stores.open(address).list().items} == kept
