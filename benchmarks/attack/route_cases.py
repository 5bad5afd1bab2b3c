"""Attacks on every route that the server describes, so that no new one is left out.

The description (``/openapi.json``) names each route with an example of its body. Each is asked with
the token of somebody who does not belong, with a body that is nested 500 deep, and with a secret
or a hostile text in place of every text.
"""

import copy
import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import httpx2

from benchmarks.attack.attacks import attack, expect
from benchmarks.attack.forgetting_cases import TOKEN, found_in_files
from benchmarks.attack.input_cases import like_prose
from benchmarks.attack.target import Target
from benchmarks.patterns import hostile
from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError

_PARAMETER: Final = re.compile(r"\{(\w{1,40})\}")
_WORD: Final = "marzipan"
_DEEP: Final = '{"a":' * 500 + "1" + "}" * 500
_FAULT: Final = 500


class DescribedRoute(NamedTuple):
    """One route: how it is asked, and an example of its body."""

    method: str
    path: str
    in_space: bool
    query: tuple[str, ...]
    example: Any


def _routes(client: httpx2.Client) -> Iterator[DescribedRoute]:
    """Every route; those that delete come last, because what they delete is needed before."""
    described = client.get("/openapi.json").json()
    found = []
    for path, methods in described["paths"].items():
        for method, told in methods.items():
            asked = [one for one in told.get("parameters", ()) if one.get("in") == "query"]
            query = tuple(one["name"] for one in asked if one.get("required"))
            in_space = any(one["name"] == "space" for one in asked)
            content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
            example = _example(described, content.get("schema", {}))
            found.append(DescribedRoute(method.upper(), path, in_space, query, example))
    return iter(sorted(found, key=lambda one: (one.method == "DELETE", one.path, one.method)))


def _example(described: Any, schema: Any) -> Any:
    """The first example that a schema has."""
    if "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return next(iter(schema.get("examples", ())), None)


def _things(memory: Recollect) -> dict[str, str]:
    """One of each thing that a path may name, all of them ada's."""
    kept = memory.remember(f"The {_WORD} is in the cellar.", tags=[_WORD])
    said = memory.record(f"Where is the {_WORD}?", stream="larder")
    memory.open_stream("board", access="private")
    memory.record(f"We buy the {_WORD} in May.", stream="board")
    dispute = memory.disputes.open(kept.id, f"The {_WORD} is gone.")
    entry = memory.chat.add(f"I like {_WORD}.").entry
    answer = memory.research(f"Where is the {_WORD}?")
    return {
        "memory_id": kept.id,
        "event_id": said.id,
        "dispute_id": dispute.id,
        "stream": "board",
        "name": "board",
        "space": memory.space.name,
        "user": "ada",
        "retrieval_id": answer.id or "",
        "entry_id": "" if entry is None else entry.id,
    }


def _asked(
    client: httpx2.Client, route: DescribedRoute, things: dict[str, str], **sent: Any
) -> tuple[int, str]:
    """The answer of a route whose path names these things."""
    path = _PARAMETER.sub(lambda found: things.get(found[1]) or things["memory_id"], route.path)
    query = {name: "1" for name in route.query}
    if route.in_space:
        query["space"] = things["space"]
    with client.stream(route.method, path, params=query, **sent) as answer:
        # A stream of live changes never ends: what comes within the first pieces is enough.
        text = ""
        if "event-stream" not in answer.headers.get("content-type", ""):
            text = answer.read().decode("utf-8", "replace")
        return answer.status_code, text


@contextmanager
def _strangers(target: Target) -> Iterator[tuple[Recollect, httpx2.Client, dict[str, Any]]]:
    """A server, the owner's engine, and the headers of somebody from another space."""
    with target.open() as memory:
        memory.tokens.create()
        garden = memory.within(space="garden")
        secret = garden.tokens.create(user="bob", role="member").secret
        with target.serving("--tokens") as client:
            yield memory, client, {"Authorization": f"Bearer {secret}"}


@attack(10, "a token of another space asks every route for a space's things")
def foreign_token_everywhere(target: Target) -> None:
    with _strangers(target) as (memory, client, headers):
        things = _things(memory)
        before = _told(memory)
        for route in list(_routes(client)):
            if route.path.startswith(("/panel", "/health")):
                continue
            body = {} if route.example is None else {"json": route.example}
            status, text = _asked(client, route, things, headers=headers, **body)
            where = f"{route.method} {route.path}: {status} {text[:120]}"
            expect(status < _FAULT, where)
            expect(_WORD not in text, where)
            expect(not (route.in_space and status < 300), where)
        expect(_told(memory) == before, "what ada keeps was changed")


