"""A text without the middle of its long repetitions tells everything that the whole one does."""

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.vocabulary.repetition import shortened

_LONG = 20_000


def _places(text: str, word: str) -> set[tuple[int, int]]:
    found, at = set(), text.find(word)
    while at >= 0:
        found.add((at, at + len(word)))
        at = text.find(word, at + 1)
    return found


def _covered(spans: set[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@settings(deadline=None, max_examples=40)
@given(
    st.text("ab :", min_size=1, max_size=40),
    st.lists(st.tuples(st.text("abxyz", max_size=30), st.integers(1, _LONG)), max_size=3),
)
def test_what_stands_in_a_text_is_told_at_every_place(
    word: str, parts: list[tuple[str, int]]
) -> None:
    text = "".join(f"{before}{word * (size // len(word) + 1)}" for before, size in parts)
    short = shortened(text)
    told = {(start, end) for _, start, end in short.restored(sorted(_places(short.text, word)))}

    assert _covered(told) == _covered(_places(text, word))


@given(st.text("ab ", max_size=40), st.integers(1, 600))
def test_a_repetition_is_shortened_and_what_stands_around_it_stays(word: str, period: int) -> None:
    repeated = (word + "c" * period)[:512]
    text = f"before {repeated * (100_000 // len(repeated))} after"
    short = shortened(text)

    assert len(short.text) < 10_000
    assert len(short.text) + sum(cut.removed for cut in short.cuts) == len(text)
    assert short.text.startswith("before ")
    assert short.text.endswith(" after")


def test_a_text_that_does_not_repeat_itself_is_left_alone() -> None:
    text = " ".join(map(str, range(40_000)))

    assert shortened(text).text is text
