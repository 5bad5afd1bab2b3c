"""Attacks: damaged files, files that cannot be written, locks, and questions for a decision."""

import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target
from recollect import composition
from recollect.vocabulary.errors import StoreDamaged

_PAGE = 4_096


def _filled(target: Target, count: int = 60) -> Path:
    """A store with some memories and events, closed."""
    with target.open(embedder=None) as memory:
        for number in range(count):
            memory.remember(f"memory {number} of the harbour " + "x" * 700, tags=[f"t{number}"])
            memory.record(f"event {number} " + "y" * 300, stream="talk")
    return Path(target.address)


def _root(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(query, (name,)).fetchone()[0])


def _write(path: Path, place: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(data)


@attack(14, "the root page of the memories is wiped: the doctor saves them", stores=SQLITE)
def wiped_root(target: Target) -> None:
    path = _filled(target)
    _write(path, (_root(path, "memories") - 1) * _PAGE, bytes(_PAGE))
    before = path.read_bytes()
    told = target.command("doctor")
    expect(told.returncode == 1 and "--rescue" in told.stdout, told.stdout + told.stderr)
    expect("Run 'recollect doctor'" not in told.stdout, told.stdout)
    ran = target.command("--json", "doctor", "--rescue", str(target.folder / "new.db"))
    expect(ran.returncode == 0 and path.read_bytes() == before, ran.stdout + ran.stderr)
    new = Target(target.store, str(target.folder / "new.db"), target.folder)
    listed = new.command("--user", "ada", "--json", "list", "-n", "100")
    expect(len(json.loads(listed.stdout)["items"]) == 60, listed.stdout)


@attack(14, "pages, heads and pointers at random: every rescue is sound", stores=SQLITE)
def random_damage(target: Target) -> None:
    sound = _filled(target, 30)
    with closing(sqlite3.connect(sound)) as connection:
        original = set(connection.execute("SELECT * FROM memories"))
    for seed in range(4):
        chance = random.Random(seed)
        path = Path(shutil.copy(sound, target.folder / f"damaged{seed}.db"))
        for _ in range(12):
            place = chance.randrange(path.stat().st_size // _PAGE) * _PAGE
            data = bytes(_PAGE) if chance.random() < 0.5 else chance.randbytes(_PAGE)
            _write(path, place, data)
        before, new = path.read_bytes(), target.folder / f"new{seed}.db"
        try:
            composition.rescue(str(path), str(new), user="ada")
        except StoreDamaged:
            expect(not new.exists(), "a store was left behind")
            continue
        with closing(sqlite3.connect(new)) as connection:
            kept = set(connection.execute("SELECT * FROM memories"))
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        expect(kept <= original and not broken, (seed, len(kept - original), broken))
        expect(path.read_bytes() == before, "the damaged file was changed")


@attack(14, "a page of events is wiped: the export goes on and says so", stores=SQLITE)
def export_past_damage(target: Target) -> None:
    path = _filled(target)
    data = path.read_bytes()
    root = data[(_root(path, "events") - 1) * _PAGE :][:_PAGE]
    cell = int.from_bytes(root[12:14], "big")
    leaf = int.from_bytes(root[cell : cell + 4], "big")
    _write(path, (leaf - 1) * _PAGE, bytes(_PAGE))
    ran = target.command("--user", "ada", "export")
    expect(ran.returncode == 3, (ran.returncode, ran.stderr))
    document = json.loads(ran.stdout)
    kept = sum(len(one["events"]) for one in document["streams"])
    lost = [one for one in document["unreadable"] if one["kind"] == "event"]
    whole = kept + len(lost) == 60 and len(document["memories"]) == 60
    expect(whole and bool(lost), (kept, len(lost)))
    expect(lost[0]["id"] in ran.stderr, ran.stderr)


_POWERLESS = """
import ctypes, os, sys
for power in (1, 2):
    ctypes.CDLL(None).prctl(24, power, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "recollect", *sys.argv[1:]])
"""


@attack(14, "the folder and the file cannot be written: reading works", stores=SQLITE)
def read_only(target: Target) -> None:
    shelf = target.folder / "shelf"
    shelf.mkdir()
    path = Path(shutil.move(_filled(target, 3), shelf / "memory.db"))
    path.chmod(0o444)
    shelf.chmod(0o555)
    try:
        for arguments, code in (
            (["list"], 0),
            (["recall", "harbour"], 0),
            (["export"], 0),
            (["doctor"], 0),
            (["remember", "never"], 1),
        ):
            ran = subprocess.run(
                [sys.executable, "-c", _POWERLESS, "--db", str(path), "--user", "ada", *arguments],
                capture_output=True, check=False, text=True, env=target.environment,
                cwd=target.folder,
            )  # fmt: skip
            expect(ran.returncode == code, (arguments, ran.stdout[-200:], ran.stderr))
        expect("read-only" in ran.stderr, ran.stderr)
    finally:
        shelf.chmod(0o755)


@contextmanager
def _held(path: str) -> Iterator[None]:
    """The write lock of a file in the hands of another process."""
    program = (
        "import sqlite3, sys\n"
        f"c = sqlite3.connect({path!r}, isolation_level=None)\n"
        "c.execute('BEGIN IMMEDIATE')\n"
        "print('held', flush=True)\n"
        "sys.stdin.readline()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        yield
    finally:
        holder.stdin.close()
        holder.wait(30)
        holder.stdout.close()


@attack(15, "another process holds the file for good: a word, then an end", stores=SQLITE)
def locked(target: Target) -> None:
    target.open().close()
    with _held(target.address):
        began = time.monotonic()
        ran = target.command("--user", "ada", "remember", "never")
        took = time.monotonic() - began
        expect(ran.returncode == 1 and took < 60, (ran.returncode, took))
        expect("Waiting for another process (pid" in ran.stderr, ran.stderr)
        expect("Nothing of this call was written" in ran.stderr, ran.stderr)
        expect(target.command("--user", "ada", "list").returncode == 0, "reading waits")


@attack(15, "another process holds the file: the server says 503 and goes on", stores=SQLITE)
def locked_server(target: Target) -> None:
    target.open().close()
    kept = {**target.environment, "RECOLLECT_BUSY_SECONDS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "--db", target.address, "--user", "ada", "--json",
         "serve", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=kept, cwd=target.folder, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        with httpx2.Client(base_url=url, timeout=60) as client, _held(target.address):
            answer = client.post("/v1/memories", json={"content": "never"})
            expect(answer.status_code == 503, (answer.status_code, answer.text))
            expect("retry-after" in answer.headers, dict(answer.headers))
            expect(client.get("/v1/memories").status_code == 200, "reading waits")
    finally:
        process.terminate()
        process.wait(30)
        assert process.stdout is not None
        process.stdout.close()


@attack(15, "Ctrl-C while the program loads: 130 and no trace", stores=SQLITE)
def interrupted(target: Target) -> None:
    site = target.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import os, sys, time\n"
        "class Stays:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == os.environ.get('STAY_AT'):\n"
        "            sys.meta_path.remove(self)\n"
        "            print('here', flush=True)\n"
        "            for _ in range(1200): time.sleep(0.05)\n"
        "sys.meta_path.insert(0, Stays())\n"
    )
    for module in ("recollect.surfaces.cli.main", "typer.main", "sqlalchemy.engine", "numpy"):
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "--db", target.address, "list"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=target.folder,
            env={**target.environment, "PYTHONPATH": str(site), "STAY_AT": module},
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        expect(process.returncode == 130, (module, process.returncode, told))
        expect("Traceback" not in told, told)


@attack(18, "a reply that says the decision ranks with its question")
def decision_reply(target: Target) -> None:
    with target.open() as memory:
        for stream, turns in _TALKS.items():
            for text in turns:
                memory.record(text, stream=stream)
        for question, asked, beginning in (
            ("what did we decide about the job queue?", "Which job queue", "Decision: PostgreSQL"),
            ("what was the cause of the slow start?", "The slow start", "Root cause:"),
        ):
            found = [one.text for one in memory.recall(question, limit=20)]
            reply, own = (_place(found, beginning), _place(found, asked))
            expect(reply <= 6 and reply <= own + 1, (question, reply, own))


def _place(found: list[str], beginning: str) -> int:
    return next((n for n, one in enumerate(found, 1) if one.startswith(beginning)), 99)


_TALKS = {
    "jobs": [
        "Which job queue should we use?",
        "Redis is what I know.",
        "Somebody would have to run it.",
        "And the backups?",
        "Kafka is too much.",
        "Nobody here wants that.",
        "Decision: PostgreSQL with SKIP LOCKED.",
    ],
    "start": [
        "The slow start of the service worries me.",
        "Is it the network?",
        "Not that I can see.",
        "Root cause: it reads every file twice.",
    ],
    "chatter": [
        "We should decide about lunch, the queue is long.",
        "Good job, we decided to decide later about it.",
        "Another job, another queue, what did we decide about dessert?",
        "No cause to be slow, let us start.",
    ],
}
