"""The OpenAPI document: everything in it is told, its examples work, and it hides no answer."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

import recollect
from recollect.surfaces.rest.application import application
from recollect.surfaces.rest.faults import status_of
from recollect.vocabulary import errors
from tests.codegraph.projects import SHOP, write
from tests.embedders import WordEmbedder
from tests.surfaces.rest.running import Running

ASKED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
EXAMPLES = 8


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    path = tmp_path_factory.mktemp("described") / "memory.db"
    with recollect.open(path, user="ada", embedder=WordEmbedder(), worker=False) as memory:
        memory.remember("The staging database is reset every night.")
        memory.record("Let's ship on Tuesday.", stream="release chat")
        memory.code.index(write(path.parent / "shop", SHOP))
        work = memory.session(unit={"spec": "007"})
        work.recorder.check_out("ann/discounts")
        work.subtask_done("the discount")
        started = Running(application(memory))
        yield started
        started.stop()


@pytest.fixture(scope="module")
def described(running: Running) -> Any:
    import schemathesis

    return schemathesis.openapi.from_url(f"http://127.0.0.1:{running.port}/openapi.json")


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            yield verb.upper(), path, operation


def test_everything_is_told(running: Running) -> None:
    document = running.app.openapi()
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    for verb, path, operation in operations(document):
        where = f"{verb} {path}"
        assert operation.get("description"), where
        assert operation.get("tags"), where
        for parameter in operation.get("parameters", ()):
            assert parameter["in"] == "path" or parameter.get("description"), where
        if path.startswith("/v1"):
            assert {"401", "403", "404", "409", "413", "415", "422", "503"} <= set(
                operation["responses"]
            ), where
    for name, schema in document["components"]["schemas"].items():
        if name.startswith(("New", "Asked", "Settings", "Session", "MemoryChange")):
            assert schema.get("examples"), name


def test_every_error_has_an_example_of_its_own(running: Running) -> None:
    codes = {kind.code: status_of(kind("")) for kind in _kinds(errors.RecollectError)}
    codes |= {"too_large": 413, "unsupported_media_type": 415, "busy": 503}
    for verb, path, operation in operations(running.app.openapi()):
        for status, answer in operation["responses"].items():
            example = answer.get("content", {}).get("application/json", {}).get("example")
            if int(status) < 400:
                continue
            assert example, (verb, path, status)
            assert codes[example["error"]["code"]] == int(status), (verb, path, status)


def _kinds(kind: type[errors.RecollectError]) -> Iterator[type[errors.RecollectError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def test_every_example_works(running: Running) -> None:
    document = running.app.openapi()
    stream = "release%20chat"
    kept = running("POST", "/v1/memories", {"content": "Something to change."}).json
    said = running("POST", f"/v1/streams/{stream}/events", {"events": [{"text": "hi"}]}).json
    known = {"memory_id": kept["id"], "event_id": said[0]["id"], "stream": stream}
    known |= {"space": "default", "user": "bob", "kind": "cents"}
    memo = running("POST", "/v1/memos", {"event": said[0]["id"]}).json
    known |= {"memo": memo["id"]}
    worked = 0
    for verb, path, operation in operations(document):
        body = operation.get("requestBody")
        if (
            body is None
            or "question_id" in path
            or "retrieval_id" in path
            or "contradiction_id" in path
            or "dispute_id" in path
            or "/groups/" in path  # whose kinds are others than those of budgets
            or path == "/v1/sync"  # which is spoken by devices: tests/sync
            or "conflicts/" in path
        ):
            continue
        reference = body["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        for example in document["components"]["schemas"][reference]["examples"]:
            sent = {**example, "event": said[0]["id"]} if "event" in example else example
            if path == "/v1/disputes":
                sent = {**example, "memory": kept["id"]}
            sent = {**sent, "ids": [kept["id"]]} if path.endswith("/expand") else sent
            got = running(verb, path.format(**known), sent)
            assert got.status < 300, (verb, path, got)
            worked += 1
        running("POST", "/v1/memory/settings", {"memory_enabled": True, "incognito_default": False})
    assert worked >= 18


def test_nothing_outside_the_description(described: Any) -> None:
    """Schemathesis asks what the document allows, and what it does not."""
    from schemathesis.checks import CHECKS, load_all_checks
    from schemathesis.transport.requests import ManagedCookiesSession

    load_all_checks()
    checks = [CHECKS.get_one(name) for name in ASKED]
    session = ManagedCookiesSession()  # keeps its connection, and no cookie
    session.trust_env = False  # looks for no proxy and no password before each question
    asked = 0
    for result in described.get_all_operations():
        operation = result.ok()

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            case.call_and_validate(session=session, checks=checks)

        ask()
    session.close()
    assert asked > 200
