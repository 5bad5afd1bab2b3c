"""Open pages are told of changes, and a dropped file is imported while its page watches."""

import asyncio
import http.client
import json
import shutil
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from recollect.engine import Recollect
from recollect.surfaces.panel.pages.teach import import_lines
from tests.contracts.test_following import child
from tests.stores import StoreMaker
from tests.surfaces.panel.visitor import Visitor
from tests.surfaces.rest.running import Running


def test_a_change_by_anyone_reaches_an_open_page(memory: Recollect, server: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        connection.request("GET", "/panel/live")
        answer = connection.getresponse()
        assert answer.getheader("content-type", "").startswith("text/event-stream")
        assert _next(answer) == "ready"
        memory.remember("Something new.")
        assert _next(answer) == "changed"
    finally:
        connection.close()


def test_a_write_of_another_process_reaches_an_open_page(
    stores: StoreMaker, start: Callable[..., Running]
) -> None:
    address = stores.ready()
    running = start(stores.open(address))
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    try:
        connection.request("GET", "/panel/live")
        answer = connection.getresponse()
        assert _next(answer) == "ready"
        with child(address) as other:
            other.ask("remember", "Written elsewhere.")
        assert _next(answer) == "changed"
    finally:
        connection.close()
    assert "Written elsewhere." in Visitor(running.port).get("/panel/memories").text


def _next(answer: http.client.HTTPResponse) -> str:
    while line := answer.readline().decode():
        if line.startswith("event: "):
            return line.removeprefix("event: ").strip()
    return ""


def test_open_pages_let_go_when_the_server_stops(
    memory: Recollect, start: Callable[..., Running]
) -> None:
    running = start(memory)
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    connection.request("GET", "/panel/live")
    answer = connection.getresponse()
    assert _next(answer) == "ready"
    running.app.state.stopping = True
    answer.read()  # it ends; without the sign it would go on until the connection timed out
    connection.close()


def test_a_dropped_history_is_imported_with_progress(memory: Recollect, visitor: Visitor) -> None:
    visitor.get("/")
    lines = [
        {"text": f"Message {number}", "author": "grace", "stream": "general"}
        for number in range(30)
    ]
    body = "\n".join(json.dumps(line) for line in lines).encode()
    headers = {"X-Form-Token": visitor.cookies["recollect_form"], "X-File-Name": "chat.jsonl"}
    got = visitor.send("/panel/import", body, kind="application/octet-stream", headers=headers)
    told = [json.loads(line) for line in got.body.splitlines()]
    assert "30 added" in told[-1]["done"]
    again = visitor.send("/panel/import", body, kind="application/octet-stream", headers=headers)
    assert memory.stats()["events"] == 30, again.body


def test_an_import_that_is_stopped_goes_on_where_it_stopped(
    memory: Recollect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.pages.import_batches.BATCH", 5)
    history = tmp_path / "general.jsonl"
    said = [{"text": f"Message {number}", "stream": "general"} for number in range(30)]
    history.write_text("\n".join(json.dumps(line) for line in said))
    gate = threading.Event()

    def slowly(place: str, *, progress: Callable[[int, int, int], None]) -> object:
        def wait(*numbers: int) -> None:
            progress(*numbers)
            assert gate.wait(60)

        return memory.import_(place, progress=wait)

    async def stopped() -> dict[str, float]:
        stand_in = cast("Recollect", SimpleNamespace(import_=slowly))
        copy = shutil.copy(history, tmp_path / "sent.jsonl")
        lines = import_lines(
            stand_in, str(copy), name="general.jsonl", language="en", run=asyncio.to_thread
        )
        first: dict[str, float] = json.loads(await anext(lines))
        await cast("AsyncGenerator[bytes]", lines).aclose()  # the page was closed, or Stop pressed
        gate.set()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others)  # it ends without an error that nobody waits for
        return first

    first = asyncio.run(stopped())
    assert first["read"] == 5
    assert 0 < first["share"] <= 1
    assert 0 < memory.stats()["events"] < 30
    assert memory.import_(str(history)).added < 30
    assert memory.stats()["events"] == 30


@pytest.mark.parametrize("path", ["/panel/import", "/panel/teach", "/v1/sync", "/v1/memories"])
def test_a_sender_who_leaves_within_the_body_is_no_error_of_the_server(
    server: Running, visitor: Visitor, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    visitor.get("/")
    token = visitor.cookies["recollect_form"]
    head = (
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Cookie: recollect_form={token}",
        f"X-Form-Token: {token}",
        "Content-Type: application/json",
        "Content-Length: 1000",
        "Expect: 100-continue",
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall("\r\n".join((*head, "", "")).encode())
        assert connection.recv(1_000).startswith(b"HTTP/1.1 100 ")  # the body is being read
        connection.sendall(b"{")
    server.stop()  # when what it was asked is done
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []


def test_a_file_that_is_no_history_is_told_so(memory: Recollect, visitor: Visitor) -> None:
    visitor.get("/")
    headers = {"X-Form-Token": visitor.cookies["recollect_form"], "X-File-Name": "photo.png"}
    got = visitor.send(
        "/panel/import", b"\x89PNG\r\n\x1a\n" * 10, kind="application/octet-stream", headers=headers
    )
    last = json.loads(got.body.splitlines()[-1])
    assert "error" in last or "0 added" in last["done"]
    assert memory.stats()["events"] == 0


def test_an_answer_comes_step_by_step_and_ends_as_html(memory: Recollect, visitor: Visitor) -> None:
    memory.record("Which queue do we use for mail?", stream="backend", author="ada")
    memory.record("We use the <b>PostgreSQL</b> queue for mail.", stream="backend", author="bob")
    got = visitor.press("/panel/ask/stream", q="which queue do we use for mail?")

    lines = [json.loads(line) for line in got.body.splitlines()]
    assert len(lines) > 2
    assert any("step" in line for line in lines[:-1])
    answer = lines[-1]["html"]
    assert "&lt;b&gt;PostgreSQL&lt;/b&gt; queue" in answer
    assert 'class="chip event" href="/panel/events/evt_' in answer
    assert "<html" not in answer


def test_a_question_of_the_script_wants_the_mark_of_the_page_and_some_words(
    memory: Recollect, visitor: Visitor
) -> None:
    assert visitor.send("/panel/ask/stream", b"q=which+queue", follow=False).status == 403
    assert memory.researches().items == ()
    got = visitor.press("/panel/ask/stream", q="")
    assert "error" in json.loads(got.body.splitlines()[-1])
