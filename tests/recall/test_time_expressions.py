"""Times in questions become spans, reckoned from the newest thing there is."""

from datetime import UTC, datetime

import pytest

from recollect.recall.time_expressions import span_of
from recollect.vocabulary.clock import from_microseconds, to_microseconds

NEWEST = to_microseconds(datetime(2023, 8, 20, 15, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What happened in May 2023?", "2023-05-01", "2023-06-01"),
        ("what did she do last May", "2023-05-01", "2023-06-01"),
        ("Who came in December?", "2022-12-01", "2023-01-01"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("on May 7th, 2023", "2023-05-07", "2023-05-08"),
        ("on 2023-05-07", "2023-05-07", "2023-05-08"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("What did he say yesterday?", "2023-08-19", "2023-08-20"),
        ("the summer of 2022", "2022-06-01", "2022-09-01"),
    ],
)
def test_spans(text: str, start: str, end: str) -> None:
    span = span_of(text, lambda: NEWEST)
    assert span is not None
    assert f"{from_microseconds(span.start):%Y-%m-%d}" == start
    assert f"{from_microseconds(span.end):%Y-%m-%d}" == end


@pytest.mark.parametrize("text", ["What may help?", "Where is the file?", ""])
def test_no_span(text: str) -> None:
    assert span_of(text, lambda: NEWEST) is None


def test_weeks_ago() -> None:
    span = span_of("two weeks ago", lambda: NEWEST)
    assert span is not None
    assert span.start < to_microseconds(datetime(2023, 8, 6, 15, tzinfo=UTC)) < span.end
