"""Linear patterns find what ``re`` finds, however hostile the text, also in a shortened one."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.trust.prompt_injection import RULES
from recollect.trust.secret_rules import TELLING, TOKENS, library_rules
from recollect.vocabulary.linear_patterns import FoldedText, LinearPattern, shortened, stand_in

_SECRET_RULES = (*TOKENS, *TELLING, *library_rules())
_PIECES = st.sampled_from(
    "ignore |all |previous |instructions |rules|confirmation |prompt |skip |the |tests |without "
    "|telling |anyone.|never |always |send |key |to |@|password|=|is |: |hunter2x|'|\"|sk-|-us|"
    "AKIA|ASIA|0123456789abcdef|ABCDEFGHIJKLMNOP|eyJ|.|\n|  |é|ж|中|\u00a0|\u2019|-----BEGIN |"
    "PRIVATE KEY|-----|aws|Bearer |://|a:b@|token|_|-|1".split("|")
)
_TEXTS = st.lists(_PIECES, max_size=40).map("".join)
_LONG = 20_000


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    group = "secret" if "secret" in pattern.groupindex else 0
    return [found.span(group) for found in pattern.finditer(text)]


@settings(max_examples=150, deadline=None)
@given(text=_TEXTS)
def test_what_is_found_is_what_the_rule_as_written_finds(text: str) -> None:
    for pattern in [rule.pattern for rule in _SECRET_RULES] + [rule.pattern for rule in RULES]:
        assert list(pattern.spans(text)) == _spans(pattern.exact, text), pattern.written


@given(text=st.text())
def test_every_sign_has_one_ascii_sign_in_its_place(text: str) -> None:
    folded = FoldedText(text).folded

    assert len(folded) == len(text)
    for sign, stand in zip(text, folded.decode("ascii"), strict=True):
        assert stand == stand_in(sign)
        assert sign.isspace() <= stand.isspace()
        assert (sign.isalnum() or sign == "_") == (stand.isalnum() or stand == "_")


@pytest.mark.parametrize(
    ("written", "text", "expected"),
    [
        (r"(?<!a)b+(?!c)", "ab bb bc", [(3, 5)]),
        (r"(?P<q>['\"]?)x{2,300}(?P=q)", "'xx' \"xxx\" xx'", [(0, 4), (5, 10), (11, 13)]),
        (r"^x$", "x\n", [(0, 1)]),
        (r"\bé\w+\b", "été l'été", [(0, 3), (6, 9)]),
        (r"(?i)STRASSE|\d{3,}+", "strasse 1234", [(0, 7), (8, 12)]),
        (r"a(?=b)|b\Z", "ab", [(0, 1), (1, 2)]),
        (r"", "ab", [(0, 0), (1, 1), (2, 2)]),
    ],
)
def test_what_re2_cannot_say_is_found_all_the_same(
    written: str, text: str, expected: list[tuple[int, int]]
) -> None:
    assert list(LinearPattern(written).spans(text)) == expected


def test_places_that_only_look_right_are_tried_a_limited_number_of_times() -> None:
    """However dense they are, the rule itself is tried on little more than the text's length."""
    pattern = LinearPattern(r"a+(?!a)(?<!a)b?")
    tried: list[int] = []

    class Counting:
        def match(self, text: str, start: int, *limit: int) -> None:
            tried.append(start)

    pattern.__dict__["exact"] = Counting()
    assert list(pattern.spans("a" * 200_000)) == []
    assert len(tried) < 10_000


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
