"""Which words of a memory are embedded, and that search follows when they change."""

from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.memories.inserter import embedded_text
from recollect.vocabulary.memory import Memory


def test_type_files_and_modules_are_embedded_as_words(memory: Recollect) -> None:
    kept = memory.remember(
        "reads no empty lines", type="error_pattern", files=["src/mail_box/a.py"], modules=["mail"]
    )
    assert embedded_text(kept) == "error pattern reads no empty lines src mail box a py mail"
    assert embedded_text(memory.remember("bare", type="fact")) == "bare"


@pytest.mark.parametrize("change", [{"type": "gotcha"}, {"files": ["zebra.py"]}])
def test_vector_follows_a_change_of_what_stands_around(
    memory: Recollect, change: dict[str, Any]
) -> None:
    kept = memory.remember("alpha beta")
    word = "gotcha" if "type" in change else "zebra"

    def nearness() -> float:
        hits = {hit.id: hit for hit in memory.recall(f"alpha {word}", profile="plain")}
        return hits[kept.id].vector_score or 0.0

    before = nearness()
    new = memory.update(kept.id, **change)
    assert isinstance(new, Memory)
    assert nearness() > before + 0.1
