"""An older table of knowledge becomes memos, once, and stays as it was."""

import sqlite3
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, InvalidSetting, NotAllowed
from tests.workspace.talking import DEPLOY, people, talk

COLUMNS = "id,title,tags,anchor_event_id,visibility,created_at,archived_at"


def csv_file(folder: Path, *rows: str) -> str:
    path = folder / "knowledge.csv"
    path.write_text("\n".join([COLUMNS, *rows]) + "\n", "utf-8")
    return str(path)


def test_rows_become_memos_once(memory: Recollect, tmp_path: Path) -> None:
    people(memory, "bob", "cyd")
    said = talk(memory, DEPLOY)
    source = csv_file(
        tmp_path,
        f'1,Deploying billing,"{{release,CI}}",{said[0].id},workspace,2024-05-01T10:00:00,',
        "2,Parental leave,hr,evt_elsewhere,workspace,,",
        "3,Salaries,hr,evt_elsewhere,private,,",
        "4,Gone,hr,,workspace,,2024-01-01",
        "5,,hr,,workspace,,",
    )
    done = memory.workspace.import_knowledge(source)
    assert (done.read, done.added, done.skipped, done.without_source) == (5, 3, 2, 2)
    memos = {one.summary: one for one in memory.workspace.memos().items}
    first = memos["Deploying billing"]
    assert (first.confidence, first.topics) == (0.8, ("release", "ci"))
    assert first.anchors[0] == said[0].id
    assert first.created_at.year == 2024
    theirs = {one.summary for one in memory.within(user="bob").workspace.memos().items}
    assert theirs == {"Deploying billing", "Parental leave"}  # what was private stays with whoever

    again = memory.workspace.import_knowledge(source)
    assert (again.added, again.already_there) == (0, 3)
    assert len(memory.workspace.memos().items) == 3


def test_a_table_of_a_database_is_read_and_kept(memory: Recollect, tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE wisdom (id TEXT, title TEXT, tags TEXT, created_by TEXT)")
        old.execute("INSERT INTO wisdom VALUES ('a', 'How to release', '[\"release\"]', 'ann')")
    before = path.read_bytes()
    done = memory.workspace.import_knowledge(str(path), table="wisdom")
    assert (done.added, done.problems) == (1, ())
    assert memory.workspace.memos().items[0].topics == ("release",)
    assert path.read_bytes() == before
    with pytest.raises(InvalidInput, match="no table"):
        memory.workspace.import_knowledge(str(path))
    with pytest.raises(InvalidInput, match="no file"):
        memory.workspace.import_knowledge(str(tmp_path / "none.csv"))


def test_capabilities_are_switched_off_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, worker=False, settings={"switched_off": "gaps, suggestions"}) as one:
        assert one.workspace.topics() == ()
        for verb in (one.workspace.gaps, lambda: one.workspace.suggest("how do we deploy it?")):
            with pytest.raises(NotAllowed, match="disabled"):
                verb()
    with pytest.raises(InvalidSetting, match="no capability"):
        recollect.open(path, worker=False, settings={"switched_off": "flying"})
