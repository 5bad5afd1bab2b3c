"""What counts as text that can be kept."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vocabulary.errors import InvalidText
from recollect.vocabulary.text import (
    MEMORY_LIMIT,
    NAME_LIMIT,
    checked_name,
    checked_text,
    repaired_text,
    storable,
)

anything = st.text(st.characters(codec=None), max_size=60)


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
        ("a\udc00", "surrogate pair at character 1"),
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
