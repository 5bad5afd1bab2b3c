"""Memories reached through the graph of files: brought in, moved up, explained."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recollect
from recollect.engine import Recollect
from recollect.recall.candidates import RecallCandidate
from recollect.recall.neighbourhood import merged_by_score
from recollect.vocabulary.results import Found
from tests.codegraph.projects import SHOP, write


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """A shop whose cart is opened together with its invoice, which nothing in the code tells."""
    folder = tmp_path_factory.mktemp("neighbourhood")
    invoice = {"print/invoice.py": "def sheet(lines):\n    return lines\n"}
    root: Path = write(folder / "shop", {**SHOP, **invoice})
    with recollect.open(folder / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root, history=False)
        for number in range(5):
            with memory.session(task=f"errand {number}", root=root) as session:
                for path in ("shop/cart.py", "print/invoice.py"):
                    arguments = {"file_path": str(root / path)}
                    session.on_tool_call("Read", arguments, call=f"{number} {path}")
                    session.on_tool_result("Read", arguments, "text", call=f"{number} {path}")
        memory.remember("Adding twice keeps both lines", type="gotcha", files=["shop/cart.py"])
        memory.remember("Half a cent is rounded up", type="gotcha", files=["shop/prices.py"])
        memory.remember("A4 has wide margins", type="gotcha", files=["print/invoice.py"])
        memory.remember("The rate is a law of its own", type="decision", files=["shop/tax.py"])
        yield memory


def _by_text(found: Iterator[Found]) -> dict[str, Found]:
    return {hit.text: hit for hit in found}


def test_the_neighbours_of_the_best_come_along_and_say_why(shop: Recollect) -> None:
    found = shop.recall("does adding twice keep both lines?", kinds="memory", explain=True)
    hits = _by_text(iter(found))
    assert found.found[0].text == "Adding twice keeps both lines"
    prices, sheet = hits["Half a cent is rounded up"], hits["A4 has wide margins"]
    assert prices.reason == "about shop/prices.py, which is imported by shop/cart.py"
    assert sheet.reason == "about print/invoice.py, which is opened with shop/cart.py"
    assert [part.signal for part in prices.why.parts] == ["neighbours"] if prices.why else False
    assert all(hit.score < found.found[0].score for hit in (prices, sheet))
    assert "The rate is a law of its own" not in hits, "two hops away"


def test_one_that_was_found_anyway_moves_up(shop: Recollect) -> None:
    asked = "adding twice keeps both lines of a cent"
    before = _by_text(iter(shop.recall(asked, kinds="memory", profile="plain")))
    after = _by_text(iter(shop.recall(asked, kinds="memory", explain=True)))
    name = "Half a cent is rounded up"
    why = after[name].why
    assert not before[name].reason
    assert after[name].reason
    assert {part.signal for part in (why.parts if why else ())} >= {"words", "neighbours"}


def test_what_was_touched_lately_brings_its_neighbours(shop: Recollect) -> None:
    assert not shop.recall("zzz", kinds="memory").found
    found = shop.recall("zzz", kinds="memory", recent_files=["shop/prices.py"])
    reasons = {hit.text: hit.reason for hit in found}
    assert reasons == {
        "Half a cent is rounded up": "about shop/prices.py, which was touched lately",
        "Adding twice keeps both lines": (
            "about shop/cart.py, which imports shop/prices.py, touched lately"
        ),
        "The rate is a law of its own": (
            "about shop/tax.py, which is imported by shop/prices.py, touched lately"
        ),
    }


def test_a_question_of_how_code_hangs_together_weighs_the_graph_more(shop: Recollect) -> None:
    def lent(question: str) -> float:
        found = shop.recall(question, kinds="memory")
        one = _by_text(iter(found))["Half a cent is rounded up"]
        return one.score / found.found[0].score

    assert lent("what depends on adding twice both lines") > lent("adding twice both lines")


def test_the_chain_follows_what_sessions_open_together(shop: Recollect) -> None:
    found = shop.recall("adding twice keeps both lines", kinds="memory", limit=1, chain=True)
    along = {hit.text: hit.along for hit in found if hit.along}
    assert along == {
        "A4 has wide margins": "sessions open print/invoice.py together with what was found"
    }


def test_the_chain_tells_what_was_found_anyway_from_what_nobody_knows(shop: Recollect) -> None:
    every = shop.recall("adding twice keeps both lines", kinds="memory", chain=True)
    assert "A4 has wide margins" in {hit.text for hit in every}
    assert every.notes[-1] == "nothing else is remembered of files that go with what was found"
    law = shop.recall("the rate is a law", kinds="memory", limit=1, chain=True)
    assert law.notes[-1] == "no files are known to go with what was found"


def test_filters_hold_for_what_the_graph_brings(shop: Recollect) -> None:
    found = shop.recall("zzz", kinds="memory", type="decision", recent_files=["shop/prices.py"])
    assert [hit.text for hit in found] == ["The rate is a law of its own"]


def _scored(*scores: float, collection: str) -> list[RecallCandidate]:
    found = [
        RecallCandidate(collection, slot, slot, {}, item_id=f"{collection} {slot}")
        for slot in range(len(scores))
    ]
    for one, score in zip(found, scores, strict=True):
        one.score = score
    return found


_SCORES = st.lists(st.floats(0, 1), max_size=12)


@given(others=_SCORES, pieces=_SCORES)
def test_pieces_of_code_keep_the_order_of_their_ranking_among_others(
    others: list[float], pieces: list[float]
) -> None:
    code = _scored(*pieces, collection="chunks")
    memories = _scored(*others, collection="memories")
    merged = merged_by_score(memories, code)
    assert [one for one in merged if one.collection == "chunks"] == code
    kept = [one.score for one in merged if one.collection == "memories"]
    assert kept == sorted(others, reverse=True)
    for place, one in enumerate(merged):
        if one.collection == "memories":
            assert all(
                other.score <= one.score for other in merged[place:] if other.collection == "chunks"
            )


def test_code_is_found_in_the_order_of_its_ranking_beside_memories(shop: Recollect) -> None:
    asked = "where is the price of a cart rounded?"
    alone = [hit.id for hit in shop.recall(asked, kinds="chunk")]
    among = [hit.id for hit in shop.recall(asked, limit=30) if hit.kind == "chunk"]
    assert len(alone) > 1
    assert among == alone[: len(among)]
