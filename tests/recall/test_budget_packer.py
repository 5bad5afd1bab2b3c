"""Packing: never over budget, nothing twice, everything cited, and what is left out is named."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.budget_packer import citation, pack
from recollect.recall.phases import ALLOCATIONS
from recollect.vocabulary.audiences import Audience, Visibility
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.events import Event, EventKind
from recollect.vocabulary.memory import Levels, Memory, Provenance
from recollect.vocabulary.memory_types import MemoryType, Source
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


def kept(number: int, words: int, kind: MemoryType = MemoryType.DECISION) -> Found:
    """A memory of so many words of its own, with shorter forms."""
    text = " ".join(f"w{number}x{word}" for word in range(words))
    memory = Memory(
        f"mem_{number:026}",
        "spc",
        kind,
        text,
        0.8,
        0.5,
        Audience("ada", Visibility.PROJECT),
        Provenance(Source.USER_TAUGHT, "ada"),
        START,
        START,
        START,
        levels=Levels(f"summary of {number}", f"short {number}", f"name {number}"),
    )
    return Found(memory, 1.0 / (number + 1))


def test_memory_is_told_at_the_highest_level_that_fits() -> None:
    long = kept(1, 500)
    whole = pack([long], 1_000, count)
    assert long.text in whole.text, "whole where there is room"
    tight = pack([long], 100, count)
    assert "summary of 1" in tight.text
    assert "w1x0" not in tight.text
    none = pack([long], 20, count)
    assert (none.text, none.tokens) == ("", 0)
    assert [(one.id, one.reason) for one in none.left_out] == [
        (long.id, "does not fit the budget")
    ], "larger than the budget at every level: named, with the reason"


def test_many_get_their_summaries_before_one_is_told_whole() -> None:
    packed = pack([kept(number, 300) for number in range(5)], 700, count)
    assert len(packed.cited) == 5
    assert not packed.left_out
    assert packed.tokens <= 700
    assert packed.text.count("summary of") == 4, "the first is whole, with what was left"


def test_repeated_words_stand_there_if_the_first_that_says_them_does_not_fit() -> None:
    words = " ".join(f"w{number}" for number in range(30))
    longer = found(0, f"{words} (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((")
    shorter = found(1, words)
    assert pack([longer, shorter], 1_000, count).cited == (longer.id,)
    room = count(pack([shorter], 1_000, count).text) + 5
    packed = pack([longer, shorter], room, count)
    assert packed.cited == (shorter.id,)
    assert "says what" in packed.left_out[0].reason


def test_no_budget_is_refused() -> None:
    with pytest.raises(InvalidInput):
        pack([], 0, count)
