"""What a folder with a model says about how the model is used."""

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.inference.model_folder import ModelFolder
from recollect.vocabulary.errors import EmbedderUnavailable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "some-model"
    (place / "onnx").mkdir(parents=True)
    (place / "onnx" / "model.onnx").write_bytes(b"weights")
    (place / "tokenizer.json").write_text("{}")
    return place


def say(folder: Path, name: str, **settings: Any) -> ModelFolder:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(settings))
    return ModelFolder(str(folder))


def test_a_folder_that_says_nothing(folder: Path) -> None:
    model = ModelFolder(str(folder))
    assert model.model_file == "onnx/model.onnx"
    assert (model.pooling, model.longest, model.dims) == ("mean", 512, None)


def test_the_least_length_that_is_said_counts(folder: Path) -> None:
    assert say(folder, "tokenizer_config.json", model_max_length=10**30).longest == 512
    assert say(folder, "config.json", max_position_embeddings=512, hidden_size=384).dims == 384
    assert say(folder, "tokenizer_config.json", model_max_length=500).longest == 500
    assert say(folder, "sentence_bert_config.json", max_seq_length=256).longest == 256


@pytest.mark.parametrize("mode", ["mean", "cls", "lasttoken"])
def test_the_pooling_that_is_said_counts(folder: Path, mode: str) -> None:
    spelled = {
        "mean": "pooling_mode_mean_tokens",
        "cls": "pooling_mode_cls_token",
        "lasttoken": "pooling_mode_lasttoken",
    }
    said = {name: name == spelled[mode] for name in spelled.values()}
    model = say(folder, "1_Pooling/config.json", **said, word_embedding_dimension=384)
    assert model.pooling == mode
    assert model.reading == f"{mode}512"
    assert say(folder, "1_Pooling/config.json", pooling_mode=mode).pooling == mode


def test_a_pooling_that_is_not_known_is_refused(folder: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="joins its tokens by max"):
        say(folder, "1_Pooling/config.json", pooling_mode_max_tokens=True)


def test_models_known_to_take_the_first_token(folder: Path) -> None:
    assert say(folder, "config.json", _name_or_path="BAAI/bge-small-en-v1.5").pooling == "cls"
    renamed = folder.rename(folder.parent / "bge-small-en-v1.5")
    (renamed / "config.json").unlink()
    assert ModelFolder(str(renamed)).pooling == "cls"
