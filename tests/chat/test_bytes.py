"""Forgetting and incognito, proven on the bytes of the file and of its journal."""

import hashlib
import logging
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.errors import MemoryOff

SECRET = "zanzibarian lighthouse keeper Ferdinand gathers vermilion umbrellas"
WORDS = [word for word in SECRET.lower().split() if len(word) > 6]


def opened(folder: Path) -> Recollect:
    return recollect.open(folder / "memory.db", worker=False, user="ada", embedder="static")


def held(folder: Path) -> list[str]:
    """Which files hold any telling word of the secret, or its stem."""
    found = []
    for path in sorted(folder.iterdir()):
        kept = path.read_bytes().lower()
        found += [f"{path.name}: {word}" for word in WORDS if word[:7].encode() in kept]
    return found


def fingerprint(folder: Path) -> dict[str, str]:
    """The file and its journal, byte by byte; the file of locks holds no content."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if not path.name.endswith("-shm")
    }


def test_forgotten_text_is_nowhere_in_the_file_its_journal_or_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with opened(tmp_path) as memory:
        for number in range(60):
            memory.chat.add(f"Note {number}: the parcel of street {number} came on day {number}.")
        said = memory.record(SECRET, stream="talk")
        entry = memory.chat.add(SECRET, events=[said.id], manually_saved=True).entry
        assert entry is not None
        memory.update(entry.id, summary=f"In short: {SECRET}")
        memory.work(600)
        assert held(tmp_path)

        gone = memory.chat.forget(entry.id)

        assert gone.traces == ""
        assert held(tmp_path) == []
        assert gone.undo is not None
        key = gone.undo.partition(".")[2].encode()
        assert not any(key in path.read_bytes() for path in tmp_path.iterdir())
        found = memory.recall("Ferdinand umbrellas", explicit=False)  # a question is logged
        assert not any("Ferdinand" in one.text for one in found)
        assert len(memory.chat.entries(limit=100).items) == 60
    assert held(tmp_path) == []
    assert not any(word in caplog.text.lower() for word in WORDS)


def test_spoken_forgetting_is_as_thorough(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.chat.say(f"remember that {SECRET}", session="s")
        memory.chat.say("forget that", session="s")
        assert held(tmp_path) == []


def test_incognito_session_changes_no_byte_of_the_file(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.chat.add("I live in Lyon.")
        memory.chat.incognito("quiet", True)
        before = fingerprint(tmp_path)

        memory.chat.add(SECRET, session="quiet")
        memory.chat.say(f"remember that {SECRET}", session="quiet")
        memory.chat.say("what do you remember about Lyon?", session="quiet")
        memory.recall("umbrellas", session="quiet")
        with pytest.raises(MemoryOff):
            memory.record(SECRET, stream="quiet")
        with pytest.raises(MemoryOff):
            memory.remember(SECRET, session="quiet")

        assert fingerprint(tmp_path) == before
        assert held(tmp_path) == []
