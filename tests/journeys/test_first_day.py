"""A first day with the command line: one story, every step typed for real, on each store."""

import json
import re
from pathlib import Path

import pytest

import recollect
from tests.stores import Backend
from tests.surfaces.cli.runner import Processes, Ran

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture
def run(tmp_path: Path) -> Processes:
    made = Processes(tmp_path / "memory.db")
    made.environment["RECOLLECT_USER"] = "ada"
    return made


class Typed:
    """Commands in the order in which they are typed."""

    def __init__(self, processes: Processes, *, server: bool) -> None:
        self.db = processes.db
        self._processes = processes
        self._server = server
        self._begun = False

    def __call__(self, *arguments: str) -> Ran:
        here, self._begun = self._server and self._begun, True
        return (self._processes.here if here else self._processes)(*arguments)


def done(ran: Ran) -> str:
    """What a command said that did what it should."""
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.out


@pytest.fixture
def typed(backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Each command is a process. On a server, whose commands start alike, the first one is, which
    makes the store; the others run here."""
    monkeypatch.setenv("RECOLLECT_USER", "ada")
    monkeypatch.chdir(tmp_path)
    return Typed(Processes(backend.empty(), tmp_path), server=backend.name != "sqlite")


def test_first_day(typed: Typed, tmp_path: Path) -> None:
    run = typed
    # Ada keeps three things, and the team talks.
    out = done(
        run(
            "remember", "The staging database is reset every night.", "--type", "gotcha", "--tag",
            "staging", "--file", "deploy/staging.yml",
        )
    )  # fmt: skip
    gotcha = out.split()[1]
    assert out == f"Remembered {gotcha}  gotcha\n"
    rule = done(run("remember", "Orders may be cancelled within two days.", "-t", "decision"))
    decision = rule.split()[1]
    done(run("remember", "Ada likes short pull requests.", "-t", "preference"))
    done(run("record", "Who reset staging?", "--stream", "standup", "--author", "grace"))

    # She asks, in words of her own.
    out = done(run("recall", "when", "is", "staging", "wiped?", "--kind", "memory", "-n", "1"))
    assert re.fullmatch(
        rf"1  [01]\.\d\d  gotcha  {gotcha}\n"
        r"   The staging database is reset every night\.\n"
        r"   #staging deploy/staging\.yml\n"
        rf"   ada, {TIME}, user_taught\n",
        out,
    )

    # Something was wrong; she corrects it, and the correction is on record.
    done(run("edit", gotcha[:18], "--content", "The staging database is reset at noon."))
    assert re.fullmatch(
        rf"1  created by ada, {TIME}\n"
        r"\n"
        rf"2  updated by ada, {TIME}\n"
        r"   content - The staging database is reset every night\.\n"
        r"   content \+ The staging database is reset at noon\.\n",
        done(run("history", gotcha)),
    )

    # The team changes its mind; the old decision can still be asked for.
    before = json.loads(done(run("show", decision, "--json")))["created_at"]
    new = done(
        run(
            "remember", "Orders may be cancelled within fourteen days.", "-t", "decision",
            "--supersedes", decision,
        )
    ).split()[1]  # fmt: skip
    assert "fourteen days" in done(run("recall", "cancel an order", "-n", "1"))
    assert "two days" in done(run("recall", "cancel an order", "-n", "1", "--as-of", before))
    assert f"→ supersedes {decision}" in done(run("show", new))

    # She forgets one thing, and thinks better of it.
    assert done(run("forget", gotcha)) == f"Archived {gotcha}  gotcha\n"
    assert "Nothing found" in done(run("recall", "staging", "--type", "gotcha"))
    assert done(run("restore", gotcha)) == f"Restored {gotcha}  gotcha\n"
    assert gotcha in done(run("recall", "staging", "--type", "gotcha"))

    # She takes everything with her.
    done(run("export", "--output", "all.json"))
    exported = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert {memory["id"] for memory in exported["memories"]} >= {gotcha, decision, new}
    assert exported["streams"][0]["events"][0]["text"] == "Who reset staging?"
    assert "The staging database is reset at noon." in done(run("export", "--format", "markdown"))

    # All is well at the end of the day, and a program sees what she saw.
    out = done(run("stats"))
    assert out.startswith("The space default holds 4 memories and 1 event in 1 stream.\n")
    assert done(run("worker", "--once")).endswith("0 jobs waiting.\n")
    assert done(run("doctor")).endswith("All is well.\n")
    with recollect.open(run.db, user="ada", worker=False) as memory:
        assert {item.id for item in memory.list().items} >= {gotcha, new}
        assert memory.history(gotcha)[-1].action == "restored"


def test_first_minute(run: Processes) -> None:
    """Somebody who knows nothing yet types what comes to mind."""
    assert done(run()).startswith("Usage: recollect [OPTIONS] COMMAND ...\n")
    assert "7. Take stock" in done(run("tour"))
    assert "There is no file at" in done(run("doctor"))
    ran = run("list")
    assert (ran.code, ran.out, ran.err) == (0, "", "Nothing is remembered here yet.\n")
    assert "Nothing found for 'anything'." in done(run("recall", "anything"))
    assert run("remember").code == 2
    assert run("rember", "x").err.startswith("No such command 'rember'. Did you mean 'remember'")
    assert "Did you mean 'recollect recall'?" in run("serach", "x").err
    assert done(run("remember", "Now I know how.")).startswith("Remembered mem_")
    assert "Now I know how." in done(run("recall", "know how"))