def _told(memory: Recollect) -> tuple[Any, ...]:
    """What the owner has, to compare."""
    return (
        [(one.id, one.content, one.revision) for one in memory.list().items],
        [(one.id, len(one.comments)) for one in memory.disputes.list().items],
        [one.name for one in memory.streams().items],
        [one.user for one in memory.members()],
    )


@attack(10, "no token at all, on every route")
def no_token_everywhere(target: Target) -> None:
    with _strangers(target) as (memory, client, _):
        things = _things(memory)
        for route in list(_routes(client)):
            if not route.path.startswith("/v1/") or route.path == "/v1/openapi.json":
                continue
            body = {} if route.example is None else {"json": route.example}
            status, text = _asked(client, route, things, **body)
            # What a route takes is described to everybody, so it may be said before the token.
            expect(status in (401, 422), f"{route.method} {route.path}: {status} {text[:120]}")


@attack(3, "a body nested 500 deep at every route, as a whole and in every field")
def deep_everywhere(target: Target) -> None:
    with target.open() as memory:
        things = _things(memory)
        with target.serving() as client:
            for route in list(_routes(client)):
                if route.method in ("GET", "DELETE"):
                    continue
                for body in _deep_bodies(route):
                    headers = {"Content-Type": "application/json"}
                    if route.path == "/v1/sync":  # a device packs what it sends
                        headers["Content-Encoding"] = "gzip"
                    sent = gzip.compress(body) if len(headers) > 1 else body
                    status, text = _asked(client, route, things, content=sent, headers=headers)
                    where = f"{route.method} {route.path}: {status} {text[:120]}"
                    expect(400 <= status < _FAULT, where)
        expect(bool("".join(memory.export())), "nothing was exported")
        expect(bool(memory.recall(_WORD).found), "nothing was recalled")


def _deep_bodies(route: DescribedRoute) -> Iterator[bytes]:
    yield _DEEP.encode()
    if isinstance(route.example, dict):
        for name in route.example:
            text = json.dumps({**route.example, name: "DEEP"}).replace('"DEEP"', _DEEP, 1)
            yield text.encode()


def _filled(example: Any, text: str) -> Any:
    """An example with a text in place of each of its own texts that say something."""
    if isinstance(example, str) and " " in example:
        return text
    if isinstance(example, dict):
        return {name: _filled(value, text) for name, value in example.items()}
    if isinstance(example, list):
        return [_filled(value, text) for value in example]
    return copy.copy(example)


@attack(7, "a secret in every text of every route, then the bytes of the store")
def secrets_everywhere(target: Target) -> None:
    with target.open() as memory:
        things = _things(memory)
        with target.serving() as client:
            for route in list(_routes(client)):
                body = _filled(route.example, f"the token is {TOKEN} for the cellar")
                if route.method in ("GET", "DELETE") or body == route.example:
                    continue
                status, text = _asked(client, route, things, json=body)
                where = f"{route.method} {route.path}: {status} {text[:120]}"
                expect(status < _FAULT, where)
    expect(not (seen := found_in_files(target, TOKEN)), seen)


@attack(7, "a secret in what a device sends, past the gate of the device")
def secret_by_sync(target: Target) -> None:
    with target.open() as memory:
        memory.remember("The harbour opens at nine.")
        taken = memory.sync.exchange({"protocol": 1, "device": "d1", "since": None, "changes": []})
        for record in _records(taken):
            said = json.loads(
                json.dumps(record).replace("The harbour opens at nine.", f"It is {TOKEN} now.")
            )
            sent = {"protocol": 1, "device": "d2", "since": None, "changes": [said]}
            try:
                memory.sync.exchange(sent)
            except RecollectError:
                continue
    expect(not (seen := found_in_files(target, TOKEN)), seen)


def _records(taken: Any) -> list[Any]:
    found = taken.get("changes") or taken.get("records") or []
    return list(found)


@attack(2, "repetitions at the doors of disputes, groups, memos, research and sync")
def repetitions_at_new_doors(target: Target) -> None:
    with target.open() as memory:
        kept = memory.remember("The harbour opens at nine.")
        dispute = memory.disputes.open(kept.id, "It opens at ten.")
        doors: tuple[Callable[[str], object], ...] = (
            lambda text: memory.disputes.comment(dispute.id, text),
            memory.research,
            memory.chat.hear,
            lambda text: memory.sync.exchange(
                {"protocol": 1, "device": "d1", "since": None, "changes": [{"kind": text}]}
            ),
        )
        texts = hostile(9_000)
        for door in doors:

            def tried(text: str, door: Callable[[str], object] = door) -> None:
                try:
                    door(text)
                except RecollectError:
                    return

            like_prose(tried, *(texts[kind] for kind in ("spaces", "blocks with dots", "password")))
