"""What hooks bring onto the disk, byte by byte: no secret, nothing of an incognito session."""

import json
import os
import signal
from pathlib import Path

from tests.surfaces.hooks.harness import Harness

TOKEN = "ghp_" + "a8Kd93mZqL0wXv7RtYb2Nc5HsJf6Gp1Ee4Uo"
WORDS = "vermilion umbrellas of Ferdinand"


def holding(folder: Path, words: str) -> list[str]:
    """Which files below a folder hold any of the words."""
    return [
        f"{path.name}: {word}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for word in words.split()
        if len(word) > 4 and word.encode() in path.read_bytes()
    ]


def work(harness: Harness, session: str) -> None:
    harness.hook("UserPromptSubmit", session, prompt=f"Look for the {WORDS}")
    harness.tool("Bash", "c1", session, command=f"grep '{WORDS}'", response={"stdout": WORDS})
    harness.hook("UserPromptSubmit", session, prompt=f"/remember the {WORDS}")


def quiet(harness: Harness, session: str, on: bool = True) -> None:
    with harness.memory() as memory:
        memory.chat.incognito(session, on)


def test_a_secret_is_on_no_disk_while_a_session_runs(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt=f"Use {TOKEN} to push.")
    harness.tool("Bash", "c1", command="cat .env", response={"stdout": f"TOKEN={TOKEN}"})

    assert holding(harness.home, "secret removed: GitHub")
    assert holding(harness.home.parent, TOKEN) == []


def test_a_secret_is_on_no_disk_where_no_daemon_can_start(tmp_path: Path) -> None:
    harness = Harness(tmp_path, RECOLLECT_DB=str(tmp_path))
    event = {"session_id": "x", "cwd": str(tmp_path), "prompt": f"Use {TOKEN} to push the branch."}
    harness.send("UserPromptSubmit", json.dumps(event).encode())
    harness.wait()

    assert holding(harness.home, "branch")
    assert holding(tmp_path, TOKEN) == []
    assert (harness.home / "spool").stat().st_mode & 0o777 == 0o600


def test_nothing_of_an_incognito_session_is_on_any_disk(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    quiet(harness, "one")
    work(harness, "one")

    assert holding(harness.home.parent, WORDS) == []
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    work(harness, "one")  # the first of these finds no daemon
    assert holding(harness.home.parent, WORDS) == []
    harness.hook("Stop", last_assistant_message=f"Found the {WORDS}.")
    harness.hook("SessionEnd", reason="other")
    harness.stop()
    assert holding(harness.home.parent, WORDS) == []


def test_a_session_that_was_incognito_is_heard_again_when_that_ends(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    quiet(harness, "one")
    harness.hook("UserPromptSubmit", prompt=f"Look for the {WORDS}")
    quiet(harness, "one", on=False)
    harness.hook("UserPromptSubmit", prompt="Now the code.")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    with harness.memory() as memory:
        said = [event.text for event in memory.read("claude-code one").items]
    assert "Now the code." in said
    assert holding(harness.home.parent, WORDS) == []


def test_a_session_known_to_be_incognito_stays_so_while_the_store_does_not_answer(
    tmp_path: Path,
) -> None:
    harness = Harness(tmp_path)
    harness.hook("SessionStart", source="startup")
    quiet(harness, "one")
    harness.hook("UserPromptSubmit", prompt=f"Look for the {WORDS}")
    harness.stop()
    harness.environment["RECOLLECT_DB"] = str(tmp_path)  # a folder is no store

    harness.hook("UserPromptSubmit", prompt=f"Look again for the {WORDS}")
    harness.wait()

    assert holding(tmp_path, WORDS) == []


def test_memory_that_is_off_leaves_nothing(harness: Harness) -> None:
    with harness.memory() as memory:
        memory.chat.set(memory_enabled=False)
    harness.hook("SessionStart", source="startup")
    work(harness, "one")
    harness.hook("Stop", last_assistant_message=f"Found the {WORDS}.")
    harness.stop()

    assert holding(harness.home.parent, WORDS) == []


def test_the_spool_is_emptied_when_a_turn_was_kept(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt="Look for the lighthouse.")
    harness.tool("Edit", "c1", file_path=harness.path("a.py"))
    assert holding(harness.home, "lighthouse")
    harness.hook("Stop", last_assistant_message="It stands in a.py.")
    harness.hook("SessionStart", "two", source="startup")  # the session itself goes on
    harness.hook("Stop", "two", last_assistant_message="Nothing.")
    harness.stop()

    assert not (harness.home / "spool").exists()
    with harness.memory() as memory:
        assert "Look for the lighthouse." in [
            event.text for event in memory.read("claude-code one").items
        ]


def test_a_session_that_ended_leaves_no_words_beside_the_store(harness: Harness) -> None:
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt=f"Look for the {WORDS}")
    harness.hook("SessionEnd", reason="other")
    harness.stop()

    assert holding(harness.home, WORDS) == []


def test_the_key_of_a_forgetting_is_not_captured(harness: Harness) -> None:
    with harness.memory() as memory:
        entry = memory.chat.add(f"The {WORDS} are mine.").entry
        assert entry is not None
        code = memory.chat.forget(entry.id).undo or ""
    key = code.partition(".")[2]
    harness.hook("SessionStart", source="startup")
    harness.hook("UserPromptSubmit", prompt=f"undo {code}")
    told = f"To take it back within 15 minutes: recollect undo {code}"
    harness.tool("Bash", "c1", command="recollect say 'forget that'", response={"stdout": told})
    harness.hook("Stop", last_assistant_message=f"You can take it back: {code}")
    assert holding(harness.home.parent, key) == []
    harness.stop()

    assert holding(harness.home.parent, key) == []
    with harness.memory() as memory:
        assert memory.chat.undo(code) == "I remember it again."
