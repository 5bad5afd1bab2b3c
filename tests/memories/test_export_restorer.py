"""What was exported comes back: on any store, from any other, the same but for where it is."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import ImportFailed, NotAllowed
from tests.stores import StoreMaker

_HERE = re.compile(r'"(exported_at|space_id)": "[^"]*"')


def filled(memory: Recollect) -> None:
    said = memory.record("Die Nacht in 東京.", stream="talk", payload={"n": [1, None]})
    memory.react(said.id, "👍")
    memory.edit_event(said.id, "The harbour closes at nine.")
    memory.record("Yes.", stream="talk", reply_to=said.id)
    memory.delete_event(memory.record("Never mind.", stream="talk").id)
    memory.open_stream("a thread", kind="thread", parent="talk")
    memory.record("In the thread.", stream="a thread")
    memory.open_stream("closed", access="private")
    first = memory.remember(
        "The harbour closes at nine.",
        type="gotcha",
        confidence=1 / 3,
        tags=["b", "a"],
        files=["src/harbour.py"],
        sessions=["monday"],
        events=[said.id],
        phase="refine",
        pinned=True,
    )
    memory.update(first.id, content="The harbour closes at ten.")
    second = memory.supersede(first.id, "The harbour never closes.")
    memory.relate(second.id, "derived_from", file="src/harbour.py")
    memory.remember("Only mine.", visibility="personal")
    memory.remember("As the stream.", stream=said.stream_id)
    memory.forget(memory.remember("Put away.").id)
    memory.remember("A fact.", extras={"key": "colour", "value": "red"})
    memory.work(5)


def exported(memory: Recollect) -> str:
    """The export, but for the time and the ids of the space."""
    document = json.loads("".join(memory.export()))
    document["space"] = None
    return _HERE.sub("", json.dumps(document, ensure_ascii=False, indent=1))


def write(memory: Recollect, path: Path) -> Path:
    path.write_text("".join(memory.export()), "utf-8")
    return path


def test_personal_memory_answers_where_it_was_brought_back(
    stores: StoreMaker, tmp_path: Path
) -> None:
    origin, goal, read = stores.open(), stores.open(), stores.open()
    origin.chat.hear("I live in Oslo.")
    origin.chat.hear("We moved to Bergen.")
    goal.import_(write(origin, tmp_path / "export.json"))
    assert "Bergen" in goal.chat.ask("where do I live?").text
    assert [one.memory.content for one in goal.chat.entries().items] == [
        one.memory.content for one in origin.chat.entries().items
    ]
    page = tmp_path / "export.md"
    page.write_text("".join(origin.export("markdown")), "utf-8")
    read.import_(page)
    assert {one.content for one in read.list().items} == {"We moved to Bergen."}


def test_there_and_back_is_the_same(stores: StoreMaker, tmp_path: Path) -> None:
    origin, goal = stores.open(), stores.open()
    filled(origin)
    path = write(origin, tmp_path / "export.json")
    report = goal.import_(path)
    assert (report.added, report.already_there, report.problems) == (report.read, 0, ())
    assert report.streams == 3
    assert exported(goal) == exported(origin)
    assert goal.health().sound
    for question in ("harbour", "thread", "only mine", "a fact"):
        here = {found.id for found in origin.recall(question)}
        assert here
        assert {found.id for found in goal.recall(question)} == here
    again = goal.import_(path, format="recollect")
    assert (again.added, again.already_there, again.streams) == (0, report.read, 0)
    assert exported(goal) == exported(origin)


def test_back_into_the_same_space_it_restores_what_was_erased(
    memory: Recollect, tmp_path: Path
) -> None:
    kept = memory.remember("Come back.")
    path = write(memory, tmp_path / "export.json")
    before = exported(memory)
    memory.forget(kept.id, for_good=True)
    assert memory.import_(path).added == 1
    assert exported(memory) == before
    assert memory.recall("come back").found[0].id == kept.id


def test_only_an_owner_may(memory: Recollect, tmp_path: Path) -> None:
    path = write(memory, tmp_path / "export.json")
    memory.add_member("bob", "steward")
    with pytest.raises(NotAllowed, match="bring an export back"):
        memory.within(user="bob").import_(path)


@pytest.mark.parametrize(
    "content",
    [
        '{"recollect_export": 1, "memories": [',
        '{"recollect_export": 99, "memories": [], "streams": []}',
        '{"recollect_export": 1, "memories": {}, "streams": []}',
        "[" * 100_000,
        "",
    ],
)
def test_a_file_that_is_none_is_refused(memory: Recollect, tmp_path: Path, content: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(content)
    with pytest.raises(ImportFailed):
        memory.import_(path, format="recollect")
    with pytest.raises(ImportFailed):
        memory.import_(tmp_path / "missing.json", format="recollect")


def test_what_does_not_fit_is_named_and_the_rest_comes(memory: Recollect, tmp_path: Path) -> None:
    memory.remember("Good.")
    document: dict[str, Any] = json.loads("".join(memory.export()))
    good = document["memories"][0]
    bad = [{**good, "id": "mem_bad", "type": "dream"}, {"id": 7}, 7, {**good, "id": None}]
    stray = {**good, "id": good["id"][:-1] + "0"}
    stray["audience"] = {**good["audience"], "visibility": "stream", "stream": "str_gone"}
    document["memories"] = [*bad, stray, good]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(document))
    memory.forget(good["id"], for_good=True)
    report = memory.import_(path)
    assert (report.added, report.skipped) == (1, 5)
    assert len(report.problems) == 5
    assert [one.content for one in memory.list().items] == ["Good."]
