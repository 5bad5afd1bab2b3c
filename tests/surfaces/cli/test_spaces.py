"""Which space a command works in: reading makes none, and one folder's commands share one."""

from pathlib import Path

import pytest

from tests.surfaces.cli.runner import InProcess

READING = [
    ("list",),
    ("recall", "anything"),
    ("trend", "anything"),
    ("show", "mem_0000000000"),
    ("history", "mem_0000000000"),
    ("log",),
    ("read",),
    ("stats",),
    ("spaces",),
    ("export",),
    ("memory",),
    ("audit",),
    ("quarantine",),
    ("budget",),
    ("review",),
    ("trust",),
    ("jobs",),
    ("token",),
    ("map",),
    ("graph",),
    ("deps", "x"),
    ("say", "what do you know about me?"),
    ("worker", "--once"),
    ("doctor",),
]


def names(cli: InProcess) -> list[str]:
    return [space["name"] for space in cli.json("spaces")["spaces"]]


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_reading_an_unknown_space_makes_none_and_says_what_may_be_meant(
    cli: InProcess, command: tuple[str, ...]
) -> None:
    cli.json("--space", "harbour", "remember", "The crane is yellow.")

    ran = cli("--space", "harbor", *command)

    assert ran.code == 1
    assert ran.err == "No space 'harbor' is visible here. Did you mean 'harbour'?\n"
    assert names(cli) == ["default", "harbour"]


def test_an_unknown_space_without_a_near_name_lists_one_s_own(cli: InProcess) -> None:
    ran = cli("--space", "zebra", "list", "--json")

    assert ran.error == {
        "code": "space_not_found",
        "message": "No space 'zebra' is visible here.",
        "hint": "Your spaces: 'default'.",
    }


def test_reading_an_unknown_space_makes_no_file(no_file_yet: InProcess) -> None:
    ran = no_file_yet("--space", "typo", "list")

    assert ran.code == 1
    assert "there is no file at" in ran.err
    assert not no_file_yet.db.exists()


def test_reading_a_new_store_is_no_error(no_file_yet: InProcess) -> None:
    assert no_file_yet.json("list")["items"] == []


def test_reading_a_store_without_the_default_space_names_those_it_has(
    no_file_yet: InProcess,
) -> None:
    no_file_yet.json("--space", "work", "remember", "The crane is yellow.")

    ran = no_file_yet("list")

    assert ran.err == "No space 'default' is visible here. Your spaces: 'work'.\n"


def test_writing_makes_a_space_and_says_so(cli: InProcess) -> None:
    first = cli("remember", "The crane is yellow.", "--space", "harbour")
    again = cli("remember", "The crane is blue.", "--space", "harbour")
    mistyped = cli("remember", "The crane is red.", "--space", "harbur")
    usual = cli("remember", "The crane is green.")

    assert first.err == "Created the space 'harbour'.\n"
    assert again.err == "Stored in the space 'harbour'.\n"
    assert mistyped.err == "Created the space 'harbur'. Did you mean 'harbour'?\n"
    assert usual.err == ""
    assert names(cli) == ["default", "harbour", "harbur"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "app"
    (folder / ".git").mkdir(parents=True)
    (folder / "CLAUDE.md").write_text("- Never commit to main.\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("set_up", [False, True])
def test_rules_and_what_is_remembered_in_one_folder_are_in_one_space(
    cli: InProcess, project: Path, set_up: bool
) -> None:
    if set_up:
        assert cli("agent", "install").code == 0

    cli("remember", "The crane is yellow.")
    rules = cli("import", "rules")
    cli("record", "Good morning.")

    kept = {item["content"] for item in cli.json("list")["items"]}
    assert kept == {"The crane is yellow.", "Never commit to main."}
    assert "Never commit to main" in cli("export", "--format", "claude-md").out
    assert [stream["name"] for stream in cli.json("read")["items"]] == ["notes"]
    assert len(names(cli)) == 1 + set_up
    assert ("Stored in the space 'app-" in rules.err) == set_up
