"""An event whose time could not be read says so wherever it is shown, and no time is made of it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from recollect.engine import Recollect
from recollect.surfaces.mcp.answers import event_line, found_lines, research_text
from recollect.vocabulary.events import Event
from recollect.vocabulary.plain import plain
from recollect.vocabulary.results import Filters
from tests.stores import StoreMaker
from tests.surfaces.cli.runner import InProcess

UNTOLD = "We moved the gateway to Rotterdam yesterday."
LINES = (
    {"text": "Where is the gateway?", "author": "bo", "time": "2024-05-01T12:00:00Z"},
    {"text": UNTOLD, "author": "ann", "time": "next tuesday"},
    {"text": "The gateway answers again.", "author": "bo", "time": "2024-05-03T12:00:00Z"},
)


def history(folder: Path) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), "utf-8")
    return path


@pytest.fixture
def imported(memory: Recollect, tmp_path: Path) -> Recollect:
    assert memory.import_(history(tmp_path)).without_time == 1
    return memory


def test_the_event_keeps_its_place_and_is_marked(imported: Recollect) -> None:
    first, untold, last = imported.read("talk").items
    assert [one.time_unknown for one in (first, untold, last)] == [False, True, False]
    assert untold.payload["time"] == "next tuesday"
    assert plain(untold)["time_unknown"] is True
    again = imported.get(untold.id)
    assert isinstance(again, Event)
    assert again.time_unknown
    assert "time unknown ann" in event_line(untold)
    assert "2024-05-01 12:00 bo" in event_line(first)


def test_no_time_filter_takes_the_assumed_time_for_the_told_one(imported: Recollect) -> None:
    first, untold, _ = imported.read("talk").items
    at = first.occurred_at
    hour = timedelta(hours=1)
    around = Filters(created_after=at - hour, created_before=at + hour)
    everything = imported.recall("gateway")
    assert untold.id in [hit.id for hit in everything]
    assert [hit.id for hit in imported.recall("gateway", filters=around)] == [first.id]
    assert untold.id not in [
        hit.id for hit in imported.recall("gateway", created_after=at - timedelta(days=9))
    ]
    assert imported.trend("gateway", filters=around).total == 1
    lines = found_lines(everything.found, 1)
    assert sum("time unknown" in line for line in lines) == 1
    packed = imported.recall("gateway", budget=500).packed
    assert packed is not None
    assert "time unknown] " in packed.text


def test_when_it_was_is_not_worked_out_from_the_assumed_time(imported: Recollect) -> None:
    answer = imported.research("When was the gateway moved to Rotterdam?")
    (cited,) = [one for one in answer.citations if one.quote.startswith("We moved")]
    assert cited.time_unknown
    assert "30 April 2024" not in answer.text
    assert "1 May 2024" not in (answer.short or "")
    assert f"ann in talk, time unknown: \u201c{cited.quote}" in answer.text
    assert "time unknown ann in talk" in research_text(answer)


def test_an_export_says_it_and_brings_it_back(
    imported: Recollect, stores: StoreMaker, tmp_path: Path
) -> None:
    document = json.loads("".join(imported.export()))
    (stream,) = document["streams"]
    assert [one["time_unknown"] for one in stream["events"]] == [False, True, False]
    page = "".join(imported.export("markdown"))
    assert f"2024-05-01 12:00 (time unknown) **ann**: {UNTOLD}" in page
    for name, text in (("export.json", json.dumps(document)), ("export.md", page)):
        (tmp_path / name).write_text(text, "utf-8")
        other = stores.open(space=name.replace(".", " "))
        other.import_(tmp_path / name)
        back = other.read("talk").items
        assert [one.text for one in back] == [line["text"] for line in LINES]
        assert [one.time_unknown for one in back] == [False, True, False]


def test_the_command_line_shows_it(tmp_path: Path) -> None:
    cli = InProcess(tmp_path / "store.db")
    cli("import", str(history(tmp_path)))
    rows = [line.split("\t") for line in cli("read", "talk").out.splitlines()]
    assert [row[1] == "time unknown" for row in rows] == [False, True, False]
    assert "ann, time unknown, in talk" in cli("recall", "gateway moved to Rotterdam").out
    assert "ann, time unknown, in talk" in cli("show", rows[1][0]).out
    found = cli.json("read", "talk")["items"]
    assert [one["time_unknown"] for one in found] == [False, True, False]
