"""A memory that was closed does nothing more, and says so; what it kept is there."""

import asyncio
from collections.abc import Callable

import pytest

from recollect.engine import AsyncRecollect, Recollect
from recollect.vocabulary.errors import StoreClosed
from tests.contracts.state import state_of
from tests.stores import StoreMaker

VERBS: tuple[Callable[[Recollect, str], object], ...] = (
    lambda view, _: view.remember("Written after the end."),
    lambda view, _: view.record("Said after the end."),
    lambda view, kept: view.forget(kept),
    lambda view, _: view.recall("harbour"),
    lambda view, kept: view.get(kept),
    lambda view, _: view.within(space="made after the end"),
    lambda view, _: view.work(1),
)


def test_nothing_is_done_after_closing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("The harbour closes at nine.")
    other = memory.within(user="bob")
    memory.close()
    before = state_of(stores.database(address))

    for view in (memory, other):
        for verb in VERBS:
            with pytest.raises(StoreClosed, match=r"was closed\. Nothing was done"):
                verb(view, kept.id)
    memory.close()
    assert state_of(stores.database(address)) == before
    assert stores.open(address).get(kept.id) == kept


def test_nothing_is_awaited_after_closing(memory: Recollect) -> None:
    async def story() -> None:
        face = AsyncRecollect(memory)
        await face.remember("The harbour closes at nine.")
        await face.close()
        await face.close()
        with pytest.raises(StoreClosed, match=r"was closed\. Nothing was done"):
            await face.remember("Written after the end.")

    asyncio.run(story())
