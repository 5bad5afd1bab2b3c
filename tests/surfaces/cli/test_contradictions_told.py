"""Whatever an agent is told says of a memory that another one contradicts it, undecided."""

from pathlib import Path

import pytest

import recollect
from recollect.surfaces.mcp.server import build
from tests.surfaces.cli.runner import InProcess
from tests.surfaces.mcp.calling import call

OLDER = "(older; a newer one contradicts it, and nobody has decided yet)"
NEWER = "(newer; an older one contradicts it, and nobody has decided yet)"


@pytest.fixture
def undecided(cli: InProcess) -> InProcess:
    """A store with two decisions of which one can hold, and one that nothing contradicts."""
    cli.remember("We release on Mondays.", "--type", "decision")
    cli.remember("We release on Thursdays.", "--type", "decision")
    cli.remember("The canary waits for the tests.", "--type", "decision")
    assert cli("contradictions").out
    return cli


def check(text: str, older: str = OLDER, newer: str = NEWER) -> None:
    """Each side that stands alone has its mark, and nothing else has one."""
    lines = [line for line in text.splitlines() if "contradiction con_" not in line]
    assert all(older in line for line in lines if "Mondays" in line)
    assert all(newer in line for line in lines if "Thursdays" in line)
    assert not any(
        "decided yet" in line or "contradicted" in line for line in lines if "canary" in line
    )


@pytest.mark.parametrize("budget", ["100", "150", "220", "300", "8000"])
def test_an_assembled_context_marks_both_sides(undecided: InProcess, budget: str) -> None:
    context = undecided("assemble", "plan the release", "--budget", budget).out
    assert "release" in context
    check(context, "(older, contradicted)", "(newer, contradicted)")


def test_a_session_begins_with_both_sides_marked(undecided: InProcess) -> None:
    with recollect.open(undecided.db, user="ada", worker=False) as memory:
        told, _ = call(build(memory), "get_session_context", {"task": "plan the release"})
    assert "Mondays" in told
    assert "Thursdays" in told
    check(told)


def test_a_rule_file_marks_both_sides_until_somebody_decides(
    undecided: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    undecided.remember("We release on Tuesdays.", "--type", "decision", "--visibility", "personal")
    export = ("export", "--format", "claude-md", "-o", "CLAUDE.md")
    undecided(*export)
    written = Path("CLAUDE.md").read_text("utf-8")
    assert "Mondays" in written
    assert "Thursdays" in written
    check(written)
    assert "personal" not in written
    with recollect.open(undecided.db, user="ada", worker=False) as memory:
        for one in memory.contradictions.list().items:
            memory.contradictions.resolve(one.id, "both", note="two products")
    undecided(*export)
    assert "decided yet" not in Path("CLAUDE.md").read_text("utf-8")
