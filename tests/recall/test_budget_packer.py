"""Packing: never over budget, nothing twice, everything cited, and what is left out is named."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.budget_packer import citation, pack
from recollect.recall.phases import ALLOCATIONS
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import Event, EventKind
from recollect.vocabulary.phases import Phase
from recollect.vocabulary.results import Found

START = datetime(2026, 1, 1, tzinfo=UTC)


def count(text: str) -> int:
    """A token a word, and one for each character that is none of a word."""
    return len(text.split()) + sum(not (c.isalnum() or c.isspace()) for c in text)


def found(number: int, text: str, stream: str = "str_a") -> Found:
    at = START + timedelta(minutes=number)
    event = Event(
        f"evt_{number:08}", "spc", stream, EventKind.MESSAGE, "ann", text, {}, None, at, at
    )
    return Found(event, 1.0 / (number + 1))


texts = st.lists(st.sampled_from("a bb ccc dddd. e-e (f)".split()), min_size=1, max_size=40).map(
    " ".join
)


@given(st.lists(texts, max_size=12), st.integers(1, 200), st.sampled_from([None, *Phase]))
def test_budget_holds_whatever_is_packed(
    given_texts: list[str], budget: int, phase: Phase | None
) -> None:
    results = [found(number, text) for number, text in enumerate(given_texts)]
    shares = None if phase is None else ALLOCATIONS[phase]
    packed = pack(results, budget, count, shares)
    assert count(packed.text) == packed.tokens <= budget
    assert len(set(packed.cited)) == len(packed.cited)
    lost = {one.id for one in packed.left_out}
    assert lost.isdisjoint(packed.cited)
    assert lost | set(packed.cited) == {one.id for one in results}
    for one in results:
        assert (citation(one) in packed.text) == (one.id in packed.cited)


def test_what_says_the_same_is_said_once() -> None:
    packed = pack([found(0, "tea at four"), found(1, "Tea at four")], 100, count)
    assert packed.cited == ("evt_00000000",)
    assert "says what" in packed.left_out[0].reason


def test_conversation_stands_in_its_order() -> None:
    packed = pack([found(2, "then this"), found(1, "first that")], 100, count)
    assert packed.text.index("first") < packed.text.index("then")


def test_no_budget_is_refused() -> None:
    with pytest.raises(InvalidInput):
        pack([], 0, count)
