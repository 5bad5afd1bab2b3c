"""What is nested too deep is refused at every door; a store that holds it already reads on."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from recollect.engine import Recollect
from recollect.mem0 import Memory as Mem0
from recollect.storage.move.move import move_store
from recollect.surfaces.hooks.event_formats import event_of
from recollect.vocabulary.errors import InvalidInput, RecollectError
from recollect.vocabulary.events import NewEvent
from recollect.vocabulary.json_depth import DEEPEST, is_too_deep
from tests.stores import StoreMaker


def nested(levels: int, inside: Any = 1) -> dict[str, Any]:
    """So many objects and lists inside each other, in turns, the outermost counted."""
    value = inside
    for level in range(levels - 1):
        value = {"a": value} if level % 2 else [value]
    return {"a": value}


def written(levels: int) -> str:
    """The same as text, which needs no stack to be made."""
    return '{"a":' * levels + "1" + "}" * levels


DEPTHS = (DEEPEST + 1, 500, 900, 100_000)


@pytest.mark.parametrize("levels", DEPTHS)
def test_a_payload_is_refused_and_nothing_is_kept(memory: Recollect, levels: int) -> None:
    with pytest.raises(InvalidInput, match=r"nested deeper than 64 levels\. Nothing was kept"):
        memory.record("The harbour", stream="talk", payload=nested(levels))
    with pytest.raises(InvalidInput, match="nested deeper"):
        memory.record_many([NewEvent("one"), NewEvent("two", payload=nested(levels))])
    assert [stream for stream in memory.streams().items if stream.name == "talk"] == []
    assert not memory.recall("harbour").found


def test_what_may_just_be_kept_comes_back(memory: Recollect) -> None:
    payload = nested(DEEPEST)
    event = memory.record("The harbour", stream="talk", payload=payload)
    assert memory.read("talk").items[0].payload == payload
    assert memory.recall("harbour").found[0].id == event.id
    assert json.loads("".join(memory.export()))["streams"][0]["events"][0]["payload"] == payload


def test_a_value_that_holds_itself_and_one_that_unfolds_for_ever_are_refused(
    memory: Recollect,
) -> None:
    round_and_round: dict[str, Any] = {}
    round_and_round["again"] = round_and_round
    unfolding: Any = "x"
    for _ in range(60):
        unfolding = [unfolding, unfolding]
    for payload in (round_and_round, {"a": unfolding}):
        with pytest.raises(InvalidInput, match="nested deeper"):
            memory.record("The harbour", payload=payload)


@pytest.mark.parametrize("levels", DEPTHS)
def test_extras_tags_and_files_are_refused(memory: Recollect, levels: int) -> None:
    deep = nested(levels)
    for fields in (
        {"extras": deep},
        {"extras": {"key": "k", "value": deep}},
        {"tags": [deep["a"]]},
        {"files": [deep["a"]]},
        {"commit": deep},
        {"type": deep["a"]},
    ):
        with pytest.raises(RecollectError):
            memory.remember("The harbour closes.", **fields)
    assert memory.list().items == ()


def test_lines_of_an_import_are_skipped_by_name(memory: Recollect, tmp_path: Path) -> None:
    lines = ['{"text": "one", "author": "ada"}']
    lines += [
        f'{{"text": "deep", "author": "ada", "more": {written(levels)}}}' for levels in DEPTHS
    ]
    (tmp_path / "talk.jsonl").write_text("\n".join([*lines, '{"text": "two", "author": "bo"}']))
    report = memory.import_(tmp_path / "talk.jsonl", format="jsonl", stream="talk")
    assert (report.added, report.skipped) == (2, len(DEPTHS))
    assert {told.split(":")[0] for told in report.problems} == {f"line {n}" for n in range(2, 6)}
    assert all("nested" in told for told in report.problems)
    assert [event.text for event in memory.read("talk").items] == ["one", "two"]


def test_an_export_with_one_is_brought_back_without_it(memory: Recollect, tmp_path: Path) -> None:
    memory.record("one", stream="talk", payload={"mark": 1})
    memory.record("two", stream="talk")
    told = "".join(memory.export()).replace('{"mark": 1}', written(500))
    (tmp_path / "export.json").write_text(told)
    fresh = memory.within(space="other", make=True)
    report = fresh.import_(tmp_path / "export.json")
    assert report.skipped == 1
    assert "nested deeper than 64 levels" in report.problems[0]


def test_metadata_of_mem0_is_refused(tmp_path: Path) -> None:
    with Mem0(db=tmp_path / "mem0.db", worker=False, embedder="none") as m:
        for levels in DEPTHS:
            with pytest.raises(ValueError, match="nested deeper"):
                m.add("I love films.", user_id="ada", metadata=nested(levels), infer=False)
        assert m.get_all(user_id="ada") == {"results": []}


@pytest.mark.parametrize("levels", [DEEPEST, 300, 900, 100_000])
def test_a_hook_s_event_is_cut_or_nothing(levels: int) -> None:
    sent = (
        '{"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash",'
        f' "tool_input": {{"command": "ls"}}, "tool_response": {written(levels)}}}'
    )
    event = event_of("claude-code", "PostToolUse", sent.encode())
    assert event is None or not is_too_deep(event.data)
    assert event is None or event.arguments == {"command": "ls"}


def _as_an_older_version_kept_it(stores: StoreMaker, address: str, levels: int) -> None:
    def work(transaction: Any) -> None:
        transaction.execute(
            text("UPDATE events SET payload = :deep WHERE text = 'The deep harbour'"),
            {"deep": written(levels)},
        )

    stores.database(address).write(work)


@pytest.mark.parametrize("levels", [DEEPEST + 1, 500, 900, 100_000])
def test_a_store_that_holds_one_reads_on(stores: StoreMaker, tmp_path: Path, levels: int) -> None:
    address = stores.ready()
    memory = stores.open(address)
    memory.record("The wide harbour", stream="talk", payload={"a": 1})
    deep = memory.record("The deep harbour", stream="talk", payload={"a": 1})
    _as_an_older_version_kept_it(stores, address, levels)

    found = memory.recall("harbour").found
    assert {one.id for one in found} >= {deep.id}
    shown = [event.payload for event in memory.read("talk").items]
    assert shown[0] == {"a": 1}
    assert "not shown: they are nested deeper than 64 levels" in shown[1]["unreadable"]
    assert "unreadable" in memory.window(deep.id).event.payload
    exported = json.loads("".join(memory.export()))
    assert [one["id"] for one in exported["unreadable"]] == [deep.id]
    assert len(exported["streams"][0]["events"]) == 2
    assert "The deep harbour" in "".join(memory.export("markdown"))
    memory.edit_event(deep.id, "The deep harbour, still")
    memory.close()

    moved = str(tmp_path / "moved.db")
    assert move_store(address, moved).differing == ()
    there = stores.database(moved)
    with there.reading() as transaction:
        kept = transaction.execute(
            text("SELECT payload FROM events WHERE text LIKE 'The deep%'")
        ).scalar()
    assert kept == written(levels)
