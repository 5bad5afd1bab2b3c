"""A model of 1,024 dimensions is ranked by all of them, though its first 256 are scanned."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.engine import Recollect
from recollect.index import server_vectors, vector_index
from recollect.index.indexer import SCANNED_DIMENSIONS
from recollect.recall.profiles import PROFILES
from recollect.vocabulary.events import NewEvent
from tests.stores import StoreMaker

COUNT = 60
MEANT = 47
QUESTION = "zeppelin"


class LongEmbedder:
    """Texts whose vectors agree in what is scanned; what a text means stands behind that."""

    local = True
    matryoshka = True
    model_id = "long"
    dims = 1_024

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dims), np.float32)
        rows[:, :SCANNED_DIMENSIONS] = 1 / 16
        for row, text in enumerate(texts):
            meant = text == QUESTION or f"word{MEANT}x" in text
            rows[row, SCANNED_DIMENSIONS if meant else 2 * SCANNED_DIMENSIONS] = 1.0
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def describe(self) -> str:
        return "long for tests"


def texts() -> list[str]:
    return [f"word{n}x word{n}y word{n}z" for n in range(COUNT)]


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    memory = stores.open(embedder=LongEmbedder())
    memory.record_many([NewEvent(text) for text in texts()], stream="talk")
    return memory


@pytest.mark.parametrize("profile", [name for name in PROFILES])
def test_what_differs_behind_the_scanned_dimensions_decides(
    memory: Recollect, profile: str
) -> None:
    found = memory.recall(QUESTION, limit=3, kinds="event", profile=profile)
    best = found.found[0]
    assert f"word{MEANT}x" in best.text
    assert best.vector_score == pytest.approx(1.0, abs=0.01)
    others = [hit.vector_score for hit in found.found[1:]]
    assert others == pytest.approx([0.5, 0.5], abs=0.01)


def test_it_decides_under_a_filter_too(memory: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "_RESCORED", 5)
    told = [f"{text} again" for text in texts()[MEANT - 3 : MEANT + 1]]
    memory.record_many([NewEvent(text, author="ann") for text in told], stream="few")
    found = memory.recall(QUESTION, limit=2, kinds="event", authors=["ann"])
    assert f"word{MEANT}x" in found.found[0].text


def test_memories_are_ranked_by_whole_vectors(stores: StoreMaker) -> None:
    memory = stores.open(embedder=LongEmbedder())
    for text in texts():
        memory.remember(text)
    found = memory.recall(QUESTION, limit=3, kinds="memory")
    assert f"word{MEANT}x" in found.found[0].text


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_the_index_of_the_server_ranks_by_whole_vectors(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_vectors, "TURN", 10)
    memory.rebuild_index()
    found = memory.recall(QUESTION, limit=3, kinds="event")
    assert f"word{MEANT}x" in found.found[0].text
    assert found.found[0].vector_score == pytest.approx(1.0, abs=0.01)
