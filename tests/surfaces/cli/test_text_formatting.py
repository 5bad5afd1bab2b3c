"""Small things said the way people say them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.surfaces.cli.views import words
from recollect.vocabulary.ids import MEMORY, new_id

NOW = datetime(2026, 5, 31, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (9, "just now"),
        (-9, "just now"),
        (45, "45 seconds ago"),
        (60, "1 minute ago"),
        (3_599, "59 minutes ago"),
        (7_200, "2 hours ago"),
        (86_400, "1 day ago"),
        (86_400 * 20, "2 weeks ago"),
        (86_400 * 90, "2 March 2026"),
        (-86_400 * 3, "in 3 days"),
    ],
)
def test_ago(seconds: int, said: str) -> None:
    assert words.ago(NOW - timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (270_336, "270 kB"),
        (999_600, "1.0 MB"),
        (12_345_678, "12 MB"),
        (5_000_000_000, "5.0 GB"),
        (5_000_000_000_000, "5,000 GB"),
    ],
)
def test_size(number: int, said: str) -> None:
    assert words.size(number) == said


def test_counts_and_lists() -> None:
    assert words.counted(1, "memory", "memories") == "1 memory"
    assert words.counted(1_200, "memory", "memories") == "1,200 memories"
    assert [words.listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert words.lasted(0.34) == "0.3 s"
    assert words.lasted(7_200) == "2 hours"


def test_bar() -> None:
    assert [words.bar(share) for share in (-1, 0, 0.5, 1, 7)] == [
        "▱▱▱▱▱",
        "▱▱▱▱▱",
        "▰▰▱▱▱",
        "▰▰▰▰▰",
        "▰▰▰▰▰",
    ]


def test_stamp_is_utc() -> None:
    assert words.stamp(datetime.fromisoformat("2026-05-31T16:00:00.5+02:00")) == (
        "2026-05-31T14:00:00Z"
    )


def test_marked() -> None:
    pieces = list(words.marked("Who resets the staging database?", "STAGING reset"))
    assert pieces == [
        ("Who ", False),
        ("resets", True),
        (" the ", False),
        ("staging", True),
        (" database?", False),
    ]


@given(st.text(), st.text())
def test_marking_loses_nothing(text: str, query: str) -> None:
    assert "".join(piece for piece, _ in words.marked(text, query)) == text


@given(st.text())
def test_nothing_commands_the_terminal(text: str) -> None:
    shown = words.visible(text)
    assert len(shown) == len(text)
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in shown)
    assert not any(0x7F <= ord(sign) < 0xA0 for sign in shown)
    assert not any(0x202A <= ord(sign) <= 0x202E for sign in shown)
    assert "\n" not in words.one_line(text)
    assert "\t" not in words.one_line(text)


def test_the_writing_direction_is_not_overridden() -> None:
    assert words.visible("pay \u202e001 eur") == "pay \ufffd001 eur"
    assert words.visible("👩\u200d🚀") == "👩\u200d🚀"


def test_shortened() -> None:
    assert words.shortened("a b\nc", 10) == "a b c"
    assert words.shortened("word " * 10, 12) == "word word w…"


def test_short_ids_differ() -> None:
    same_moment = [new_id(MEMORY, NOW) for _ in range(50)]
    twins = [f"mem_0{sign}{same_moment[0][6:]}" for sign in "01"]
    for ids in (same_moment, twins, []):
        short = words.short_ids(ids)
        assert len(set(short.values())) == len(set(ids))
        assert all(identifier.endswith(cut) for identifier, cut in short.items())
    assert len(next(iter(words.short_ids(same_moment[:1]).values()))) == 8
