"""Command ``unit``: QA, acceptance and the end of work, said at a terminal."""

import json
from pathlib import Path

import pytest

import recollect
from recollect.context.projects import project_of
from recollect.engine import Recollect
from tests.surfaces.cli.runner import InProcess

WISH = "please always use tabs in this project"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/ann/tabs\n")
    monkeypatch.chdir(folder)
    return folder


def opened(cli: InProcess, project: Path) -> Recollect:
    return recollect.open(cli.db, user="ada", space=project_of(project).space, worker=False)


def worked(cli: InProcess, project: Path, name: str = "one", kind: str = "spec") -> None:
    """A session that is over, in which the user stated a wish after the work."""
    with opened(cli, project) as memory:
        session = memory.session(
            id=name, root=project, session_type=kind, unit={"spec": "007"}, task="Add a discount"
        )
        for number in range(2):
            edit = {"file_path": str(project / f"{number}.py")}
            session.on_tool_call("Edit", edit, call=f"e{number}")
            session.on_tool_result("Edit", edit, "ok", call=f"e{number}")
            session.on_message("Done.", final=True)
            if not number:
                session.on_prompt(WISH)
        session.finish()


def test_an_accepted_spec_teaches_what_it_had_kept_back(cli: InProcess, project: Path) -> None:
    worked(cli, project)
    listed = cli("unit").out
    assert "one  Spec 007, ann/tabs  held: the specification is not accepted yet" in listed
    reviewed = cli("review").out
    assert "not accepted yet. What ends that: recollect unit accept --session one." in reviewed

    said = cli("unit", "accept").out

    assert said.startswith("Accepted: branch ann/tabs\n")
    assert "learned 1 thing that was kept back" in said
    assert WISH in said
    assert "held" not in cli("unit").out
    assert "held" not in cli("review").out
    assert WISH in cli("list").out


def test_a_review_is_reported_by_issue_by_file_and_as_passed(cli: InProcess, project: Path) -> None:
    worked(cli, project, kind="build")

    failed = cli(
        *("unit", "qa", "Totals are off", "--severity", "high", "--spec", "007"),
        *("--file", "cart.py", "--fix", "round once"),
    ).out
    assert failed.startswith("QA failed: Spec 007\n")
    assert "Agents are warned of 1 issue:" in failed
    assert "Totals are off. Right is: round once." in failed
    assert "Spec 007: failure" in failed

    issues = [{"description": "A comma is missing", "severity": "low"}]
    (project / "report.json").write_text(json.dumps({"issues": issues}))
    mild = cli("unit", "qa", "--report", "report.json", "--unit", "spec=007").out
    assert mild.startswith("QA passed (nothing severe): Spec 007\n")
    assert "Spec 007: success" in mild
    assert cli("unit", "qa", "--passed", "--session", "one").out.startswith(
        "QA passed: session one\n"
    )


def test_done_says_how_a_unit_ended(cli: InProcess, project: Path) -> None:
    worked(cli, project, kind="build")

    said = cli("unit", "done", "partial", "--unit", "spec=007", "--note", "The voucher waits.")

    assert said.out.startswith("Done (partial): Spec 007\nKept as its outcome: Spec 007: partial")
    (kept,) = cli.json("list", "--type", "work_unit_outcome")["items"]
    assert kept["content"].endswith("The voucher waits.")
    assert kept["extras"]["outcome"] == "partial"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["qa"], "Give an issue"),
        (["qa", "It fails", "--passed"], "Give an issue"),
        (["qa", "--passed", "--fix", "x"], "--fix belongs to an issue"),
        (["qa", "--report", "nowhere.json"], "cannot be read"),
        (["qa", "It fails", "--severity", "awful"], "severity"),
        (["accept", "--unit", "spec"], "is not NAME=VALUE"),
        (["accept", "--branch", "nowhere"], "branch nowhere"),
        (["done", "splendid", "--unit", "spec=1"], "outcome"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    cli: InProcess, project: Path, given: list[str], told: str
) -> None:
    done = cli("unit", *given)

    assert done.code
    assert told in done.err
