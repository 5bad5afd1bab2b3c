"""The server as a process: it says where it is, keeps what it acknowledged, and ends politely."""

import http.client
import json
import os
import select
import signal
import socket
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
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
    ours, theirs = socket.socketpair()
    with closing(ours), socket.create_server(("127.0.0.1", 0)) as listening:
        serving = process.start("serve", "--port", "1", "--follow", stdin=theirs)
        theirs.close()
        try:
            assert ours.recv(1) == b"r"  # it answers from now on
            port = listening.getsockname()[1]
            with ThreadPoolExecutor(1) as pool:
                health = pool.submit(asked, f"http://127.0.0.1:{port}", "GET", "/health")
                connection, _ = listening.accept()
                with connection:
                    socket.send_fds(ours, [b"c"], [connection.fileno()])
                assert health.result()[0] == 200
        finally:
            serving.send_signal(signal.SIGTERM)
            # the way to it stays open, as the leader's does
            assert serving.wait(60) == 0
    _, trouble = serving.communicate()
    assert trouble == ""


def test_one_of_several_ends_with_its_leader(process: Processes) -> None:
    ours, theirs = socket.socketpair()
    serving = process.start("serve", "--port", "1", "--follow", stdin=theirs)
    theirs.close()
    assert ours.recv(1) == b"r"
    ours.close()
    _, trouble = serving.communicate(timeout=60)
    assert (serving.returncode, trouble) == (0, "")


def test_a_process_that_nobody_leads_says_so(process: Processes) -> None:
    serving = process.start("serve", "--port", "1", "--follow", stdin=subprocess.DEVNULL)
    _, trouble = serving.communicate(timeout=60)
    assert serving.returncode == 1
    assert "This process has no main server process." in trouble


def test_connections_are_dealt_out_evenly(process: Processes) -> None:
    serving = process.start("serve", "--port", "0", "--processes", "2", "--json")
    open_ones: list[http.client.HTTPConnection] = []
    try:
        assert serving.stdout is not None
        url = json.loads(serving.stdout.readline())["url"]
        follower = _child_of(serving.pid)
        while not _connections_of(follower):  # it takes a while to load
            _ask_on(open_ones, url)
            time.sleep(0.1)
        dealt = _dealt_out(open_ones, url, (serving.pid, follower))
        while any(map(_given_up, open_ones)):  # idle for too long, on a machine that is busy
            dealt = _dealt_out(open_ones, url, (serving.pid, follower))
        assert dealt == [5, 5]
    finally:
        for one in open_ones:
            one.close()
        serving.send_signal(signal.SIGTERM)
        _, trouble = serving.communicate(timeout=60)
    assert (serving.returncode, trouble) == (0, "")


def _dealt_out(
    open_ones: list[http.client.HTTPConnection], url: str, processes: tuple[int, int]
) -> list[int]:
    """How many of ten new connections each process has; those from before are closed first."""
    while open_ones:
        open_ones.pop().close()
    while any(map(_connections_of, processes)):
        time.sleep(0.01)
    for _ in range(10):
        _ask_on(open_ones, url)
    return [_connections_of(one) for one in processes]


def _given_up(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has closed a connection on which nothing is to be answered."""
    return bool(select.select([connection.sock], [], [], 0)[0])


def _ask_on(open_ones: list[http.client.HTTPConnection], url: str) -> None:
    """Open one more connection, and be answered on it."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    open_ones.append(connection)
    connection.request("GET", "/health")
    answer = connection.getresponse()
    assert answer.status == 200
    answer.read()


def _connections_of(process: int) -> int:
    """How many connections a process has open to those who ask it."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    fields = [line.split() for line in lines]
    listening = {one[1].split(":")[1] for one in fields if one[3] == "0A"}
    answered = {f"socket:[{one[9]}]" for one in fields if one[1].split(":")[1] in listening}
    held = [os.readlink(one) for one in Path(f"/proc/{process}/fd").iterdir() if one.is_symlink()]
    heard = {f"socket:[{one[9]}]" for one in fields if one[3] == "0A"}
    return sum(one in answered - heard for one in held)


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
