"""What a recall says of itself: streams that hold nothing, whether there is a graph of files."""

from pathlib import Path

import pytest

from recollect.engine import Recollect
from tests.stores import StoreMaker


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def test_a_stream_that_holds_nothing_is_told_whether_hidden_or_not_there(
    memory: Recollect,
) -> None:
    memory.open_stream("hidden", access="private")
    memory.record("The tournament is cancelled", author="Ann", stream="hidden")
    memory.record("The tournament is on Friday", author="Ann", stream="talk")
    memory.add_member("bob")
    bob = memory.within(user="bob")
    told = [bob.recall("tournament", stream=name).missing for name in ("hidden", "nowhere")]
    assert [[one.replace("hidden", "nowhere") for one in some] for some in told] == [[*told[1]]] * 2
    assert len(told[1]) == 1
    assert memory.recall("tournament", stream="hidden").missing == ()
    assert memory.recall("tournament", stream="talk").missing == ()
    assert memory.recall("tournament", stream="talk", author="Bert").missing == ()


def test_an_explanation_knows_the_graph_where_memories_alone_are_asked_for(
    stores: StoreMaker, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text("def total(): ...\n")
    memory = stores.open(embedder="static")
    memory.remember("Prices are in cents", type="gotcha", files=["shop.py"])
    before = memory.recall("prices", kinds="memory", explain=True).notes
    memory.code.index(tmp_path)
    after = memory.recall("prices", kinds="memory", explain=True).notes
    assert [any("no graph" in one for one in notes) for notes in (before, after)] == [True, False]
