"""``recollect learn --git`` as a process of its own, and how what it keeps is shown."""

import json
import subprocess
from pathlib import Path

import recollect
from tests.surfaces.cli.runner import InProcess, Processes

STATED = "Refuse late parcels\n\nDecision: late parcels go back to their senders"


def repository(root: Path) -> str:
    root.mkdir()
    (root / "parcel.py").write_text("late = None\n")
    for words in (
        ["init", "-q"],
        ["config", "user.email", "ann@example.org"],
        ["config", "user.name", "Ann"],
        ["add", "-A"],
        ["commit", "-q", "-m", STATED],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    named = ["git", "rev-parse", "HEAD"]
    return subprocess.run(
        named, cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_commits_are_learned_once_and_shown_with_where_they_came_from(
    process: Processes, tmp_path: Path
) -> None:
    name = repository(tmp_path / "shop")

    first = process("learn", "--git", str(tmp_path / "shop"))
    again = process.here.json("learn", "--git", str(tmp_path / "shop"))

    assert first.code == 0, first.err
    assert "decision: Decision: late parcels go back to their senders" in first.out
    assert "Learned 1 memory from 0 sessions and 1 new commit." in first.out
    assert (again["commits"], again["memories"]) == (0, [])
    (kept,) = process.here.json("list")["items"]
    assert kept["provenance"]["source"] == "commit_auto"
    assert kept["provenance"]["commit"] == name
    shown = process.here("show", kept["id"]).out
    assert f"commit {name}" in " ".join(shown.split())
    assert kept["provenance"]["events"][0] in shown


def test_the_phase_is_shown_and_exported(cli: InProcess, tmp_path: Path) -> None:
    with recollect.open(cli.db, worker=False) as memory:
        kept = memory.remember("The mill is painted red.", phase="refine")

    assert "phase refine" in " ".join(cli("show", kept.id).out.split())
    cli("export", "--output", str(tmp_path / "all.json"))
    document = json.loads((tmp_path / "all.json").read_text())
    assert document["memories"][0]["provenance"]["phase"] == "refine"
