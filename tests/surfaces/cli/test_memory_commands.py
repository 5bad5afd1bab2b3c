"""Remember, edit, pin, forget, restore: what is kept, what is said, and what is left alone."""

from pathlib import Path

import pytest

from tests.surfaces.cli.runner import InProcess

FACT = "The staging database is reset every night."


def test_remember_says_the_whole_id_in_a_pipe(cli: InProcess) -> None:
    ran = cli("remember", FACT, "--type", "gotcha")
    verb, identifier, kind = ran.out.split()
    assert (verb, kind) == ("Remembered", "gotcha")
    assert len(identifier) == 30
    assert cli.json("show", identifier)["content"] == FACT


def test_every_field_is_kept(cli: InProcess) -> None:
    event = cli.json("record", "It was wiped again.")["id"]
    options = {
        "--type": "error_pattern",
        "--tag": "staging",
        "--file": "deploy/staging.yml",
        "--module": "deploy",
        "--event": event,
        "--confidence": "0.9",
        "--importance": "0.7",
        "--scope": "module",
        "--visibility": "personal",
        "--extra": "fix=Restore the dump.",
        "--valid-from": "2026-05-31",
    }
    kept = cli.json("remember", FACT, "--pin", *(part for pair in options.items() for part in pair))
    assert kept["type"] == "error_pattern"
    assert (kept["tags"], kept["files"], kept["modules"]) == (
        ["staging"],
        ["deploy/staging.yml"],
        ["deploy"],
    )
    assert kept["provenance"]["events"] == [event]
    assert kept["provenance"]["source"] == "user_taught"
    assert (kept["confidence"], kept["importance"], kept["scope"]) == (0.9, 0.7, "module")
    assert kept["audience"]["visibility"] == "personal"
    assert kept["extras"] == {"fix": "Restore the dump."}
    assert kept["valid_from"] == "2026-05-31T00:00:00+00:00"
    assert kept["pinned"] is True


def test_tags_of_the_program_are_in_show_alone(cli: InProcess) -> None:
    kept = cli.json("remember", FACT, "--tag", "staging", "--tag", "signal:refusal")
    for command in (("list",), ("recall", "staging database")):
        ran = cli(*command)
        assert "#staging" in ran.out
        assert "signal:" not in ran.out
    assert "signal:refusal" in cli("show", kept["id"]).out


def test_words_need_no_quotes(cli: InProcess) -> None:
    assert cli.json("remember", "two", "words")["content"] == "two words"


def test_dash_reads_standard_input(cli: InProcess) -> None:
    assert (
        cli.json("remember", "-", input="line one\nline two\n")["content"] == "line one\nline two"
    )


def test_no_text_says_how(cli: InProcess) -> None:
    ran = cli("remember")
    assert ran.code == 2
    assert "recollect remember 'The staging database" in ran.err
    assert "recollect remember - <" in ran.err


def test_supersede(cli: InProcess) -> None:
    old = cli.remember("We deploy on Fridays.", "--type", "decision")
    new = cli.remember("We deploy on Tuesdays.", "--type", "decision", "--supersedes", old)
    assert cli.json("show", old)["superseded_by"] == new
    assert cli.json("show", new)["supersedes"] == old
    assert [item["id"] for item in cli.json("list")["items"]] == [new]
    shown = cli("show", new).out
    assert f"supersedes  {old}" in shown
    assert f"→ supersedes {old}" in shown


def test_edit_by_options(cli: InProcess) -> None:
    identifier = cli.remember(FACT, "--tag", "old", "--file", "a.py")
    ran = cli(
        "edit", identifier[:20], "--content", "New words.", "--confidence", "0.95", "--tag", "new",
        "--file", "", "--verified", "--type", "gotcha",
    )  # fmt: skip
    assert ran.code == 0
    assert ran.out == f"Changed {identifier}  gotcha\n"
    now = cli.json("show", identifier)
    assert (now["content"], now["confidence"], now["tags"], now["files"]) == (
        "New words.",
        0.95,
        ["new"],
        [],
    )
    assert now["user_verified"] is True


