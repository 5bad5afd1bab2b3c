"""Stats, doctor, rebuild, worker, jobs, settings, spaces: reports a person can act on."""

import sqlite3
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

import recollect
from recollect.pages import prepared
from recollect.surfaces.cli.commands import worker
from tests.surfaces.cli.runner import InProcess


def test_stats_is_a_report(cli: InProcess) -> None:
    cli.remember("one", "--type", "gotcha")
    cli.remember("two", "--type", "gotcha")
    cli.remember("three", "--type", "decision")
    cli.json("record", "hello")
    lines = cli("stats").out.splitlines()
    assert lines[0] == "The space default holds 3 memories and 1 event in 1 stream."
    assert [line.split() for line in lines[1:3]] == [["2", "gotcha"], ["1", "decision"]]
    assert lines[3].startswith(f"The store is {cli.db} (")
    assert lines[4].startswith("Search goes by words and by meaning: 3 vectors of static/")
    assert lines[5].startswith("In the queue: 3 jobs waiting")
    assert cli.json("stats")["memories"] == {"gotcha": 2, "decision": 1}


def test_stats_without_vectors(cli: InProcess) -> None:
    assert "by words alone" in cli("stats", "--embedder", "none").out


def test_spaces(cli: InProcess) -> None:
    cli.remember("The crane is yellow.", "--space", "work")
    rows = [line.split("\t")[:3] for line in cli("spaces", "--space", "work").out.splitlines()]
    assert rows == [["", "default", "project"], ["*", "work", "project"]]
    document = cli.json("spaces")
    assert document["current"] == "default"
    assert [space["name"] for space in document["spaces"]] == ["default", "work"]


def test_worker_does_what_waits(cli: InProcess) -> None:
    cli.remember("one")
    ran = cli("worker", "--once")
    first, last = ran.out.splitlines()
    assert "1 job done in" in first
    assert "0 waiting" in first
    assert last == "Did 1 job; 0 jobs waiting."
    assert cli.json("worker", "--once")["done"] == 0


