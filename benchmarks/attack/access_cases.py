"""Attacks: access. A member against others' words, a foreign token, and whoever reads the disk."""

import json
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2

from benchmarks.attack.attacks import SQLITE, attack, expect
from benchmarks.attack.target import Target
from recollect.engine import Recollect
from recollect.vocabulary.errors import NotAllowed

_OTHERS = 0o077


@contextmanager
def _guarded(target: Target) -> Iterator[tuple[Recollect, httpx2.Client]]:
    """A server that wants tokens, and the owner's engine on the same store."""
    with target.open() as memory:
        memory.tokens.create()  # without one it does not start
        with target.serving("--tokens") as client:
            yield memory, client


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def _same(answer: httpx2.Response, name: str) -> tuple[int, str]:
    """An answer without what differs between any two requests."""
    error = answer.json().get("error", {})
    error.pop("request_id", None)
    return answer.status_code, json.dumps(error).replace(name, "NAME")


@attack(5, "a member's token rewrites and erases what another remembered")
def members_rewrite(target: Target) -> None:
    with _guarded(target) as (memory, client):
        kept = memory.remember("The release is on Tuesday.")
        headers = _bearer(memory.tokens.create(user="bob", role="member").secret)
        path = f"/v1/memories/{kept.id}"
        answers = [
            client.patch(path, json={"content": "The release is off."}, headers=headers),
            client.post(f"{path}/supersede", json={"content": "It is off."}, headers=headers),
            client.delete(path, headers=headers),
            client.delete(f"{path}?for_good=true", headers=headers),
        ]
        expect(all(one.status_code == 403 for one in answers), answers)
        expect([one.content for one in memory.list().items] == [kept.content], memory.list())


@attack(5, "a member's token records an event in the owner's name")
def members_forge(target: Target) -> None:
    with _guarded(target) as (memory, client):
        headers = _bearer(memory.tokens.create(user="bob", role="member").secret)
        said = {"events": [{"text": "I resign.", "author": "ada"}]}
        answer = client.post("/v1/streams/talk/events", json=said, headers=headers)
        expect(answer.status_code == 403, answer.text)
        try:
            forged: Any = memory.within(user="bob").record("I resign.", author="ada")
        except NotAllowed:
            forged = None
        expect(forged is None, forged)


@attack(6, "a memory made from a private stream is looked for by somebody outside of it")
def private_sources(target: Target) -> None:
    with _guarded(target) as (memory, client):
        memory.open_stream("board", access="private")
        said = memory.record("We buy Acme in May.", stream="board")
        kept = memory.remember("The merger is in May.", events=[said.id], tags=["deal"])
        headers = _bearer(memory.tokens.create(user="bob", role="member").secret)
        asked = {"query": "merger", "budget": 500, "explain": True}
        shown = [
            client.post("/v1/recall", json=asked, headers=headers).text,
            client.get("/v1/memories", headers=headers).text,
            client.get("/v1/export", headers=headers).text,
            client.get("/v1/export?format=markdown", headers=headers).text,
            client.get(f"/v1/memories/{kept.id}", headers=headers).text,
            client.get(f"/v1/memories/{kept.id}/history", headers=headers).text,
            client.get("/v1/spaces/default/stats", headers=headers).text,
        ]
        found = [text for text in shown if "merger is" in text or '"fact"' in text]
        expect(not found, found)
        memory.admit("board", "bob")
        there = client.get(f"/v1/memories/{kept.id}", headers=headers).status_code
        memory.dismiss("board", "bob")
        gone = client.get(f"/v1/memories/{kept.id}", headers=headers).status_code
        expect((there, gone) == (200, 404), (there, gone))


@attack(6, "whoever imports a Slack export reads the direct messages of others")
def slack_messages(target: Target) -> None:
    folder = target.folder / "slack"
    (folder / "D1").mkdir(parents=True)
    people = [{"id": "U1", "name": "ann"}, {"id": "U2", "name": "ben"}]
    said = [{"user": "U1", "ts": "1714557600.1", "text": "The word is marzipan."}]
    (folder / "users.json").write_text(json.dumps(people))
    (folder / "dms.json").write_text(json.dumps([{"id": "D1", "members": ["U1", "U2"]}]))
    (folder / "D1" / "2024-05-01.json").write_text(json.dumps(said))
    without = target.command("import", str(folder))
    expect("Left out 1 private" in without.stderr, without)
    imported = target.command("import", str(folder), "--private", "all")
    expect(imported.returncode == 0 and "private" in imported.stdout, imported)
    for command in (("recall", "marzipan"), ("read", "D1"), ("export",)):
        expect("marzipan." not in target.command(*command).stdout, command)