def test_edit_to_the_same_changes_nothing(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    assert cli("edit", identifier, "--content", FACT).out.startswith("Left as it was")
    assert cli.json("show", identifier)["revision"] == 1


def test_edit_reads_standard_input(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    assert cli.json("edit", identifier, "--content", "-", input="From a pipe.\n")["content"] == (
        "From a pipe."
    )


def test_edit_only_if_nobody_was_faster(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    cli.json("edit", identifier, "--confidence", "0.5")
    ran = cli("edit", identifier, "--content", "mine", "--revision", "1", "--json")
    assert ran.code == 1
    assert ran.error["code"] == "conflict"
    assert cli.json("show", identifier)["content"] == FACT


def test_edit_of_nothing_in_a_pipe_says_how(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    ran = cli("edit", identifier)
    assert ran.code == 2
    assert "--content" in ran.err


def test_an_event_is_no_memory(cli: InProcess) -> None:
    event = cli.json("record", "hello")["id"]
    for command in (["edit", event], ["forget", event, "--for-good", "--yes"], ["pin", event]):
        ran = cli(*command, "--json")
        assert (ran.code, ran.error["code"]) == (1, "memory_not_found")


def test_pin_and_off(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    assert cli("pin", identifier).out.startswith("Pinned ")
    assert [item["id"] for item in cli.json("list", "--pinned")["items"]] == [identifier]
    assert cli("pin", identifier, "--off").out.startswith("Unpinned ")
    assert cli.json("list", "--pinned")["items"] == []


def test_forget_and_restore(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    assert cli("forget", identifier).out == f"Archived {identifier}  fact\n"
    assert cli.json("list")["items"] == []
    assert [item["id"] for item in cli.json("list", "--archived")["items"]] == [identifier]
    assert cli("restore", identifier).out.startswith("Restored ")
    assert [item["id"] for item in cli.json("list")["items"]] == [identifier]


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_forget_for_good_asks_where_nobody_answers(cli: InProcess, json: list[str]) -> None:
    identifier = cli.remember(FACT)
    ran = cli("forget", identifier, "--for-good", *json)
    assert ran.code == 1
    assert "--yes" in ran.out + ran.err
    assert cli.json("show", identifier)["content"] == FACT


def test_forget_for_good(cli: InProcess) -> None:
    identifier = cli.remember(FACT)
    assert cli.json("forget", identifier, "--for-good", "--yes") == {"erased": identifier}
    assert cli("show", identifier, "--json").error["code"] == "memory_not_found"


def test_options_stand_before_and_after(cli: InProcess) -> None:
    cli.json("--space", "one", "remember", "in one")
    cli.json("remember", "in two", "--space", "two")
    assert [item["content"] for item in cli.json("list", "--space", "one")["items"]] == ["in one"]
    assert [item["content"] for item in cli.json("--space", "two", "list")["items"]] == ["in two"]
    nearer = cli.json("--space", "one", "list", "--space", "two")
    assert [item["content"] for item in nearer["items"]] == ["in two"]


def test_someone_else_keeps_under_their_name(cli: InProcess) -> None:
    assert cli.json("remember", FACT)["provenance"]["created_by"] == "ada"
    ran = cli("remember", FACT, "--user", "grace", "--json")
    assert ran.error["code"] == "not_allowed"


def test_a_forgetting_is_taken_back_by_a_later_command(cli: InProcess) -> None:
    assert cli.json("say", "remember that I collect stamps")["done"]
    said = cli("say", "forget that I collect stamps")
    assert said.code == 0
    assert said.err.endswith("recollect undo\n")
    assert "stamps" not in cli("memory").out
    assert cli("undo").out == "Done: I remember it again. “I collect stamps”\n"
    assert "stamps" in cli("memory").out
    assert "nothing to undo" in cli("undo", "--json").error["message"]
    assert "gone" not in cli("say", "undo").out
    code = cli.json("say", "forget that I collect stamps")["undo"]
    assert cli.json("undo", code) == {"answer": "I remember it again."}
    assert cli("undo", code, "--json").error["code"] == "not_allowed"
    assert cli.json("say", "forget that I collect stamps")["done"]
    assert cli.json("say", "undo")["done"]
    assert "stamps" in cli("memory").out


def test_everything_remembered_is_read_a_page_at_a_time(cli: InProcess) -> None:
    stamps = ("Peru", "Chad", "Fiji", "Oman", "Cuba", "Mali")
    for country in stamps:
        cli("say", f"remember that I collect stamps from {country}")
    cli("say", "I like tea")
    cli("say", "I hate tea")
    summary = cli("memory")
    assert "8 entries of you" in summary.out
    assert "nothing is erased by age" in summary.out
    assert "Shall “I hate tea” replace it?" in summary.out
    refused = cli("memory", "--limit", "0")
    assert (refused.code, refused.out) == (1, "")
    assert "A page has 1 to" in refused.err
    first = cli("memory", "--limit", "3")
    assert "5 more entries: add --cursor mem_" in first.err
    assert "Shall “I hate tea” replace it?" in first.out
    seen, cursor = list[str](), list[str]()
    for more in (5, 2, 0):
        page = cli.json("memory", "--limit", "3", *cursor)
        assert page["more"] == more
        seen += [one["memory"]["content"] for one in page["entries"]]
        cursor = ["--cursor", page["next_cursor"]]
    assert seen == [
        "I hate tea",
        "I like tea",
        *(f"I collect stamps from {country}" for country in reversed(stamps)),
    ]
    oldest = page["entries"][-1]["memory"]["id"]
    assert "There are no entries past this one." in cli("memory", "--cursor", oldest).err
    assert "not valid" in cli("memory", "--cursor", "mem_0").err


def test_something_to_do_is_noted_as_such_and_said_so(cli: InProcess) -> None:
    said = cli("say", "-", input="remember to buy milk\n")
    assert said.code == 0
    assert "something to do" in said.out
    assert "To do: buy milk" in cli("memory").out
    assert cli.json("say", "remember: when do I buy milk?")["intent"] == "ask"


def test_what_commands_did_is_undone_without_a_code(cli: InProcess) -> None:
    kept = cli.remember("The gate closes at nine.")
    cli("edit", kept, "--text", "The gate closes at ten.")
    assert "ten" in cli("undo").out
    assert cli.json("show", kept)["content"] == "The gate closes at nine."
    assert "undone already" in cli("undo", "--json").error["message"]
    cli("edit", kept, "--tag", "night")
    assert cli("undo").out == "Tags as before: “The gate closes at nine.”\n"
    assert cli.json("show", kept)["tags"] == []
    cli("pin", kept)
    cli("undo")
    assert not cli.json("show", kept)["pinned"]
    cli("forget", kept)
    assert cli("undo").out == "Restored: “The gate closes at nine.”\n"
    other = cli.remember("The lift is slow.")
    assert "“The lift is slow.”" in cli("undo").out
    assert [item["id"] for item in cli.json("list", "--archived")["items"]] == [other]
    cli("forget", kept, "--for-good", "--yes")
    assert "for good" in cli("undo", "--json").error["message"]


def test_forgetting_about_something_names_it_and_wants_a_yes(cli: InProcess) -> None:
    cli("say", "remember that I live in Lyon")
    asked = cli("say", "forget about Lyon")
    assert asked.out == "That would erase for good: “I live in Lyon”. Say “yes” to do it.\n"
    assert asked.err == "Nothing was forgotten yet. --yes forgets without asking.\n"
    assert "Lyon" in cli("memory").out
    assert "I have forgotten this: “I live in Lyon”" in cli("say", "--yes", "forget about Lyon").out
    assert "Lyon" not in cli("memory").out
    cli("say", "remember that I have two cats")
    assert cli.json("say", "forget everything", "--yes")["done"]


def test_what_a_new_memory_contradicts_is_said(cli: InProcess) -> None:
    cli.remember("The staging server runs PostgreSQL 14.")
    told = cli("remember", "The staging server runs PostgreSQL 16.").err
    assert "It contradicts “The staging server runs PostgreSQL 14.”" in told
    decide = told.partition("recollect ")[2].partition("\n")[0].split()
    assert cli(*decide).code == 0
    assert len(cli.json("list")["items"]) == 1


def test_words_for_an_id_an_empty_person_and_no_history_say_what_helps(
    cli: InProcess, tmp_path: Path
) -> None:
    ran = cli("forget", "The lift is slow.")
    assert ran.code == 1
    assert "recollect recall 'The lift is slow.'" in ran.err
    assert cli("person", "show", "nobody").out == "The store holds nothing about nobody.\n"
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("Just words.\n")
    (tmp_path / "nothing.jsonl").write_text("\n")
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04" + bytes(range(256)) * 40)
    (tmp_path / "picture.jsonl").write_bytes(bytes(range(256)) * 40)
    for source, words in (
        ("empty", "is empty"),
        ("notes.txt", ""),
        ("nothing.jsonl", "nothing.jsonl is empty"),
        ("cut.zip", "Is it incomplete?"),
        ("picture.jsonl", "picture.jsonl is not a text file"),
    ):
        ran = cli("import", str(tmp_path / source))
        assert ran.code == 1
        assert "JSON Lines" in ran.err
        assert words in ran.err
        assert ran.out.count("\n") <= 2
    (tmp_path / "odd.jsonl").write_text("odd\n" * 30)
    assert cli("import", str(tmp_path / "odd.jsonl")).out.count("odd") <= 7
    assert "recollect learn --git ." in cli("learn", "git").err


def test_a_memory_is_changed_by_its_new_words_alone(cli: InProcess) -> None:
    identifier = cli.remember("The lift is slow.")
    assert cli("edit", identifier, "The lift is fast.").code == 0
    assert cli.json("show", identifier)["content"] == "The lift is fast."
    assert cli("edit", identifier, "One.", "--content", "Two.").code == 2
    assert "recollect history" in cli("audit").err


def test_a_recall_says_when_nothing_fits(cli: InProcess) -> None:
    cli.remember("The harbour office closes at nine in the evening.")
    weak = cli("recall", "which office repairs broken violins")
    assert "Nothing fits well" in weak.out
    assert cli.json("recall", "which office repairs broken violins")["weak"] is True
    assert "Nothing fits well" not in cli("recall", "when does the harbour close").out


def test_what_came_up_once_has_no_direction_and_no_match_says_so(cli: InProcess) -> None:
    kept = cli.remember("We deploy on Monday.")
    assert "It came up 1 time: too few for a direction" in cli("trend", "deploy").out
    assert "No memory fits these filters." in cli("list", "--tag", "nosuch").err
    assert "Without a terminal no editor opens: say what to change" in cli("edit", kept).err


def test_a_group_of_commands_says_whole_sentences(cli: InProcess) -> None:
    assert (
        "..."
        not in cli("agent", "--help").out.partition("Commands")[2].partition("Global options")[0]
    )