def test_worker_stops_after_its_time(cli: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the time is twenty seconds after the one before, however long a look takes."""
    cli.remember("one")
    looks = count(step=20)
    monkeypatch.setattr(worker, "_TURN", 60.0)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: next(looks)))
    assert cli.json("worker", "--seconds", "60")["done"] == 1
    assert next(looks) > 60


def test_what_a_newer_version_brought_back_is_told_once_and_then_by_the_doctor(
    cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, recollect.open(cli.db, worker=False) as memory:
        patched.setattr(prepared, "origin_of", lambda payload: payload.get("origin"))
        memory.record("Please always use pnpm", payload={"origin": "user"})
    with sqlite3.connect(cli.db) as store:
        store.execute("INSERT INTO store_facts VALUES ('misread_origins', 'pending')")
    store.close()
    sentence = "1 of 1 events that had been taken for outside text by mistake"

    assert sentence in cli("recall", "pnpm").err
    assert sentence not in cli("recall", "pnpm").err

    (line,) = [line for line in cli("doctor").out.splitlines() if "trust" in line]
    assert sentence in line


def test_doctor_finds_all_well(cli: InProcess) -> None:
    cli.remember("one")
    ran = cli("doctor")
    assert ran.code == 0
    states = [line.split()[:2] for line in ran.out.splitlines()[:-1]]
    names = ("store", "integrity", "index", "embedder", "vectors", "queue", "figures")
    assert states == [["ok", name] for name in names]
    assert ran.out.endswith("All is well.\n")


def test_doctor_makes_no_file(no_file_yet: InProcess) -> None:
    ran = no_file_yet("doctor")
    assert ran.code == 0
    assert "There is no file at" in ran.out
    assert ran.out.endswith("There is nothing to check yet.\n")
    assert not no_file_yet.db.exists()


def test_doctor_mends_the_index(cli: InProcess) -> None:
    identifier = cli.remember("The harbour closes at nine.")
    with sqlite3.connect(cli.db) as connection:
        connection.execute("DELETE FROM memories_keywords")
    connection.close()
    ran = cli("doctor")
    assert ran.code == 1
    assert "problem index     The index disagrees with the rows: memories of default." in ran.out
    assert "Run 'recollect doctor --repair'." in ran.out
    assert ran.out.endswith("1 problem to look at.\n")
    ran = cli("doctor", "--repair")
    assert ran.code == 0
    assert "Made the index anew from 1 text." in ran.out
    found = cli.json("recall", "harbour", "--embedder", "none")["found"]
    assert [item["id"] for item in found] == [identifier]


def test_doctor_and_an_embedder_that_is_away(
    cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.remember("one")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RECOLLECT_EMBEDDER_TIMEOUT", "0.2")
    ran = cli("doctor", "--embedder", "openai", "--json")
    assert ran.code == 1
    states = {check["name"]: check["state"] for check in ran.document["checks"]}
    assert states == {
        "store": "ok",
        "integrity": "ok",
        "index": "ok",
        "embedder": "problem",
        "vectors": "note",
        "queue": "ok",
        "figures": "ok",
    }


@pytest.mark.parametrize("embedder", ["openai", "nonsense"])
def test_doctor_and_an_embedder_that_cannot_be_set_up(cli: InProcess, embedder: str) -> None:
    cli.remember("one")
    ran = cli("doctor", "--embedder", embedder, "--json")
    assert ran.code == 1
    checks = {check["name"]: check for check in ran.document["checks"]}
    assert checks["embedder"]["state"] == "problem"
    assert checks["embedder"]["advice"]
    assert checks["index"]["state"] == "ok"


@pytest.fixture
def dead_job(cli: InProcess) -> str:
    """The id of a job that was given up."""
    cli.remember("one")
    with sqlite3.connect(cli.db) as connection:
        connection.execute("UPDATE jobs SET state = 'dead', attempts = 5, last_error = 'Oh: dear.'")
        identifier = connection.execute("SELECT job_id FROM jobs").fetchone()[0]
    connection.close()
    return str(identifier)


def test_jobs_that_were_given_up(cli: InProcess, dead_job: str) -> None:
    row = cli("jobs").out.rstrip("\n").split("\t")
    assert (row[0], row[1], row[2], row[4]) == (dead_job, "memory.levels", "5 tries", "Oh: dear.")
    assert [job["id"] for job in cli.json("jobs")["dead"]] == [dead_job]
    assert cli("doctor").code == 1
    assert "1 job put back in the queue" in cli("jobs", "retry", dead_job).out
    assert cli.json("jobs")["dead"] == []
    assert cli.json("worker", "--once")["done"] == 1


def test_doctor_tries_dead_jobs_again(cli: InProcess, dead_job: str) -> None:
    ran = cli("doctor", "--repair", "--json")
    assert ran.code == 0
    assert ran.document["repairs"] == ["Put 1 failed job back in the queue.", "Did 1 waiting job."]


def test_no_dead_jobs(cli: InProcess) -> None:
    ran = cli("jobs")
    assert (ran.code, ran.out) == (0, "")
    assert "No job of this space has failed. Nothing is waiting in the queue." in ran.err
    assert cli("jobs", "retry").out == "No job was given up.\n"
    assert cli("jobs", "retry", "job_x", "--json").error["code"] == "job_not_found"


def test_rebuild(cli: InProcess) -> None:
    cli.remember("one")
    assert cli("rebuild").out == "The index was made anew from 1 text.\n"


def test_settings_say_where_they_come_from(cli: InProcess, home: Path) -> None:
    assert cli("settings", "set", "space", "work").out == "space is now 'work'.\n"
    assert (home / "config" / "recollect" / "settings.toml").read_text() == 'space = "work"\n'
    rows = {row.split("\t")[0]: row.split("\t")[1:3] for row in cli("settings").out.splitlines()}
    assert rows["db"] == [str(cli.db), "call"]
    assert rows["user"] == ["ada", "environment"]
    assert rows["space"] == ["work", "file"]
    assert rows["worker"] == ["on", "default"]
    cli.remember("The crane is yellow.")  # what is kept makes the space
    assert cli.json("spaces")["current"] == "work"
    assert cli("settings", "unset", "space").out == "space is back to its default, 'default'.\n"
    assert cli.json("spaces")["current"] == "default"


def test_a_file_is_kept_by_its_whole_name(
    cli: InProcess, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    cli.json("settings", "set", "db", "mine.db")
    kept = (home / "config" / "recollect" / "settings.toml").read_text()
    assert kept == f'db = "{home / "mine.db"}"\n'


def test_a_key_is_not_shown(cli: InProcess) -> None:
    shown = cli("settings", "set", "embedder_key", "sk-secret").out + cli("settings").out
    shown += cli("settings", "--json").out
    assert "sk-secret" not in shown
    assert "••••••" in shown


def test_what_the_environment_says_wins(cli: InProcess) -> None:
    ran = cli("settings", "set", "user", "grace")
    assert "RECOLLECT_USER is set in the environment and wins" in ran.err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nonsense", "x"),
        ("worker", "maybe"),
        ("embedder", "word2vec"),
        ("embedder_dims", "many"),
        ("embedder_timeout", "0"),
        ("space", "\udcff"),
    ],
)
def test_bad_settings_are_not_kept(cli: InProcess, home: Path, name: str, value: str) -> None:
    ran = cli("settings", "set", name, value, "--json")
    assert ran.code == 1
    assert ran.error["code"] in {"invalid_setting", "invalid_text"}
    assert not (home / "config" / "recollect" / "settings.toml").exists()


def test_unset_what_was_never_set(cli: InProcess, home: Path) -> None:
    assert cli("settings", "unset", "space").code == 0
    assert not (home / "config" / "recollect" / "settings.toml").exists()


def test_broken_settings_file(cli: InProcess, home: Path) -> None:
    file = home / "config" / "recollect" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text("space = [")
    ran = cli("list")
    assert ran.code == 1
    assert "cannot be read" in ran.err
    assert "Fix it, or move it away." in ran.err
