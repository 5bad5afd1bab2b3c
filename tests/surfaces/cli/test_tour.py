"""The tour: the real thing, told in order, with nothing left behind."""

import os
import tempfile
from pathlib import Path

import pytest

from recollect.surfaces.cli.commands.tour import NEW_RULE, RULE
from tests.surfaces.cli.runner import InProcess


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_tour_tells_the_story(no_file_yet: InProcess, temporary: Path) -> None:
    ran = no_file_yet("tour")
    assert (ran.code, ran.err) == (0, "")
    titles = [line for line in ran.out.splitlines() if line[:2] in {f"{n}." for n in range(1, 8)}]
    assert [title.split(". ")[1].split("  ")[0] for title in titles] == [
        "Remember",
        "Record",
        "Recall",
        "Correct",
        "Change your mind",
        "Forget, and think better of it",
        "Take stock",
    ]
    recall = ran.out.split("3. Recall")[1].split("4. Correct")[0]
    assert RULE in recall
    changed = ran.out.split("5. Change")[1].split("6. Forget")[0]
    assert changed.index(f"   {NEW_RULE}") < changed.index(f"   {RULE}")
    assert "content + The staging database is wiped every night at three." in ran.out
    assert f"Your memory will live in {no_file_yet.db}." in ran.out
    assert [name for name in os.listdir(temporary) if not name.endswith(".turns")] == []
    assert not no_file_yet.db.exists()


def test_tour_as_a_document(cli: InProcess) -> None:
    steps = cli.json("tour")["steps"]
    assert len(steps) == 7
    assert all(step["results"] for step in steps)
    assert steps[2]["results"][0]["found"][0]["item"]["content"] == RULE
