"""Ids sort by time, never collide by accident, and say when they were made."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.vocabulary.ids import (
    EVENT,
    JOB,
    MEMORY,
    SPACE,
    STREAM,
    derived_id,
    is_id,
    new_id,
    time_of,
)

PREFIXES = (SPACE, STREAM, EVENT, MEMORY, JOB)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.datetimes(
    datetime(1970, 1, 1),  # noqa: DTZ001
    datetime(9999, 12, 31),  # noqa: DTZ001
    timezones=st.just(UTC),
)
prefixes = st.sampled_from(PREFIXES)
parts = st.lists(st.text(max_size=20), min_size=1, max_size=4)
MILLISECOND = timedelta(milliseconds=1)


@given(prefix=prefixes, moment=moments)
def test_id_says_what_it_is_and_when_it_was_made(prefix: str, moment: datetime) -> None:
    made = new_id(prefix, moment)
    assert is_id(made, prefix)
    assert not any(is_id(made, other) for other in PREFIXES if other != prefix)
    assert time_of(made) <= moment < time_of(made) + MILLISECOND


@given(prefix=prefixes, one=moments, other=moments)
def test_ids_sort_by_time(prefix: str, one: datetime, other: datetime) -> None:
    if abs(one - other) >= MILLISECOND:
        assert (new_id(prefix, one) < new_id(prefix, other)) == (one < other)
        assert (derived_id(prefix, one, "a") < derived_id(prefix, other, "b")) == (one < other)


def test_ids_of_one_moment_differ() -> None:
    assert len({new_id(MEMORY, EPOCH) for _ in range(10_000)}) == 10_000


@given(prefix=prefixes, moment=moments, one=parts, other=parts)
def test_derived_id_is_the_same_for_the_same_source_alone(
    prefix: str, moment: datetime, one: list[str], other: list[str]
) -> None:
    made = derived_id(prefix, moment, *one)
    assert is_id(made, prefix)
    assert time_of(made) <= moment < time_of(made) + MILLISECOND
    assert (made == derived_id(prefix, moment, *other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "bc"), ("ab", "c")),
        (("a\x1fb",), ("a", "b")),
        (("a", ""), ("a",)),
        (("", "a"), ("a",)),
    ],
)
def test_parts_of_a_derived_id_do_not_run_together(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert derived_id(EVENT, EPOCH, *one) != derived_id(EVENT, EPOCH, *other)


def test_time_before_1970_counts_as_1970() -> None:
    assert time_of(new_id(EVENT, EPOCH - timedelta(days=1))) == EPOCH


@pytest.mark.parametrize(
    "text",
    [
        *("", "mem", "mem_", "mem_" + "0" * 25, "mem_" + "0" * 27, "evt_" + "0" * 26),
        *("mem_" + "8" + "0" * 25, "mem_" + "i" * 26, "MEM_" + "0" * 26, " mem_" + "0" * 26),
        *("mem_" + "0" * 26 + "\n", "mem-" + "0" * 26, "mem_" + "\u0660" * 26),
    ],
)
def test_what_is_no_id(text: str) -> None:
    assert not is_id(text, MEMORY)


@pytest.mark.parametrize("value", [None, 5, b"mem_", ["mem_"], object()])
def test_what_is_no_text_is_no_id(value: object) -> None:
    assert not is_id(value, MEMORY)
