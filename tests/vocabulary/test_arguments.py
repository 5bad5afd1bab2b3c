"""Numbers and flags: a range is a range, and nothing is guessed. Text: what can be kept."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vocabulary.arguments import (
    MEMORY_LIMIT,
    NAME_LIMIT,
    amount,
    checked_name,
    checked_text,
    flag,
    fraction,
    repaired_text,
    shown,
    storable,
    whole,
)
from recollect.vocabulary.errors import InvalidInput, InvalidText

anything = st.text(st.characters(codec=None), max_size=60)
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


@given(anything)
def test_text_is_kept_as_it_is_or_refused(text: str) -> None:
    try:
        assert checked_text(text, "content", 50) == text
    except InvalidText:
        invisible = all(not one.strip() or category(one) in {"Cf", "Mn", "Lo"} for one in text)
        assert invisible or len(text) > 50 or repaired_text(text) != text


@given(anything)
def test_repaired_text_can_be_stored_and_is_as_long(text: str) -> None:
    repaired = repaired_text(text)
    assert len(repaired) == len(text)
    assert storable(repaired, "text") == repaired
    assert repaired.encode("utf-8").decode("utf-8") == repaired
    assert repaired_text(repaired) == repaired
    for old, new in zip(text, repaired, strict=True):
        assert old in {new, "\x00"} or "\ud800" <= old <= "\udfff"


def test_repairs_are_visible() -> None:
    assert repaired_text("a\x00b\ud83dc") == "a\u2400b\ufffdc"


@given(st.text(st.characters(codec=None), max_size=210))
def test_name_is_one_printable_line(name: str) -> None:
    try:
        kept = checked_name(name, "tag")
    except InvalidText:
        return
    assert kept == name.strip()
    assert kept
    assert kept.isprintable()
    assert len(kept) <= NAME_LIMIT
    assert storable(kept, "tag") == kept


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n\u2003", "is empty"),
        ("\u200b\u200d", "is empty"),
        ("\ufeff \u202e\u2066", "is empty"),
        ("x" * (MEMORY_LIMIT + 1), "200,001 characters"),
        ("ab\x00", "NUL byte at character 2"),
        ("a\udc00", "surrogate pair, at character 1"),
        (5, "must be text, not int"),
        (None, "must be text, not NoneType"),
        (b"bytes", "must be text, not bytes"),
    ],
)
def test_error_says_what_is_wrong(text: object, words: str) -> None:
    with pytest.raises(InvalidText, match=words):
        checked_text(text, "content", MEMORY_LIMIT)  # type: ignore[arg-type]


def test_long_memory_is_told_what_to_do_instead() -> None:
    with pytest.raises(InvalidText) as refused:
        checked_text("x" * (MEMORY_LIMIT + 1), "content", MEMORY_LIMIT)
    assert "event" in (refused.value.hint or "")


@pytest.mark.parametrize("value", [None, 5, b"x", ["x"]])
def test_only_text_is_repaired(value: object) -> None:
    with pytest.raises(InvalidText, match="must be text"):
        repaired_text(value)  # type: ignore[arg-type]
