"""Commands around agents: setting one up, reviewing what it learned, trust, rules in and out."""

import fcntl
import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.context.projects import project_of
from recollect.engine import Recollect
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.memory import Memory
from tests.surfaces.cli.runner import InProcess, Processes


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def opened(cli: InProcess | Processes, project: Path) -> Recollect:
    space = project_of(project).space
    return recollect.open(cli.db, user="ada", space=space, worker=False)


def learned(cli: InProcess | Processes, project: Path, *refusals: str) -> list[str]:
    """A session in which the user refused some edits; the ids of what it learned."""
    with opened(cli, project) as memory:
        session = memory.session(id="one", agent="claude-code", task="Mend it", root=project)
        for number, words in enumerate(refusals):
            edit = {"file_path": str(project / f"part{number}.py")}
            session.on_tool_call("Edit", edit, call=f"c{number}")
            session.on_tool_failure("Edit", edit, words, call=f"c{number}", kind=ActKind.REFUSAL)
        session.finish()
        return [one.memory.id for one in memory.agents.review().learned]


THREE = (
    "never edit generated files",
    "please use the helper instead of copying",
    "we always write tests for parsers",
)


def test_review_shows_what_was_learned_with_its_evidence(cli: InProcess, project: Path) -> None:
    first, *_ = learned(cli, project, *THREE)

    text = cli("review").out

    assert text.startswith("Session one of claude-code, ")
    assert re.search(rf"\d/3  PREFERENCE  part\d.py  {first}\n", text)
    assert "       The user said: “never edit generated files”\n       Refused: editing " in text
    assert re.search(r"from \S+ ada: never edit generated files\n", text)
    assert "Nothing was given from memory, so nothing was saved." in text
    assert "3 things to review: recollect review --confirm ID" in text


def test_review_names_the_session_that_has_something_to_review(
    cli: InProcess, project: Path
) -> None:
    learned(cli, project, *THREE)
    elsewhere = "Session one has 3 things to review: recollect review --session one."

    assert cli("review", "--waiting").out == (
        f"Nothing is held back until it is reviewed. {elsewhere}\n"
    )
    with opened(cli, project) as memory, memory.session(id="two", agent="claude-code"):
        pass
    said = cli("review", "--confirm-all")

    assert f"Nothing of session two is to be reviewed: nothing was confirmed. {elsewhere}" in (
        said.err
    )
    assert cli("review").out.endswith(f"\n{elsewhere}\n")
    assert len(cli.json("review", "--session", "one")["learned"]) == 3


def test_review_tells_what_was_decided_and_what_waits_of_other_sessions(
    cli: InProcess, project: Path
) -> None:
    learned(cli, project, *THREE)
    with opened(cli, project) as memory:
        waiting = [
            memory.remember(text, session="one", needs_review=True).id
            for text in ("The user wants pnpm.", "Lint before you push.")
        ]
        with memory.session(id="two", agent="claude-code"):
            pass
    text = cli("review").out
    assert "It learned nothing new." in text
    assert text.endswith("Of other sessions 2 things to review: recollect review --waiting.\n")

    confirmed = cli("review", "--confirm", waiting[0]).out
    rejected = cli("review", "--reject", waiting[1][-8:]).out

    assert confirmed == (
        f"Confirmed fact {waiting[0]}  The user wants pnpm.\n"
        "Of other sessions 1 thing to review: recollect review --waiting.\n"
    )
    assert rejected.startswith(f"Rejected fact {waiting[1]}  Lint before you push.\n")
    assert "Session two" not in confirmed + rejected


def test_review_shows_the_severity_and_the_spec_of_what_a_reviewer_found(
    cli: InProcess, project: Path
) -> None:
    with opened(cli, project) as memory:
        session = memory.session(id="qa", root=project, stage="qa_review")
        kept = session.qa_failed("The total is off", severity="high", spec="007", files=["a.py"])
        session.finish()
    assert kept is not None

    assert f"1/1  ERROR PATTERN  a.py  high, Spec 007  {kept.id}" in cli("review").out
    assert "The total is off." in cli("list", "--tag", "severity:high").out
    assert "The total is off." not in cli("list", "--tag", "severity:low").out