@attack(10, "a foreign token tells spaces that are there from those that are not")
def spaces_told_apart(target: Target) -> None:
    with _guarded(target) as (memory, client):
        memory.within(space="garden").remember("Roses want sun.")
        headers = _bearer(memory.tokens.create(user="bob", role="member").secret)

        def asked(name: str) -> list[tuple[int, str]]:
            body = {"content": "x"}
            return [
                _same(one, name)
                for one in (
                    client.get(f"/v1/spaces/{name}", headers=headers),
                    client.post(f"/v1/memories?space={name}", json=body, headers=headers),
                    client.post("/v1/spaces", json={"name": name}, headers=headers),
                    client.post(f"/v1/recall?space={name}", json={"query": "x"}, headers=headers),
                    client.get(f"/v1/spaces/{name}", headers=headers),
                )
            ]

        there, nowhere = asked("garden"), asked("nosuch")
        expect(there == nowhere, (there, nowhere))
        expect(all(status == 404 for status, _ in there), there)


@attack(10, "the valid token of a removed person")
def removed_person(target: Target) -> None:
    with _guarded(target) as (memory, client):
        garden = memory.within(space="garden")
        headers = _bearer(garden.tokens.create(user="bob", role="member").secret)
        garden.remove_member("bob")
        for path in ("/v1/spaces", "/v1/memories", "/metrics"):
            answer = client.get(path, headers=headers)
            expect(answer.status_code == 401, (path, answer.status_code))


@attack(10, "515 slow bodies without a token")
def slow_bodies(target: Target) -> None:
    with _guarded(target) as (_, client):
        place = urlsplit(str(client.base_url))
        head = (
            b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
        )
        held = []
        try:
            for _ in range(515):
                held.append(socket.create_connection((place.hostname, place.port), 60))
                held[-1].sendall(head)
            answer = client.get("/health")
            expect(answer.status_code == 200, answer.text)
            first = held[0].recv(12)
            expect(first == b"HTTP/1.1 401", first)
        finally:
            for one in held:
                one.close()


@attack(10, "a steward of one space reads another's figures in /metrics")
def foreign_figures(target: Target) -> None:
    with _guarded(target) as (memory, client):
        memory.remember("Hidden from the garden.", type="gotcha")
        garden = memory.within(space="garden")
        headers = _bearer(garden.tokens.create(user="bob", role="steward").secret)
        text = client.get("/metrics", headers=headers).text
        expect("gotcha" not in text and "recollect_http" not in text, text)


@attack(10, "a name that is taken gives a private stream away")
def taken_names(target: Target) -> None:
    with _guarded(target) as (memory, client):
        memory.open_stream("layoffs", access="private")
        headers = _bearer(memory.tokens.create(user="bob", role="member").secret)
        told = [
            client.post("/v1/streams", json={"name": name}, headers=headers)
            for name in ("layoffs", "picnic")
        ]
        expect({one.status_code for one in told} == {201}, [one.text for one in told])


@attack(10, "a redirect to whatever host was named")
def redirects(target: Target) -> None:
    with _guarded(target) as (_, client):
        answer = client.get("/v1/spaces/", headers={"Host": "evil.example"})
        expect("evil.example" not in str(answer.headers), answer.headers)
        expect(answer.status_code in (401, 404), answer.status_code)


@attack(10, "a misspelled space is answered from the default one")
def misspelled_space(target: Target) -> None:
    with target.open() as memory, target.serving() as client:
        memory.remember("Roses want sun.")
        answer = client.post("/v1/recall?space=typo", json={"query": "roses"})
        expect(answer.status_code == 404, answer.text)


@attack(10, "another user of the machine reads files, journals and exports", stores=SQLITE)
def readable_files(target: Target) -> None:
    before = os.umask(0)
    try:
        old = target.folder / "data" / "recollect" / "memory.db"
        for folder in (old.parent.parent, old.parent):
            folder.mkdir(mode=0o700)
        made = Target(target.store, str(old), target.folder)
        with made.open() as memory:
            memory.remember("The word is marzipan.")
        for path in (old, old.parent):
            path.chmod(0o755 if path.is_dir() else 0o644)
        with made.open():
            export = target.folder / "export.json"
            done = made.command("export", "--output", str(export))
            expect(done.returncode == 0, done)
            files = [export, *old.parent.rglob("*"), old.parent, old.parent.parent]
            loose = {
                path.name: oct(stat.S_IMODE(path.stat().st_mode))
                for path in files
                if path.stat().st_mode & _OTHERS
            }
            expect(not loose, loose)
    finally:
        os.umask(before)


@attack(22, "a share out of a space that the token does not open")
def foreign_share(target: Target) -> None:
    with _guarded(target) as (memory, client):
        trips = memory.within(space="trips")
        memory.chat.add("Ana is allergic to peanuts.", tags=["family"])
        memory.chat.share("family", trips.space)
        headers = _bearer(trips.tokens.create().secret)
        said = {"text": "what do you know about Ana?"}
        answer = client.post("/v1/memory/say", json=said, headers=headers)
        expect(answer.status_code == 200, answer.text)
        expect("peanuts" not in answer.text, answer.text)
