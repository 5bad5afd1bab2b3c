"""Beside a tool's result stands only what is verified or was used twice."""

from dataclasses import replace
from pathlib import Path

import pytest

import recollect
from recollect.context.tool_result_gate import may_stand_at_result
from recollect.vocabulary.memory import Counts, Memory
from recollect.vocabulary.memory_types import Source

FILE = "src/cart.py"


@pytest.fixture
def found(tmp_path: Path) -> Memory:
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        return memory.remember(
            "The totals are rounded twice.",
            type="gotcha",
            confidence=0.95,
            source="observer_inferred",
            files=[FILE],
            session="one",
            tags=["signal:diagnosis"],
        )


def test_a_guess_of_one_session_does_not_stand_there(found: Memory) -> None:
    assert not may_stand_at_result(found)
    assert not may_stand_at_result(replace(found, counts=Counts(access=1)))


def test_what_a_person_or_a_second_session_vouches_for_does(found: Memory) -> None:
    twice = replace(found.provenance, sessions=("one", "two"))
    taught = replace(found.provenance, source=Source.USER_TAUGHT)
    for proven in (
        replace(found, user_verified=True),
        replace(found, pinned=True),
        replace(found, counts=Counts(access=2)),
        replace(found, provenance=twice),
        replace(found, provenance=taught),
        replace(found, tags=("signal:refusal",)),
        replace(found, tags=("signal:written_rule",)),
    ):
        assert may_stand_at_result(proven)
    assert not may_stand_at_result(replace(found, tags=("signal:refusal",), needs_review=True))


def test_it_is_told_before_an_edit_and_not_beside_a_read(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        memory.agents.set_trust(3)
        kept = memory.remember(
            "The totals are rounded twice.",
            type="gotcha",
            confidence=0.95,
            source="observer_inferred",
            files=[FILE],
        )
        file = {"file_path": FILE}
        session = memory.session()
        assert session.augment_tool_result("Read", file, "def total(): ...") == "def total(): ..."
        assert kept.content in session.tool_context("Edit", file)
        memory.agents.confirm(kept.id)
        assert kept.content in memory.session().augment_tool_result("Read", file, "def total():")
