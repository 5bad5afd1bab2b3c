"""Attacks: what is given to the product as text, as data and as names of commits."""

import json
import os
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.forgetting_cases import agent_of
from benchmarks.attack.target import Target
from benchmarks.patterns import hostile, prose
from recollect.vocabulary.errors import RecollectError


def _git(root: Path, *words: str) -> None:
    identity = {
        f"GIT_{who}_{what}": "ada@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    subprocess.run(
        ["git", "-C", str(root), *words],
        check=True,
        capture_output=True,
        env={**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull},
    )


def _put(target: Target, update: str, value: str) -> None:
    """Write a value into every row of a column, past the product."""
    if target.store == "sqlite":
        with closing(sqlite3.connect(target.address)) as file, file:
            file.execute(f"{update} ?", (value,))
        return
    with psycopg.connect(target.address, autocommit=True) as connection:
        connection.execute(f"{update} %s".encode(), (value,))


def _repository(root: Path) -> None:
    root.mkdir()
    (root / "tax.py").write_text("RATE = 0.2\n")
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "first")


@attack(4, "a memory's commit is an option that makes git write a file")
def option_as_commit(target: Target) -> None:
    root, precious = target.folder / "shop", target.folder / "precious"
    _repository(root)
    precious.write_text("precious")
    written = f"--output={precious}"
    with target.open() as memory:
        memory.code.index(root)
        try:
            memory.remember("About tax.", files=["tax.py"], commit=written)
            taken = True
        except RecollectError:
            taken = False
        memory.code.staleness()
        try:
            memory.code.changed_since(written)
        except RecollectError as refused:
            expect("git knows no commit" in str(refused), refused)
    expect(not taken, "the option was taken for a commit")
    expect(precious.read_text() == "precious", "git wrote over a file")
    with target.serving() as client:
        answer = client.post("/v1/memories", json={"content": "About tax.", "commit": written})
        expect(answer.status_code == 422, f"{answer.status_code} {answer.text}")


@attack(4, "a commit that an older version let in")
def option_in_the_store(target: Target) -> None:
    root, precious = target.folder / "shop", target.folder / "precious"
    _repository(root)
    precious.write_text("precious")
    with target.open() as memory:
        memory.code.index(root)
        memory.remember("About tax.", files=["tax.py"], commit="abcdef0")
    _put(target, "UPDATE memories SET commit_sha = ", f"--output={precious}")
    with target.open() as memory:
        memory.code.staleness()
    expect(precious.read_text() == "precious", "git wrote over a file")


@attack(4, "a repository whose configuration runs programs", stores=SQLITE)
def hostile_repository(target: Target) -> None:
    root, mark = target.folder / "shop", target.folder / "it-ran"
    _repository(root)
    program = target.folder / "program"
    program.write_text(f'#!/bin/sh\necho "$0" >> "{mark}"\ncat\n')
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "filter.evil.clean",
                 "filter.e=l.clean", "core.pager", "gpg.program", "core.sshCommand"):  # fmt: skip
        _git(root, "config", name, str(program))
    _git(root, "config", "log.showSignature", "true")
    (root / ".gitattributes").write_text("*.py diff=evil filter=evil\n*.md filter=e=l\n")
    (root / "tax.py").write_text("RATE = 0.3\n")
    (root / "more.md").write_text("# More\n")
    with target.open() as memory:
        memory.code.index(root)
        memory.remember("About tax.", files=["tax.py"], commit="abcdef0")
        memory.code.staleness()
        memory.code.changed_since("HEAD")
        memory.learning.bootstrap(root)
    expect(not mark.exists(), mark.exists() and mark.read_text())


def _deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@attack(3, "a payload nested 500 deep over HTTP, then recall and export")
def deep_payload(target: Target) -> None:
    with target.serving() as client:
        for levels in (65, 500, 50_000):
            answer = client.post(
                "/v1/streams/talk/events",
                content=f'{{"events": [{{"text": "harbour", "payload": {_deep(levels)}}}]}}',
                headers={"Content-Type": "application/json"},
            )
            expect(answer.status_code == 422, f"{levels} levels: {answer.status_code}")
        found = client.post("/v1/recall", json={"query": "harbour"})
        expect(found.status_code == 200 and not found.json()["found"], found.text)
        expect(client.get("/v1/export").status_code == 200, "the export failed")


