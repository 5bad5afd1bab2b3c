"""A row that cannot be read stops no export: the others are written, and it is named."""

import json
from pathlib import Path

from sqlalchemy import text, update

from recollect.storage.schema import events, memories
from recollect.vocabulary.reports import Unreadable
from tests.stores import StoreMaker


def test_export_goes_past_bad_rows(stores: StoreMaker, tmp_path: Path) -> None:
    address = stores.ready()
    memory = stores.open(address)
    good = [memory.remember(f"good {n}").id for n in range(5)]
    bad = memory.remember("bad").id
    archived = memory.remember("put away").id
    memory.forget(archived)
    said = [memory.record(f"said {n}", stream="talk").id for n in range(5)]
    unsaid = memory.record("bad", stream="talk").id
    elsewhere = memory.record("elsewhere", stream="other").id
    database = stores.database(address)

    def spoil(transaction: object) -> None:
        for table, column, key, value in (
            (memories, "memory_id", bad, {"type": text("'nonsense'")}),
            (events, "event_id", unsaid, {"payload": text("'{\"cut off'")}),
        ):
            query = update(table).where(table.c[column] == key).values(value)
            transaction.execute(query)  # type: ignore[attr-defined]

    database.write(spoil)
    unreadable: list[Unreadable] = []
    document = json.loads("".join(memory.export(unreadable=unreadable)))
    assert {one["id"] for one in document["memories"]} == {*good, archived}
    streams = {one["name"]: [e["id"] for e in one["events"]] for one in document["streams"]}
    assert streams == {"talk": said, "other": [elsewhere]}
    assert {(one.kind, one.id) for one in unreadable} == {("memory", bad), ("event", unsaid)}
    assert [(one["kind"], one["id"]) for one in document["unreadable"]] == [
        (one.kind, one.id) for one in unreadable
    ]
    markdown = "".join(memory.export("markdown"))
    assert "good 3" in markdown
    assert "said 4" in markdown
    assert bad in markdown.partition("## Could not be read")[2]

    (tmp_path / "export.json").write_text(json.dumps(document))
    report = stores.open(user="ada").import_(str(tmp_path / "export.json"))
    assert report.added == len(good) + 1 + len(said) + 1


def test_sound_export_says_nothing_of_it(stores: StoreMaker) -> None:
    memory = stores.open()
    memory.remember("good")
    unreadable: list[Unreadable] = []
    assert "unreadable" not in json.loads("".join(memory.export(unreadable=unreadable)))
    assert unreadable == []
