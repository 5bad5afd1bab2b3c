"""The wrapper around fastembed, with a stand-in for the package: the real one downloads models."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recollect.inference.embedder import Embedder
from recollect.inference.fastembed_local import FastEmbedEmbedder
from recollect.vocabulary.errors import EmbedderFailed, EmbedderUnavailable

STAND_IN = """
import numpy


class TextEmbedding:
    loaded = 0

    def __init__(self, model_name):
        if model_name == "unknown":
            raise ValueError(f"Model {model_name} is not supported in TextEmbedding.")
        TextEmbedding.loaded += 1
        self.bad = model_name == "bad"

    def embed(self, documents, batch_size):
        for text in documents:
            yield numpy.array([len(text), 3.0, numpy.nan if self.bad else 4.0], numpy.float32)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "fastembed.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("fastembed", None)
    yield
    sys.modules.pop("fastembed", None)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.inference.fastembed_local.find_spec", lambda name: None)
    with pytest.raises(EmbedderUnavailable, match=r"This adds it: .*\[fastembed\]"):
        FastEmbedEmbedder()


@pytest.mark.usefixtures("installed")
def test_it_embeds_in_order_at_length_one() -> None:
    embedder: Embedder = FastEmbedEmbedder()
    assert "not known yet" in embedder.describe()
    assert "fastembed" not in sys.modules
    found = embedder.embed(["", "abc\ud83d", "a"])
    expected = np.array([[0, 0, 0], [4, 3, 4], [1, 3, 4]])
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected / np.maximum(lengths, 1), atol=1e-6)
    assert not embedder.local
    assert embedder.describe() == "fastembed/BAAI/bge-small-en-v1.5, 3 dimensions, on this machine"
    assert sys.modules["fastembed"].TextEmbedding.loaded == 1


@pytest.mark.usefixtures("installed")
def test_a_model_that_cannot_be_loaded() -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot load the model unknown"):
        FastEmbedEmbedder("unknown").embed(["a"])


@pytest.mark.usefixtures("installed")
def test_vectors_that_are_not_finite() -> None:
    with pytest.raises(EmbedderFailed):
        FastEmbedEmbedder("bad").embed(["a"])


@pytest.mark.usefixtures("installed")
def test_after_a_failure_it_rests_before_it_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("recollect.inference.fastembed_local.monotonic", lambda: now)
    embedder = FastEmbedEmbedder("unknown")
    tried: list[str] = []

    def attempt(model_name: str) -> None:
        tried.append(model_name)
        raise ValueError("Model unknown is not supported.")

    monkeypatch.setattr("fastembed.TextEmbedding", attempt)
    for now in (0.0, 30.0, 61.0):  # noqa: B007
        with pytest.raises(EmbedderUnavailable, match="cannot load"):
            embedder.embed(["a"])
    assert tried == ["unknown", "unknown"]
