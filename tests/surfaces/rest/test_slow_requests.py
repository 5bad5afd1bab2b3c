"""What is brief is done on the spot; whoever waits, waits where others are still answered."""

import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from recollect.engine import Recollect
from recollect.surfaces.rest import dispatcher
from recollect.surfaces.rest.dispatcher import RequestTiming
from recollect.vocabulary.errors import StoreBusy
from tests.stores import StoreMaker
from tests.surfaces.rest.conftest import Serve


@contextmanager
def writing(memory: Recollect) -> Iterator[None]:
    """Somebody else writes, and takes their time."""
    begun, done = threading.Event(), threading.Event()

    def hold(_transaction: object) -> None:
        begun.set()
        done.wait(120)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(memory._services.keeper._database.write, hold)
        assert begun.wait(120)
        try:
            yield
        finally:
            done.set()
        held.result()


def spend(seconds: float, monkeypatch: pytest.MonkeyPatch, clock: str) -> None:
    """Let the next look at a clock see that so much time went by."""
    moments = iter([100.0, 100.0 + seconds, 100.0 + seconds])
    monkeypatch.setattr(f"recollect.surfaces.rest.dispatcher.time.{clock}", lambda: next(moments))


def test_a_kind_is_brief_once_it_was_seen_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    known = RequestTiming()
    assert not known.is_brief("recall")
    spend(0.5, monkeypatch, "thread_time")
    assert known.learned("recall", lambda: "first") == "first"
    assert not known.is_brief("recall")  # the first one loads what all need
    for _ in range(5):
        spend(0.001, monkeypatch, "thread_time")
        known.learned("recall", lambda: "next")
    assert known.is_brief("recall")
    assert not known.is_brief("export")


def test_what_turned_out_slow_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    known = RequestTiming()
    spend(0.001, monkeypatch, "thread_time")
    known.learned("recall", lambda: None)
    spend(dispatcher.SLOW * 2, monkeypatch, "monotonic")
    known.watched("recall", lambda: None)
    monkeypatch.setattr("recollect.surfaces.rest.dispatcher.time.monotonic", lambda: 100.5)
    assert not known.is_brief("recall")
    monkeypatch.setattr("recollect.surfaces.rest.dispatcher.time.monotonic", lambda: 110.0)
    assert known.is_brief("recall")


def test_a_call_that_would_wait_for_another_writer_is_given_up(stores: StoreMaker) -> None:
    memory = stores.open()
    if memory._services.waits:
        with pytest.raises(StoreBusy):  # a server may have to be waited for
            memory.at_once(memory.spaces)
        return
    with writing(memory):
        assert memory.at_once(memory.spaces)  # who only reads waits for nobody
        with pytest.raises(StoreBusy):
            memory.at_once(lambda: memory.remember("The gate is green."))
    assert memory.list().items == ()
    assert memory.at_once(lambda: memory.remember("The gate is green.")).content


def test_a_long_text_is_worked_on_beside_the_loop(
    memory: Recollect, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_spot: list[object] = []
    watched = RequestTiming.watched

    def noted(self: RequestTiming, kind: Hashable, work: Callable[[], bytes]) -> bytes:
        on_the_spot.append(kind)
        return watched(self, kind, work)

    monkeypatch.setattr(RequestTiming, "watched", noted)
    ask = serve(memory)
    for number in range(12):
        said = {"content": f"Shelf {number} holds the spare parts."}
        assert ask("POST", "/v1/memories", said).status == 201
    brief = len(on_the_spot)
    assert brief > 0
    assert ask("POST", "/v1/memories", {"content": "spare parts " * 5_000}).status == 201
    assert len(on_the_spot) == brief


def test_others_are_answered_while_one_waits_for_its_turn(memory: Recollect, serve: Serve) -> None:
    ask = serve(memory)
    for number in range(6):
        said = {"content": f"Shelf {number} holds the spare parts."}
        assert ask("POST", "/v1/memories", said).status == 201
    said = {"content": "Shelf 9 holds the spare parts."}
    with ThreadPoolExecutor(1) as pool:
        with writing(memory):
            waiting = pool.submit(ask, "POST", "/v1/memories", said)
            assert ask("GET", "/health").status == 200
            found = ask("POST", "/v1/recall", {"query": "spare parts"})
            assert len(found.json["found"]) >= 6
        assert waiting.result().status == 201
    assert len(memory.list().items) == 7