def test_what_waits_for_review_is_shown_whatever_its_session(cli: InProcess, project: Path) -> None:
    assert "No session of an agent is known here yet" in cli("review").out
    assert cli("review", "--waiting").out == "Nothing waits for review.\n"
    with opened(cli, project) as memory:
        said = memory.record("Use pnpm, please.", stream="transcripts", author="ada")
        kept = [
            memory.remember(
                text, session=f"learned-{number}", events=[said.id], needs_review=True
            ).id
            for number, text in enumerate(("The user wants pnpm.", "Lint before you push."))
        ]
        memory.remember("Nothing to decide here.")

    text = cli("review").out  # no session is known by name, so all that waits is shown

    assert re.search(
        rf"1/2  FACT  {kept[1]}  to be reviewed\n       Lint before you push\.\n", text
    )
    assert re.search(r"The user wants pnpm\.\n       from \S+ ada: Use pnpm, please\.\n", text)
    assert "recollect review --waiting --confirm ID" in text
    assert "Nothing to decide" not in text
    cli("review", "--waiting", "--confirm", kept[0], "--reject", kept[1])
    assert cli.json("review", "--waiting")["items"] == []
    with opened(cli, project) as memory:
        confirmed, rejected = map(memory.get, kept)
        assert isinstance(confirmed, Memory)
        assert isinstance(rejected, Memory)
        assert (confirmed.user_verified, rejected.archived) == (True, True)


def test_review_takes_a_person_s_word(cli: InProcess, project: Path) -> None:
    first, second, third = learned(cli, project, *THREE)

    text = cli("review", "--confirm", first, "--edit", f"{second}=Use the helper.").out
    assert text.startswith(f"Confirmed preference {first}  ")
    assert f"\nCorrected preference {second}  Use the helper.\n1 thing to review" in text
    assert cli("review", "--reject", third[-8:]).code == 0

    document = cli.json("review")
    assert [one["decision"] for one in document["learned"]] == ["confirmed", "edited", "rejected"]
    assert document["learned"][1]["memory"]["content"] == "Use the helper."
    assert cli.json("trust") == {
        "level": 1,
        "sessions": 1,
        "reviewed": 3,
        "confirmed": 1,
        "corrected": 1,
        "rejected": 1,
        "chosen_by": None,
    }


def test_review_without_a_session_says_so(cli: InProcess, project: Path) -> None:
    assert cli("review").out.startswith("No session of an agent is known here yet")
    named = cli("review", "--session", "none")
    assert (named.code, named.err) == (1, "No agent's session 'none' is known here.\n")


def test_trust_is_set_and_let_go(cli: InProcess, project: Path) -> None:
    assert "Trust level 3 (confident, chosen by ada)" in cli("trust", "3").out
    assert "Trust level 1 (cautious)" in cli("trust", "auto").out
    assert cli("trust", "7").code == 2


