"""The ONNX leg on a real model, small enough to be made here: a table of vectors for six words."""

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Replace
from tokenizers.pre_tokenizers import Whitespace

import recollect
from recollect.inference.embedder import EmbedderChoice
from recollect.inference.embedder_choice import choose_embedder
from recollect.inference.model_folder import ModelFolder
from recollect.inference.onnx_local import OnnxEmbedder
from recollect.inference.onnx_local import _load as load_model
from recollect.vocabulary.errors import EmbedderUnavailable

WORDS = ("[PAD]", "[UNK]", "harbour", "port", "tax", "money")
#: What is near in meaning is near here, whatever its letters.
VECTORS = np.array(
    [[0, 0, 0], [0.1, 0.1, 0.1], [1, 0.1, 0], [0.9, 0.2, 0], [0, 0.1, 1], [0.1, 0, 0.9]],
    np.float32,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tiny-model")
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(place / "tokenizer.json"))
    numbers = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    told = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", 3]
    )
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "tiny",
        numbers,
        [told],
        [numpy_helper.from_array(VECTORS, "table")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(place / "model.onnx"))
    return place


def test_it_embeds_what_a_folder_holds(folder: Path) -> None:
    embedder = choose_embedder(EmbedderChoice("onnx", model=str(folder)))
    assert isinstance(embedder, OnnxEmbedder)
    assert "not known yet" in embedder.describe()
    found = embedder.embed(["harbour port", "", "tax"])
    mean = (VECTORS[2] + VECTORS[3]) / 2
    np.testing.assert_allclose(found[0], mean / np.linalg.norm(mean), atol=1e-6)
    assert not found[1].any()
    assert embedder.dims == 3
    assert embedder.model_id.startswith(f"onnx/{folder.name}@")


def test_recall_finds_by_its_meaning(folder: Path, tmp_path: Path) -> None:
    settings = {"embedder": "onnx", "embedder_model": str(folder)}
    with recollect.open(tmp_path / "m.db", worker=False, settings=settings) as memory:
        memory.remember("harbour")
        memory.remember("tax")
        memory.work(600)
        found = memory.recall("port")
        assert [hit.text for hit in found] == ["harbour"]
        assert (found.found[0].vector_score or 0) > 0.9


def test_texts_without_a_token_have_no_direction(folder: Path, tmp_path: Path) -> None:
    place = shutil.copytree(folder, tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
    tokenizer.normalizer = Replace("!", "")
    tokenizer.save(str(place / "tokenizer.json"))
    embedder = OnnxEmbedder(str(place))
    assert not embedder.embed(["!!!", "!"]).any()
    assert embedder.embed(["!!!", "tax"]).any(axis=1).tolist() == [False, True]


def test_the_model_is_loaded_once_for_texts_and_questions(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[ModelFolder] = []

    def load(one: ModelFolder) -> object:
        loads.append(one)
        return load_model(one)

    monkeypatch.setattr("recollect.inference.onnx_local._load", load)
    settings = {"embedder": "onnx", "embedder_model": str(folder)}
    with recollect.open(tmp_path / "m.db", worker=False, settings=settings) as memory:
        memory.remember("harbour")
        memory.work(600)
        memory.recall("port")
    assert len(loads) == 1


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"holds no model.*model\.onnx"):
        OnnxEmbedder(str(tmp_path))
    with pytest.raises(EmbedderUnavailable, match="folder"):
        choose_embedder(EmbedderChoice("onnx"))
    (tmp_path / "model.onnx").write_bytes(b"broken")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbedderUnavailable, match="cannot be loaded"):
        OnnxEmbedder(str(tmp_path)).embed(["word"])


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.inference.onnx_local.find_spec", lambda name: None)
    with pytest.raises(EmbedderUnavailable, match=r"\[onnx\]"):
        OnnxEmbedder("anywhere")
