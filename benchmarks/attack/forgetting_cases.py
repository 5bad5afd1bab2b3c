"""Attacks: whoever has the files looks for what was forgotten, or was never to be kept."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target
from recollect.engine import Recollect
from recollect.storage.database import Database
from recollect.storage.schema import COLLECTIONS, metadata
from recollect.surfaces.hooks.installer import command
from recollect.vocabulary.errors import RecollectError

WORDS = "The zanzibarian lighthouse keeper Ferdinand gathers vermilion umbrellas."
STEMS = ("zanzibar", "lighthous", "ferdinand", "vermilion", "umbrella")
TOKEN = "ghp_" + "a8Kd93mZqL0wXv7RtYb2Nc5HsJf6Gp1Ee4Uo"


def found_in_files(target: Target, *needles: str) -> list[str]:
    """Where a needle lies: in any file below the folder, and in any row of a server."""
    wanted = needles or STEMS
    found = [
        f"{path.name}: {needle}"
        for path in sorted(target.folder.rglob("*"))
        if path.is_file()
        for needle in wanted
        if needle.lower().encode() in path.read_bytes().lower()
    ]
    if target.store == "postgres":
        found += [
            f"{table}: {needle}"
            for table, text in _rows(target.address)
            for needle in wanted
            if needle.lower() in text.lower()
        ]
    return found


def _rows(address: str) -> list[tuple[str, str]]:
    database = Database(address)
    names = [*metadata.tables, *(f"{collection}_keywords" for collection in COLLECTIONS)]
    try:
        with database.reading(all_spaces=True) as connection:
            return [(name, text) for name in names for text in _texts(connection, name)]
    finally:
        database.close()


def _texts(connection: Connection, table: str) -> Iterator[str]:
    for row in connection.exec_driver_sql(f"SELECT * FROM {table}"):
        yield " ".join(str(value) for value in row)


def _fill(memory: Recollect) -> None:
    for number in range(60):
        memory.remember(f"Note {number}: parcel {number} of street {number} came on day {number}.")


@attack(9, "words of a memory forgotten for good, while open, after closing, after reopening")
def forgotten_for_good(target: Target) -> None:
    with target.open() as memory:
        _fill(memory)
        kept = memory.remember(WORDS, tags=["umbrellas"], summary=f"In short: {WORDS}")
        memory.update(kept.id, content=f"{WORDS} He says so.")
        memory.forget(kept.id, for_good=True)
        expect(not (seen := found_in_files(target)), f"open: {seen}")
    expect(not (seen := found_in_files(target)), f"closed: {seen}")
    with target.open() as memory:
        _fill(memory)
    expect(not (seen := found_in_files(target)), f"reopened: {seen}")


@attack(9, "words of a deleted event, of its payload and of what it said before its edits")
def deleted_event(target: Target) -> None:
    with target.open() as memory:
        _fill(memory)
        said = memory.record(WORDS, stream="talk", payload={"more": "Umbrellas!"})
        memory.edit_event(said.id, f"{WORDS} (edited)")
        memory.delete_event(said.id)
    expect(not (seen := found_in_files(target)), seen)


@attack(9, "a forgetting that says it left no traces, with the words in the log of questions")
def question_log(target: Target) -> None:
    with target.open() as memory:
        _fill(memory)
        said = memory.record(WORDS, stream="talk")
        entry = memory.chat.add(WORDS, events=[said.id]).entry
        assert entry is not None
        asked = memory.recall("who gathers umbrellas?")
        memory.recall("is Ferdinand well?")
        memory.feedback(asked.id or "", "helpful", note="It is Ferdinand.")
        gone = memory.chat.forget(entry.id)
        expect(target.store == "postgres" or gone.traces == "", gone.traces)
    expect(not (seen := found_in_files(target)), seen)


@attack(9, "a process killed between the forgetting and the cleaning of the files", stores=SQLITE)
def killed_in_between(target: Target) -> None:
    code = (
        "import os, recollect\n"
        "from recollect.storage.database import Database\n"
        "Database.scrub = lambda *a, **k: os._exit(9)\n"
        f"memory = recollect.open({target.address!r}, worker=False, user='ada')\n"
        "[memory.remember(f'Note {n} of street {n}.') for n in range(50)]\n"
        f"memory.forget(memory.remember({WORDS!r}).id, for_good=True)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False, env=target.environment)
    target.open(clock=lambda: datetime.now(UTC) + timedelta(hours=1)).close()
    expect(not (seen := found_in_files(target)), seen)


@attack(9, "the sealed text, read from the store after the time to take it back")
def seal_outlives(target: Target) -> None:
    ahead = timedelta()
    with target.open(clock=lambda: datetime.now(UTC) + ahead) as memory:
        entry = memory.chat.add(WORDS).entry
        assert entry is not None
        code = memory.chat.forget(entry.id).undo or ""
        ahead = timedelta(minutes=15, seconds=1)
        try:
            memory.chat.undo(code)
        except RecollectError:
            pass
        else:
            expect(False, "it was taken back after its time")
        memory.remember("Any next write.")
    rows = [text for table, text in _rows(target.address) if table == "tombstones"]
    expect(not any("sealed" in text for text in rows), rows)


@attack(9, "what was taken back comes back as something else")
def undone_as_another(target: Target) -> None:
    with target.open() as memory:
        entry = memory.chat.add("Emma plays the cello.", tags=["music"]).entry
        assert entry is not None
        memory.chat.pin(entry.id)
        before, history = memory.get(entry.id), memory.history(entry.id)
        memory.chat.undo(memory.chat.forget(entry.id).undo or "")
        expect(memory.get(entry.id) == before, "another memory")
        expect(memory.history(entry.id) == history, "another history")


@contextmanager
def agent_of(target: Target) -> Iterator[Any]:
    """Hook processes on the target; the daemon that they start is stopped by its id."""
    home = target.folder / "agent"
    environment = {
        **target.environment,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "RECOLLECT_DB": target.address,
        "RECOLLECT_USER": "ada",
        "RECOLLECT_AGENT_PATIENCE": "20",
        "RECOLLECT_SPACE": "default",
    }

    def hook(event: str, **data: Any) -> None:
        told = {"session_id": "one", "cwd": str(target.folder), "hook_event_name": event, **data}
        subprocess.run(
            command(home, "claude-code", event), input=json.dumps(told).encode(), check=True,
            env=environment, capture_output=True, timeout=120,
        )  # fmt: skip

    try:
        yield hook
    finally:
        _stop(home)


def _stop(home: Path) -> None:
    try:
        pid = int((home / "daemon.pid").read_text())
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):
        return
    for _ in range(400):
        if not (home / "daemon.pid").exists():
            return
        time.sleep(0.05)


@attack(9, "words of an incognito session in the hooks' spool, checkpoints and log")
def incognito_spool(target: Target) -> None:
    with agent_of(target) as hook:
        hook("SessionStart", source="startup")
        with target.open() as memory:
            memory.chat.incognito("one", True)
        hook("UserPromptSubmit", prompt=WORDS)
        hook("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_response=WORDS)
        expect(not (seen := found_in_files(target)), f"daemon: {seen}")
        _stop(target.folder / "agent")
        hook("PreToolUse", tool_name="Bash", tool_input={"command": WORDS})
        expect(not (seen := found_in_files(target)), f"no daemon: {seen}")
        hook("SessionEnd")
    expect(not (seen := found_in_files(target)), f"after: {seen}")


@attack(9, "a raw secret in the hooks' spool, with and without a daemon")
def secret_in_spool(target: Target) -> None:
    with agent_of(target) as hook:
        hook("SessionStart", source="startup")
        hook("UserPromptSubmit", prompt=f"Use {TOKEN} to push.")
        expect(not (seen := found_in_files(target, TOKEN)), f"daemon: {seen}")
        _stop(target.folder / "agent")
        hook("PreToolUse", tool_name="Bash", tool_input={"command": f"echo {TOKEN}"})
        expect(not (seen := found_in_files(target, TOKEN)), f"no daemon: {seen}")
    expect(not (seen := found_in_files(target, TOKEN)), f"after: {seen}")


def _strayed(target: Target, key: str) -> list[str]:
    """Where a key lies but in the file that 'recollect undo' reads, which is its owner's alone."""
    kept = target.folder / "recollect" / "recent-actions.json"
    if kept.exists():
        expect(kept.stat().st_mode & 0o077 == 0, f"others may read {kept.name}")
    return [one for one in found_in_files(target, key) if not one.startswith(kept.name)]


@attack(9, "the key of a forgetting, captured from what 'recollect say' printed")
def captured_key(target: Target) -> None:
    target.command("--user", "ada", "say", "remember that my cello is called Rex")
    said = target.command("--user", "ada", "--json", "say", "--yes", "forget about the cello")
    code = json.loads(said.stdout)["undo"]
    key = code.partition(".")[2]
    with agent_of(target) as hook:
        hook("SessionStart", source="startup")
        hook("PostToolUse", tool_name="Bash", tool_input={"command": "recollect say"},
             tool_response={"stdout": f"recollect undo {code}"})  # fmt: skip
        hook("Stop", last_assistant_message=f"Take it back with {code}")
        expect(not (seen := _strayed(target, key)), f"spool: {seen}")
    with target.open() as memory:
        memory.record(said.stdout + said.stderr, stream="notes")
    expect(not (seen := _strayed(target, key)), seen)
