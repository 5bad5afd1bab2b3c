"""Numbers and flags: a range is a range, and nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.numbers import amount, flag, fraction, shown, whole

LIKE_NUMBERS: tuple[object, ...] = (True, False, "1", b"1", None, [], object(), 1j)


@given(st.integers(-20, 20))
def test_whole_number_in_a_range(value: int) -> None:
    if -5 <= value <= 5:
        assert whole(value, -5, 5, "There are") == value
    else:
        with pytest.raises(InvalidInput, match=f"There are -5 to 5, not {value}"):
            whole(value, -5, 5, "There are")


@given(st.floats())
def test_fraction_lies_between_nothing_and_all(value: float) -> None:
    if 0 <= value <= 1:
        assert fraction(value, "confidence") == value
        assert amount(value, 0, 1, "There is") == value
    else:
        with pytest.raises(InvalidInput, match="confidence"):
            fraction(value, "confidence")
        with pytest.raises(InvalidInput, match="There is"):
            amount(value, 0, 1, "There is")


@pytest.mark.parametrize("value", [*LIKE_NUMBERS, 0.5])
def test_what_only_looks_like_a_whole_number(value: object) -> None:
    with pytest.raises(InvalidInput):
        whole(value, 0, 5, "There are")


@pytest.mark.parametrize("value", LIKE_NUMBERS)
def test_what_only_looks_like_a_number(value: object) -> None:
    with pytest.raises(InvalidInput):
        fraction(value, "confidence")
    with pytest.raises(InvalidInput):
        amount(value, 0, 5, "There is")


@pytest.mark.parametrize("value", [0, 1, "yes", "", None, []])
def test_what_only_looks_like_a_flag(value: object) -> None:
    with pytest.raises(InvalidInput, match="true or false"):
        flag(value, "pinned")
    assert flag(True, "pinned") is True
    assert flag(False, "pinned") is False


@given(st.one_of(st.integers(), st.text(max_size=500), st.binary(), st.lists(st.integers())))
def test_value_is_shown_briefly(value: object) -> None:
    assert len(shown(value)) <= 80


def test_number_too_long_to_print_is_shown_all_the_same() -> None:
    assert shown(10**5_000) == "a number that large"
    assert shown(-(10**5_000)) == "a number that small"
    with pytest.raises(InvalidInput):
        whole(10**5_000, 0, 5, "There are")
