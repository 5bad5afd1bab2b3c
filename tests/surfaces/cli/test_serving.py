"""The server as a process: it says where it is, keeps what it acknowledged, and ends politely."""

import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.surfaces.cli.runner import InProcess, Processes


def asked(url: str, method: str, path: str, body: object = None) -> tuple[int, object]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    with closing(connection):
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(process: Processes, number: signal.Signals) -> None:
    serving = process.start("serve", "--port", "0", "--json")
    try:
        assert serving.stdout is not None
        told = json.loads(serving.stdout.readline())
        assert told["store"] == str(process.db)
        kept = {"text": "My sister Ana is allergic to peanuts."}
        assert asked(told["url"], "POST", "/v1/memory/entries", kept)[0] == 201
        status, found = asked(told["url"], "POST", "/v1/recall", {"query": "what can Ana eat?"})
        assert status == 200
        assert isinstance(found, dict)
        assert "peanuts" in found["found"][0]["text"]
    finally:
        serving.send_signal(number)
        _, trouble = serving.communicate(timeout=60)
    assert (serving.returncode, trouble) == (0, "")
    with closing(sqlite3.connect(process.db)) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (1,)


def test_several_processes_answer_as_one_server(process: Processes) -> None:
    serving = process.start("serve", "--port", "0", "--processes", "2", "--json")
    follower = 0
    try:
        assert serving.stdout is not None
        url = json.loads(serving.stdout.readline())["url"]
        for number in range(12):
            kept = {"text": f"Shelf {number} holds the books of author {number}."}
            assert asked(url, "POST", "/v1/memory/entries", kept)[0] == 201
            status, _ = asked(url, "POST", "/v1/recall", {"query": f"shelf {number}"})
            assert status == 200
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        with closing(connection):
            connection.request("GET", "/metrics")
            told = connection.getresponse().read().decode()
        counted = 'recollect_http_requests_total{method="POST",path="/v1/memory/entries",'
        assert f'{counted}status="201"}} 12.0' in told  # whichever process is asked
        follower = _child_of(serving.pid)
    finally:
        serving.send_signal(signal.SIGTERM)
        _, trouble = serving.communicate(timeout=60)
    assert (serving.returncode, trouble) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(follower, 0)
    with closing(sqlite3.connect(process.db)) as connection_to_file:
        assert connection_to_file.execute("SELECT count(*) FROM memories").fetchone() == (12,)


def test_one_of_several_that_is_told_to_stop_ends_politely(process: Processes) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serving = process.start("serve", "--port", str(port), "--follow", stdin=subprocess.PIPE)
    try:
        assert _answers(port, serving)
    finally:
        serving.send_signal(signal.SIGTERM)
        # its standard input stays open, as the leader's end does
        assert serving.wait(60) == 0
    _, trouble = serving.communicate()
    assert trouble == ""


def _answers(port: int, serving: "subprocess.Popen[str]") -> bool:
    """Whether a server answers at last; one that ended never will."""
    while serving.poll() is None:
        try:
            return asked(f"http://127.0.0.1:{port}", "GET", "/health")[0] == 200
        except ConnectionRefusedError:
            time.sleep(0.05)
    return False


def _child_of(process: int) -> int:
    """The one process that another has begun."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            return int(folder.name)
    raise AssertionError("It has begun no process.")


def test_a_newcomer_is_told_where_to_look(cli: InProcess) -> None:
    ran = cli("serve", "--port", "0", "--seconds", "0")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("Recollect answers at http://127.0.0.1:")
    assert any("/openapi.json" in line for line in lines)
    assert lines[-1] == "Ctrl-C stops it."
    assert ran.err == "Stopped. What was acknowledged is kept.\n"


def test_others_are_served_only_with_tokens(cli: InProcess) -> None:
    ran = cli("serve", "--host", "0.0.0.0", "--port", "0", "--seconds", "0", "--json")
    assert (ran.code, ran.error["code"]) == (1, "not_allowed")
    assert "token create" in str(ran.error["hint"])
    made = cli.json("token", "create", "--for", "bob", "--role", "reader", "--expires", "1d")
    assert cli("serve", "--host", "0.0.0.0", "--port", "0", "--seconds", "0").code == 0
    listed = cli.json("token")["tokens"]
    assert [one["user"] for one in listed] == ["bob"]
    assert made["secret"] not in json.dumps(listed)
    assert cli("token").out.split("\t")[1] == f"{made['secret'][:10]}…"
    assert "opens 'default' no longer" in cli("token", "revoke", listed[0]["id"]).out
    assert cli("serve", "--host", "0.0.0.0", "--port", "0", "--seconds", "0").code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("serve", "--port", "70000"), "invalid_input"),
        (("serve", "--threads", "0"), "invalid_input"),
        (("serve", "--host", "203.0.113.77", "--tokens"), "not_allowed"),
        (("token", "create", "--expires", "soon"), "invalid_input"),
        (("token", "create", "--role", "king"), "invalid_input"),
        (("token", "revoke", "no"), "not_found"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    cli: InProcess, arguments: tuple[str, ...], code: str
) -> None:
    assert cli(*arguments, "--json").error["code"] == code
