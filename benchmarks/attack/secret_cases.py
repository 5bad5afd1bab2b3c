"""Attacks: secrets on disk. Each plants some by a door and looks for them in everything stored."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from benchmarks.attack.attacks import attack, expect
from benchmarks.attack.target import Target
from benchmarks.secret_set import cases, told
from recollect.vocabulary.errors import RecollectError, SecretRefused

TOKEN_PART = "".join(random.Random(20).choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJK23456789", k=36))
TOKEN = f"ghp_{TOKEN_PART}"
PASSWORD = "kq7" + "".join(random.Random(21).choices("abcdefghjkmnpqrstuvwxyz23456789", k=9))


def stored(target: Target) -> Iterator[tuple[str, str]]:
    """Everything in the store: the bytes of each file, and each row of each table."""
    if target.store == "sqlite":
        for file in sorted(target.folder.glob("memory.db*")):
            yield file.name, file.read_bytes().decode("latin-1")
    address = target.address
    engine = create_engine(
        f"sqlite:///{address}"
        if target.store == "sqlite"
        else address.replace("postgresql://", "postgresql+psycopg://", 1)
    )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in inspect(connection).get_table_names():
            with suppress(DBAPIError):  # one of the full text's own, which takes no such question
                for row in connection.execute(text(f'SELECT * FROM "{table}"')):
                    yield table, repr(tuple(row))
    engine.dispose()


def left(target: Target, *secrets: str) -> list[str]:
    """Where a secret can be read."""
    small = [secret.lower() for secret in secrets]
    seen, found = set(), set()
    for place, words in stored(target):
        seen.add(place)
        if any(one in words.lower() for one in small):
            found.add(place)
    expect("spaces" in seen, "nothing of the store could be read")
    return sorted(found)


def tried(verb: Callable[..., Any], *given: Any, **named: Any) -> None:
    with suppress(RecollectError):
        verb(*given, **named)


@attack(7, "80 kinds of secrets are taught")
def kinds_are_taught(target: Target) -> None:
    chance, kept = random.Random(22), []
    wanted = [*cases("secrets"), *cases("secrets_fresh")]
    with target.open(embedder=None) as memory:
        for case in wanted:
            words, _ = told(case, chance)
            with suppress(SecretRefused):
                memory.remember(words)
                kept.append(case.kind)
    expect(len(kept) <= 0.02 * len(wanted), f"{len(kept)} of {len(wanted)} were kept: {kept}")


@attack(7, "80 look-alikes are refused")
def look_alikes_are_refused(target: Target) -> None:
    chance, wrong = random.Random(23), []
    wanted = [*cases("look_alikes"), *cases("look_alikes_fresh")]
    with target.open(embedder=None) as memory:
        for case in wanted:
            try:
                memory.remember(told(case, chance)[0], source="user_taught")
            except SecretRefused:
                wrong.append(case.kind)
    expect(len(wrong) <= 0.01 * len(wanted), f"{len(wrong)} of {len(wanted)}: {wrong}")


@attack(7, "a secret in the task, the files and the commands of an agent's session")
def in_a_session(target: Target) -> None:
    env = f"DB_PASSWORD={PASSWORD}\nTOKEN={TOKEN}\nclass Settings: ...\n"
    file = {"file_path": str(target.folder / ".env")}
    with (
        target.open() as memory,
        memory.session(
            id="s1", task=f"deploy with {TOKEN}, password: {PASSWORD}", root=str(target.folder)
        ) as session,
    ):
        session.on_prompt(f"use the password {PASSWORD}, please")
        session.on_tool_call("Read", file, call="a")
        session.on_tool_result("Read", file, env, call="a")
        command = {"command": f"curl -u ada:{PASSWORD} https://h.example/?token={TOKEN}"}
        session.on_tool_call("Bash", command, call="b")
        session.on_tool_result("Bash", command, env, call="b")
        session.on_message(f"It is {TOKEN}.", final=True)
        session.checkpoint()
    found = left(target, TOKEN_PART, PASSWORD)
    expect(not found, f"read in {found}")


@attack(7, "a secret in JSON inside of a text, in a long value, in an origin and in names")
def in_an_event(target: Target) -> None:
    wrapped = json.dumps({"env": json.dumps({"password": PASSWORD, "log": f"x\n{TOKEN}"})})
    with target.open() as memory:
        memory.record(wrapped, payload={"raw": wrapped, "log": f"done\n{TOKEN}"})
        memory.record(f"client_secret={TOKEN_PART * 20}")
        memory.record("a page", payload={"origin": f"web:https://h.example/{TOKEN}"})
        memory.record("x", author=TOKEN)
        tried(memory.record, "x", stream=f"talk {TOKEN}")
        tried(memory.within, space=f"space {TOKEN}")
        tried(memory.tokens.create, name=TOKEN)
        tried(memory.add_member, TOKEN)
    found = left(target, TOKEN_PART, PASSWORD)
    expect(not found, f"read in {found}")


@attack(7, "an export of our own brings secrets in")
def in_an_export(target: Target) -> None:
    with target.open() as memory:
        source = memory.within(space="source")
        said = source.record("PLANT said", payload={"k": "PLANT"})
        source.edit_event(said.id, "PLANT edited")
        source.update(source.remember("PLANT", tags=["PLANT"]).id, content="ordinary")
        source.remember("ordinary", compressed="PLANT in short")
        file = target.folder / "export.json"
        file.write_text("".join(source.export()).replace("PLANT", TOKEN))
        tried(memory.within(space="target").import_, str(file))
        file.unlink()
    found = left(target, TOKEN_PART)
    expect(not found, f"read in {found}")


@attack(7, "a question and a command line hold a secret")
def in_a_question(target: Target) -> None:
    target.command("remember", "The harbour closes at nine.")
    target.command("recall", f"where do I use the password {PASSWORD} and {TOKEN}?")
    target.command("remember", f"New server password: {PASSWORD}")
    found = left(target, TOKEN_PART, PASSWORD)
    expect(not found, f"read in {found}")


@attack(7, "code with a key in it is indexed")
def in_code(target: Target) -> None:
    folder = target.folder / "project"
    folder.mkdir()
    (folder / "settings.py").write_text(f'KEY = "{TOKEN}"\nDB = {{"password": "{PASSWORD}"}}\n')
    (folder / "config.yaml").write_text(f"password: {PASSWORD}\n")
    with target.open() as memory:
        memory.code.index(folder, history=False)
    found = left(target, TOKEN_PART, PASSWORD)
    expect(not found, f"read in {found}")
