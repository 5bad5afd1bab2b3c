"""Values as plain JSON: any of ours goes out, and JSON takes it."""

import json
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any, NamedTuple

from hypothesis import given

from recollect.engine import Recollect
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.plain import plain
from tests.contracts.drafts import drafts


class Colour(StrEnum):
    RED = "red"


class Pair(NamedTuple):
    left: int
    right: Colour


@dataclass(frozen=True)
class Box:
    held: Any


def test_each_kind_of_value() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert plain(Colour.RED) == "red"
    assert type(plain(Colour.RED)) is str
    assert plain(moment) == "2026-01-02T03:04:05.000006+00:00"
    assert plain(Box(Box(1))) == {"held": {"held": 1}}
    assert plain(Pair(1, Colour.RED)) == {"left": 1, "right": "red"}
    assert plain({Colour.RED: (1, [2])}) == {"red": [1, [2]]}
    assert plain(frozenset({1})) == [1]
    for same in (None, True, 1, 1.5, "x"):
        assert plain(same) is same


@dataclass(frozen=True)
class Shelf:
    name: str
    books: int | None
    opened: datetime | None
    holds: Any
    colour: Colour | str


def test_fields_are_converted_whatever_their_annotations_promise() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    full = Shelf("top", 3, moment, (Colour.RED, moment), Colour.RED)
    assert plain(full) == {
        "name": "top",
        "books": 3,
        "opened": "2026-01-02T00:00:00+00:00",
        "holds": ["red", "2026-01-02T00:00:00+00:00"],
        "colour": "red",
    }
    assert [type(value) for value in plain(full).values()] == [str, int, str, list, str]
    assert plain(Shelf("low", None, None, Box(moment), "blue")) == {
        "name": "low",
        "books": None,
        "opened": None,
        "holds": {"held": "2026-01-02T00:00:00+00:00"},
        "colour": "blue",
    }


def test_equal_times_of_several_zones_keep_their_texts() -> None:
    moment = datetime(2026, 1, 2, 3, tzinfo=UTC)
    eastern = moment.astimezone(timezone(timedelta(hours=2)))
    assert moment == eastern
    for _ in range(2):
        assert plain(moment) == "2026-01-02T03:00:00+00:00"
        assert plain(eastern) == "2026-01-02T05:00:00+02:00"
        assert plain(moment.replace(tzinfo=None)) == "2026-01-02T03:00:00"


@given(draft=drafts())
def test_memory_goes_out_whole(memory: Recollect, draft: dict[str, Any]) -> None:
    told = plain(memory.remember(**draft))
    assert json.loads(json.dumps(told)) == told
    assert set(told) == {field.name for field in fields(Memory)}