def test_review_asks_at_a_terminal(process: Processes, project: Path) -> None:
    first, second, third = learned(process, project, *THREE)
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        process.command("review"),
        cwd=project,
        env=process.environment | {"TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, b"c\ne\nUse the helper.\nr\n")
    shown = b""
    try:
        while part := os.read(ours, 65_536):
            shown += part
    except OSError:  # the other side is gone
        pass
    assert running.wait(60) == 0
    os.close(ours)

    assert b"[c]onfirm  [e]dit  [r]eject" in shown
    with opened(process, project) as memory:
        found = memory.agents.review()
        said = {one.memory.id: one.decision for one in found.learned}
        assert [said[one] for one in (first, second, third)] == ["confirmed", "edited", "rejected"]
        assert found.session.reviewed_at is not None


def test_agent_is_set_up_and_taken_out(cli: InProcess, project: Path) -> None:
    assert "claude-code is not set up here" in cli("agent", "status").out

    assert ".claude/settings.local.json" in cli("agent", "install").out
    status = cli("agent", "status")
    assert "no event has arrived yet" in status.out
    assert cli.json("agent", "status")["set_up"] is True
    assert json.loads((project / ".mcp.json").read_text())["mcpServers"]["recollect"]

    told = cli("agent", "uninstall").out
    assert "What was learned is kept." in told
    assert "recollect spaces delete --space " in told
    assert cli(*told.partition("recollect ")[2].split()).code == 0
    assert sorted(path.name for path in project.iterdir()) == [".git"]
    assert "There was nothing of it." in cli("agent", "uninstall").out


def test_commands_inside_a_project_work_in_its_space(
    cli: InProcess, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.remember("Before there was an agent.")
    cli("agent", "install")
    cli.remember("Kept by hand in the project.")

    with opened(cli, project) as memory:
        assert [one.content for one in memory.list().items] == ["Kept by hand in the project."]
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    assert "Kept by hand" in cli("list").out
    assert "Before there was" in cli("list", "--space", "default").out
    monkeypatch.chdir(tmp_path)
    assert "Before there was" in cli("list").out


def test_agent_plugin_is_a_folder(cli: InProcess, project: Path) -> None:
    assert cli("agent", "plugin", "made").code == 0
    assert (project / "made/.claude-plugin/plugin.json").exists()

    again = cli("agent", "plugin", "made")

    assert again.code == 1
    assert "is not empty" in again.err


def test_rules_go_in_and_come_out(cli: InProcess, project: Path) -> None:
    assert cli("agent", "install").code == 0  # then commands here work in the project's space
    (project / "CLAUDE.md").write_text("# Ours\n- Never commit to main.\n")
    assert cli("import", "rules").out == ("Read CLAUDE.md: 1 rule added, 0 there already.\n")
    assert cli("import", "rules", "CLAUDE.md").out == (
        "Read CLAUDE.md: 0 rules added, 1 there already.\n"
    )
    with opened(cli, project) as memory:
        memory.remember("Tests need Redis.", type="gotcha", source="user_taught")

    assert cli("export", "--format", "claude-md", "-o", "CLAUDE.md").code == 0

    written = (project / "CLAUDE.md").read_text()
    assert written.startswith("# Ours\n- Never commit to main.\n")
    assert written.count("Never commit to main") == 1
    assert "- Tests need Redis." in written
    assert "Never commit to main" in cli("export", "--format", "claude-md").out


def test_an_older_session_is_named_by_an_option(cli: InProcess, project: Path) -> None:
    learned(cli, project, "leave it")

    told = cli("review", "one")

    assert told.code == 2
    assert "Name it with --session: 'recollect review --session ...'." in " ".join(told.err.split())


def test_uninstalling_says_that_the_daemon_still_runs(
    cli: InProcess, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.settings import agent_folder

    cli("agent", "install")
    home = next(iter(agent_folder().glob("stores/*")), agent_folder())
    home.mkdir(parents=True, exist_ok=True)
    (home / "daemon.pid").write_text("4321\n")
    with (home / "daemon.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = cli("agent", "uninstall").err

    assert "The daemon (4321) still runs" in told
    assert "after 900 seconds without an event" in told


def test_what_is_learned_from_transcripts_cites_the_sessions(
    cli: InProcess, project: Path, tmp_path: Path
) -> None:
    acts: list[dict[str, Any]] = [
        {"kind": "prompt", "text": "Add the discount to the basket.", "id": "p1"},
        {"kind": "call", "tool": "Edit", "call": "c1", "arguments": {"file_path": "basket.py"}},
        {
            "kind": "refusal",
            "tool": "Edit",
            "call": "c1",
            "text": "never edit generated files, change the template instead",
        },
    ]
    lines = [{"session": "s1", "time": f"2026-05-31T14:00:0{n}Z", **a} for n, a in enumerate(acts)]
    told = tmp_path / "acts.jsonl"
    told.write_text("\n".join(map(json.dumps, lines)))

    answer = cli.json("learn", str(told))

    (memory,) = answer["memories"]
    assert len(memory["provenance"]["events"]) > 0
    assert "change the template instead" in cli("review", "--session", "s1").out
    again = cli.json("learn", str(told))
    assert again["memories"] == []
    told.write_text(told.read_text() + '\n{"session": "s1", "kind": "prompt", "te')
    assert "1 line could not be kept" in cli("learn", str(told)).err
    other = tmp_path / "other.db"
    bare = InProcess(other).json("learn", str(told), "--no-history")
    assert bare["memories"][0]["provenance"]["events"] == []