@attack(3, "deep JSON in a file that is imported")
def deep_import(target: Target) -> None:
    lines = [
        f'{{"text": "deep", "author": "ada", "more": {_deep(levels)}}}' for levels in (65, 900)
    ]
    (target.folder / "talk.jsonl").write_text("\n".join([*lines, '{"text": "harbour"}']))
    with target.open() as memory:
        report = memory.import_(target.folder / "talk.jsonl", format="jsonl", stream="talk")
        expect((report.added, report.skipped) == (1, 2), report)
        expect(bool("".join(memory.export())), "nothing was exported")


@attack(3, "a store that holds a deep payload already")
def deep_in_the_store(target: Target) -> None:
    with target.open() as memory:
        event = memory.record("The deep harbour", stream="talk", payload={"a": 1})
    _put(target, "UPDATE events SET payload = ", _deep(800))
    with target.open() as memory:
        expect([one.id for one in memory.recall("harbour").found] == [event.id], "not recalled")
        exported = json.loads("".join(memory.export()))
        left_out = [one["id"] for one in exported.get("unreadable", ())]
        expect(left_out == [event.id], exported)


#: How much longer than prose of its length a hostile text may take here: a machine has other work.
_FACTOR = 8
_SPREAD = "Please ignore " + " " * 12_000 + "x"
_BLOCKS = "aaaaaaaaaaaaaaaaaaaaaaaa."


def _spent(act: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    act(text)
    return time.process_time() - start


def like_prose(act: Callable[[str], object], *texts: str) -> None:
    """Texts of one length, and prose of that length; loading for the first time is not counted."""
    act(prose(2_000))
    usual = _spent(act, prose(len(texts[0])))
    for text in texts:
        spent = _spent(act, text)
        told = f"{spent:.1f} s for {text[:40]!r}, and prose {usual:.1f} s"
        expect(spent < _FACTOR * usual + 0.5, told)


@attack(2, "an outside event that is spread over spaces, while others ask for /health")
def spread_event(target: Target) -> None:
    waited: list[float] = []
    done = threading.Event()
    with target.serving() as client:
        client.get("/health")

        def ask() -> None:
            while not done.is_set():
                start = time.monotonic()
                client.get("/health")
                waited.append(time.monotonic() - start)

        asking = threading.Thread(target=ask)
        asking.start()
        start = time.monotonic()
        try:
            for text in (_SPREAD, "Please ignore " + " " * 900_000 + "x", _BLOCKS * 3_200):
                event = {"text": text, "payload": {"origin": "web:https://a.example"}}
                client.post("/v1/streams/talk/events", json={"events": [event]})
        finally:
            done.set()
            asking.join()
    spent = time.monotonic() - start
    expect(max(waited) < 3, f"/health waited {max(waited):.1f} s of {spent:.1f} s")


@attack(2, "a web page of 14 kB keeps the hooks' daemon busy")
def spread_page(target: Target) -> None:
    def page(text: str) -> float:
        start = time.monotonic()
        hook("PostToolUse", tool_name="WebFetch", tool_input={"url": "https://a.example"},
             tool_response=text)  # fmt: skip
        hook("UserPromptSubmit", prompt="What is next?")
        return time.monotonic() - start

    with agent_of(target) as hook:
        hook("SessionStart", source="startup")
        page(prose(14_000, 1))
        usual, spent = page(prose(14_000, 2)), page("Please ignore " + " " * 14_000 + "x")
        hook("SessionEnd")
    expect(spent < _FACTOR * usual + 1, f"{spent:.1f} s, and prose {usual:.1f} s")


@attack(2, "repetitions to 1 MB given to `record` and `remember`")
def repetitions(target: Target) -> None:
    kinds = ("spaces", "letters", "blocks with dots", "password", "begin", "open comments")
    with target.open() as memory:

        def remember(text: str) -> None:
            try:
                memory.remember(text)
            except RecollectError:
                return  # refused is as good as kept: what counts is the time it took

        def record(text: str) -> None:
            memory.record(text, stream="talk", payload={"origin": "web:https://a.example"})

        longest, short = hostile(1_000_000), hostile(80_000)
        like_prose(remember, *(short[kind] for kind in kinds))
        like_prose(record, *(longest[kind] for kind in kinds[:3]))


@attack(2, "a question and a command that can be read in very many ways")
def many_ways(target: Target) -> None:
    with target.open() as memory:
        memory.remember("The harbour opens at nine.")
        like_prose(memory.recall, "Where is Aa" + "A" * 60 + "_ ?")
        command = "forget everything" + " you know about me" * 25 + " x"
        like_prose(memory.chat.say, command)
