"""Lengths of one, lengths of zero, and which models may be shortened."""

import numpy as np
import pytest

from recollect.inference.vectors import is_matryoshka, normalise_rows, shorten


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_get_length_one_and_zeros_stay(dtype: type[np.floating]) -> None:
    found = normalise_rows(np.array([[3, 4], [0, 0]], dtype))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.array([[0.6, 0.8], [0, 0]]), rtol=1e-6)


def test_a_shortened_vector_has_length_one_again() -> None:
    whole = normalise_rows(np.array([[3, 4, 12]], np.float32))
    np.testing.assert_allclose(shorten(whole, 2), [[0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("text-embedding-3-small", True),
        ("qwen3-embedding:4b", True),
        ("Qwen/Qwen3-Embedding-0.6B", True),
        ("nomic-ai/nomic-embed-text-v1.5", True),
        ("embeddinggemma:300m", True),
        ("mxbai-embed-large", True),
        ("text-embedding-ada-002", False),
        ("BAAI/bge-small-en-v1.5", False),
        ("nomic-embed-text-v1", False),
    ],
)
def test_matryoshka_models_are_known_by_name(model: str, known: bool) -> None:
    assert is_matryoshka(model) is known
