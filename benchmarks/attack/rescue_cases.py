"""Attacks: damaged files, files that cannot be written, locks, and questions for a decision."""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target
from recollect import wiring
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
            wiring.rescue(str(path), str(new), user="ada")
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
    expect(kept + len(lost) == 60 and lost and len(document["memories"]) == 60, (kept, len(lost)))
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
