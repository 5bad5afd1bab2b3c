"""What became of a memory moves it: cited up, ignored down, stale down, never far, and told."""

from datetime import UTC, datetime

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.results import Found
from tests.stores import StoreMaker

QUESTION = "which port does the gateway listen on?"


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(embedder="static")


def found(memory: Recollect) -> dict[str, Found]:
    return {hit.id: hit for hit in memory.recall(QUESTION, kinds="memory", explain=True)}


def test_what_is_cited_ranks_above_what_is_ignored(memory: Recollect) -> None:
    ignored = memory.remember("The gateway may listen on port 8080.").id
    cited = memory.remember("The gateway listens on port 9090 behind the proxy there.").id
    for _ in range(5):
        answer = memory.recall(QUESTION, kinds="memory")
        assert answer.id is not None
        memory.feedback(answer.id, "ignored", items=ignored)
        memory.feedback(answer.id, "cited", items=cited)
    hits = found(memory)
    assert next(iter(hits)) == cited
    for one, sign in ((cited, 1), (ignored, -1)):
        why = hits[one].why
        assert why is not None
        assert (why.factors["use"] - 1) * sign == pytest.approx(0.1)


def test_use_moves_little_whatever_is_said(memory: Recollect) -> None:
    kept = memory.remember("The gateway listens on port 8080.").id
    other = memory.remember("Lunch is at noon, and the door stays open.").id
    for _ in range(50):
        answer = memory.recall(QUESTION, kinds="memory")
        assert answer.id is not None
        memory.feedback(answer.id, "ignored", items=kept)
    hits = found(memory)
    why = hits[kept].why
    assert why is not None
    assert 0.8 < why.factors["use"] < 0.83
    assert next(iter(hits)) == kept, other


def test_what_is_marked_as_stale_counts_half(memory: Recollect) -> None:
    old = memory.remember("The gateway listens on port 8080.").id
    before = found(memory)[old]
    memory.update(old, stale_at=datetime.now(UTC))
    after = found(memory)[old]
    assert after.why is not None
    assert after.why.factors["stale"] == 0.5
    assert after.score < before.score


def test_a_stream_goes_by_its_name_too(memory: Recollect) -> None:
    memory.record("The gateway listens on 8080.", stream="ops")
    memory.record("The gateway listens on 9090.", stream="dev")
    home = memory.open_stream("dev")
    memory.remember("The gateway is old.", visibility="stream", stream=home.id)
    for name in ("dev", home.id):
        texts = {hit.text for hit in memory.recall("gateway", stream=name)}
        assert texts == {"The gateway listens on 9090.", "The gateway is old."}
