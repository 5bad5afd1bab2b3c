"""Through real hook processes: notes on a command are told when it is about to run, by what it
runs."""

from tests.surfaces.hooks.harness import Harness

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\n"
)


def refuse(harness: Harness, call: str, why: str, command: str) -> None:
    harness.call("PreToolUse", "Bash", call, command=command)
    harness.call("PostToolUseFailure", "Bash", call, error=f"{REFUSED}{why}", command=command)


def about_to_run(harness: Harness, command: str, session: str) -> str:
    harness.hook("SessionStart", session, source="startup")
    return harness.call("PreToolUse", "Bash", "c1", session, command=command)


def test_a_refused_command_is_known_however_it_is_written(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Publish the change")
    refuse(harness, "c1", "never push to main without asking me", "git push origin main")
    refuse(harness, "c2", "never drop the volumes, they hold my data", "docker compose down -v")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    again = ["cd app && git push origin main", "make x; sudo docker-compose down --volumes"]
    for number, command in enumerate(again):
        assert "The user said: “never" in about_to_run(harness, command, f"again-{number}")
    others = ["git push --tags", "git push origin feature", "docker compose down", "docker ps"]
    for number, command in enumerate(others):
        assert about_to_run(harness, command, f"other-{number}") == ""


def test_a_wish_for_a_tool_is_told_when_another_is_about_to_run(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Set the project up")
    harness.tool("Bash", "c1", command="npm install", response={"stdout": "added 3 packages"})
    harness.hook("Stop", stop_hook_active=False, last_assistant_message="Done, all installed.")
    harness.hook("UserPromptSubmit", prompt="please always use pnpm here")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    told = about_to_run(harness, "cd web && npm install left-pad", "two")
    assert "The user said: “please always use pnpm here”" in told
    assert "Said after the agent ran: `npm install`." in told
    assert harness.call("PreToolUse", "Bash", "c2", "two", command="npm ci") == ""  # once
    assert about_to_run(harness, "pnpm install", "three") == ""


def test_a_call_that_fails_here_is_told_with_the_one_that_passes(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Run the tests of the service")
    failing = {"command": "go test ./..."}
    harness.call("PreToolUse", "Bash", "c1", **failing)
    error = "Exit code 1\ngo: cannot find main module, but found .git/config in here"
    harness.call("PostToolUseFailure", "Bash", "c1", error=error, **failing)
    harness.tool("Bash", "c2", command="cd api && go test ./...", response={"stdout": "ok  api 1s"})
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    told = about_to_run(harness, "go test ./cart -run Discount", "two")
    assert "Here `go test ./...` fails (“go: cannot find main module" in told
    assert "`cd api && go test ./...` passes." in told
    assert about_to_run(harness, "cd api && go test ./cart", "three") == ""


def test_a_wish_for_all_of_the_work_names_no_file_that_was_merely_open(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Add a discount")
    harness.tool("Read", "c1", file_path=harness.path("src/cart.py"))
    harness.tool("Edit", "c2", file_path=harness.path("src/cart.py"), old_string="", new_string="x")
    harness.hook("Stop", stop_hook_active=False, last_assistant_message="The discount is there.")
    harness.hook("UserPromptSubmit", prompt="always use tabs in this project")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    told = harness.hook("SessionStart", "two", source="startup")
    assert "(observer inferred): The user said: “always use tabs in this project”" in told


def test_a_new_member_is_told_each_note_once(harness: Harness) -> None:
    with harness.memory() as memory:
        memory.add_member("ben", "member")
        for text in ("Prefer tabs.", "Never commit to main.", "Tests run in Docker."):
            memory.remember(text, type="preference", visibility="project", source="user_taught")
    harness.environment["RECOLLECT_USER"] = "ben"

    told = harness.hook("SessionStart", source="startup")
    assert "you are new to this project" in told
    assert [told.count(text) for text in ("Prefer tabs", "Never commit", "in Docker")] == [1, 1, 1]


def test_other_work_is_not_told_where_an_earlier_session_stood(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Mend the totals of the cart")
    harness.tool("Edit", "c1", file_path=harness.path("src/a.py"), old_string="", new_string="x")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    harness.hook("SessionStart", "two", source="startup")
    logo = "Design a new logo for the website footer"
    assert harness.hook("UserPromptSubmit", "two", prompt=logo) == ""
    harness.hook("SessionStart", "three", source="startup")
    told = harness.hook("UserPromptSubmit", "three", prompt="Go on with the totals")
    assert "where an earlier session stood" in told
