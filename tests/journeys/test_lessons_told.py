"""What a user said and what was mended in one session is told in the next, where it matters."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores import SharedStores
from tests.surfaces.hooks.harness import Harness

REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT written to the file). To tell you how to proceed, the "
    "user said:\nschema.py is generated, never edit it by hand"
)
BROKEN = "Exit code 1\nsrc/cart.py:9:5: Local variable is assigned but never used (unused-name)"


@pytest.fixture
def harness(tmp_path: Path, shared_stores: SharedStores) -> Iterator[Harness]:
    made = Harness(tmp_path)
    made.forks_daemons = True
    shutil.copy(shared_stores.migrated_file, made.db)
    yield made
    made.stop()


COMMIT = "1f2e3d4c5b6a79880011223344556677889900aa"


def first_session(harness: Harness) -> None:
    git = harness.project / ".git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs/heads/main").write_text(f"{COMMIT}\n")
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Add a discount to the cart")
    file = harness.path("src/schema.py")
    harness.tool("Bash", "c1", command="npm install", response={"stdout": "added 3 packages"})
    harness.hook("Stop", stop_hook_active=False, last_assistant_message="Done, all installed.")
    harness.hook("UserPromptSubmit", prompt="please always use pnpm here")
    edit = {"file_path": file, "old_string": "a", "new_string": "b"}
    harness.call("PreToolUse", "Edit", "c2", **edit)
    harness.call("PostToolUseFailure", "Edit", "c2", **edit, error=REFUSAL)
    harness.call("PreToolUse", "Bash", "c3", command="make lint")
    harness.call("PostToolUseFailure", "Bash", "c3", command="make lint", error=BROKEN)
    harness.tool("Edit", "c4", file_path=harness.path("src/cart.py"), response={"newString": ""})
    harness.tool("Bash", "c5", command="make lint", response={"stdout": "all clean"})
    harness.hook("Stop", stop_hook_active=False, last_assistant_message="The cart has a discount.")
    harness.hook("SessionEnd", reason="prompt_input_exit")
    harness.stop()


def test_the_next_session_is_told_each_lesson_when_it_matters(harness: Harness) -> None:
    first_session(harness)

    ground = harness.hook("SessionStart", "two", source="startup")
    assert "“please always use pnpm here”" in ground
    opened = harness.hook("UserPromptSubmit", "two", prompt="Add a voucher to the cart")
    assert "Still failing" not in opened
    edit = {"old_string": "x", "new_string": "y"}
    schema = harness.call(
        "PreToolUse", "Edit", "d1", "two", file_path=harness.path("src/schema.py"), **edit
    )
    assert "“schema.py is generated, never edit it by hand”" in schema
    lint = harness.call("PreToolUse", "Bash", "d2", "two", command="make lint")
    assert "`unused-name` (“Local variable is assigned but never used”)" in lint
    harness.stop()

    with harness.memory() as memory:
        kept = {one.content: one for one in memory.list(limit=50).items}
        lessons = [one for one in kept.values() if any("signal:" in tag for tag in one.tags)]
        assert len(lessons) == 3
        for one in lessons:
            assert one.provenance.events
            assert one.provenance.commit == COMMIT
            for event in one.provenance.events:
                memory.window(event)
        wish = next(one for one in lessons if "pnpm" in one.content)
        said = memory.window(wish.provenance.events[0]).event
        assert said.text == "please always use pnpm here"
        shown = {one.memory.id: one.evidence for one in memory.agents.review("one").learned}
        for one in lessons:
            assert [event.id for event in shown[one.id]] == list(one.provenance.events)


def later_session(harness: Harness, session: str, words: str) -> None:
    """A session in which the user says these words after the agent's work."""
    harness.hook("SessionStart", session, source="startup")
    harness.hook("UserPromptSubmit", session, prompt="Add a voucher")
    harness.tool("Bash", "f1", session, command="pnpm install", response={"stdout": "ok"})
    harness.hook("Stop", session, stop_hook_active=False, last_assistant_message="Done.")
    harness.hook("UserPromptSubmit", session, prompt=words)
    file = harness.path("src/cart.py")
    harness.tool("Edit", "f2", session, file_path=file, response={"newString": ""})
    harness.hook("Stop", session, stop_hook_active=False, last_assistant_message="Right, I will.")
    harness.hook("SessionEnd", session, reason="other")
    harness.stop()


def test_a_wish_is_its_author_s_and_a_later_one_takes_its_place(harness: Harness) -> None:
    first_session(harness)

    harness.environment["RECOLLECT_USER"] = "ben"
    assert "pnpm" not in harness.hook("SessionStart", "two", source="startup")
    harness.stop()

    harness.environment["RECOLLECT_USER"] = "ada"
    later_session(harness, "three", "we moved: please always use yarn here from now on, not pnpm")
    ground = harness.hook("SessionStart", "four", source="startup")
    assert "please always use yarn here from now on, not pnpm" in ground
    assert "please always use pnpm here" not in ground
    harness.stop()

    with harness.memory() as memory:
        (decided,) = memory.contradictions.list(resolved=True).items
        assert "please always use pnpm here" in decided.a.content
        assert decided.a.superseded_by == decided.b.id


def test_a_variable_that_a_command_wanted_is_told_after_the_same_failure(harness: Harness) -> None:
    error = "Exit code 1\nE   redis.exceptions.ConnectionError: REDIS_URL is not set"
    run = "REDIS_URL=redis://localhost pytest -q"
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Make the login reject expired tokens")
    harness.call("PreToolUse", "Bash", "c1", command="pytest -q")
    harness.call("PostToolUseFailure", "Bash", "c1", command="pytest -q", error=error)
    harness.tool("Bash", "c2", command=run, response={"stdout": "3 passed"})
    harness.hook("Stop", last_assistant_message="They pass.")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    harness.hook("SessionStart", "two", source="startup")
    harness.call("PreToolUse", "Bash", "c1", "two", command="pytest -q")
    told = harness.call("PostToolUseFailure", "Bash", "c1", "two", command="pytest -q", error=error)

    assert "REDIS_URL is not set\u201d; it works with `REDIS_URL` set." in told
    assert "localhost" not in told
