"""An id of a source that comes again: the same event, or another one, and said either way."""

from typing import Any

import pytest

from recollect.pages import import_batches
from tests.pages.conftest import House, Lines


def line(identifier: str, day: int, text: str, **more: Any) -> dict[str, Any]:
    at = f"2026-05-{day:02}T10:00:00Z"
    return {"id": identifier, "time": at, "author": "ann", "text": text, "stream": "s", **more}


@pytest.fixture(params=[1, 2, 4_000])
def batch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(import_batches, "BATCH", request.param)
    return int(request.param)


def test_corrected_time_is_the_same_event(house: House, lines: Lines, batch: int) -> None:
    first = [line("1", 1, "closes at nine"), line("2", 2, "closes at ten", reply_to="1")]
    assert house.run(lines(*first)).repeated_ids == 0
    again = [{**one, "time": one["time"].replace("-05-", "-06-")} for one in first]
    for _ in range(2):
        report = house.run(lines(*again, name="again.jsonl"))
        assert (report.added, report.already_there, report.skipped) == (0, 2, 0)
        assert report.repeated_ids == 2
        why = "came before with another time; the first is kept"
        assert report.problems == (f"line 1: its id '1' {why}", f"line 2: its id '2' {why}")
    assert house.texts("s") == ["closes at nine", "closes at ten"]


def test_other_words_are_another_event(house: House, lines: Lines, batch: int) -> None:
    """Some programs count from one again each day."""
    report = house.run(lines(line("1", 1, "closes at nine"), line("1", 2, "closes at ten")))
    assert (report.added, report.repeated_ids) == (2, 1)
    assert report.problems == (
        "line 2: its id '1' came before with another time and text; both are kept",
    )
    later = lines(line("1", 3, "closes at noon"), line("1", 4, "closes at ten"), name="b.jsonl")
    report = house.run(later)
    assert (report.added, report.repeated_ids) == (1, 2)
    assert house.texts("s") == ["closes at nine", "closes at ten", "closes at noon"]


def test_other_words_at_the_same_time_are_left_out(house: House, lines: Lines, batch: int) -> None:
    report = house.run(lines(line("1", 1, "closes at nine"), line("1", 1, "closes at ten")))
    assert (report.added, report.already_there, report.repeated_ids) == (1, 1, 1)
    assert report.problems == (
        "line 2: its id '1' came before with another text; the first is kept",
    )
    assert house.texts("s") == ["closes at nine"]


def test_equal_lines_and_ids_of_other_streams_are_no_problem(house: House, lines: Lines) -> None:
    twice = line("1", 1, "closes at nine")
    report = house.run(lines(twice, twice, {**line("1", 2, "other"), "stream": "t"}))
    assert (report.added, report.already_there, report.repeated_ids) == (2, 1, 0)
    assert report.problems == ()


def test_reply_to_nothing_known_is_named(house: House, lines: Lines) -> None:
    report = house.run(
        lines(line("1", 1, "which?"), line("2", 2, "this", reply_to="zzz"), line("3", 3, "no"))
    )
    assert (report.added, report.skipped, report.unknown_replies) == (3, 0, 1)
    assert report.problems == ("line 2: kept as no answer: nothing before it has the id 'zzz'",)
