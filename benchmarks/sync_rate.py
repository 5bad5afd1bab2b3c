"""How fast a file is synced to a server, as a part of the rate at which the same file is moved.

    python -m benchmarks.sync_rate --memories 10000
    python -m benchmarks.sync_rate --memories 100000 --kills 3

The server is ``recollect serve`` on this machine, with a file. A second device then joins; with
``--kills`` a third one joins as well, is killed so many times on its way, and goes on each time.
"""

import argparse
import gc
import http.client
import multiprocessing
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import recollect
from recollect import composition
from recollect.inference.static_embedder import StaticEmbedder
from recollect.memories.drafts import Draft


def main() -> int:
    """Fill a file, move it, sync it, and print both rates and their ratio."""
    parser = argparse.ArgumentParser("python -m benchmarks.sync_rate", description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-sync-") as folder:
        return _measured(Path(folder), given.memories, given.kills)


def _measured(folder: Path, count: int, kills: int) -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = door.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with recollect.open(folder / "server.db", user="owner", embedder="static") as memory:
        memory.add_member("ann")
        token = memory.tokens.create(user="ann", role="member", name="laptop").secret
    server = _served(folder, port)
    _fill(folder / "laptop.db", count)
    gc.freeze()  # as a command does once its libraries are loaded
    began = time.perf_counter()
    composition.move(str(folder / "laptop.db"), str(folder / "moved.db"))
    moving = time.perf_counter() - began
    with _opened(folder / "laptop.db") as memory:
        began = time.perf_counter()
        report = memory.sync.now(address, token=token)
        syncing = time.perf_counter() - began
        idle = memory.sync.now(token=token)
    with _opened(folder / "second.db") as memory:
        began = time.perf_counter()
        joined = memory.sync.now(address, token=token)
        joining = time.perf_counter() - began
    found, rest = _joined_in_parts(folder / "third.db", address, token, count, kills)
    server.kill()
    server.wait()
    assert report.pushed == joined.pulled == count, (report, joined)
    print(f"move: {count / moving:,.0f} memories a second")
    print(f"sync: {count / syncing:,.0f} memories a second, {moving / syncing:.2f} of move")
    print(f"join: {count / joining:,.0f} memories a second, {moving / joining:.2f} of move")
    print(f"idle: {idle.requests} request, {idle.bytes_sent + idle.bytes_received} bytes")
    if kills:
        print(
            f"killed {kills} times while joining: {count - rest:,} memories were there when it was "
            f"killed last, {rest:,} came with the last sync, {found:,} of {count:,} are there"
        )
    return 0 if not kills or found == count else 1


def _joined_in_parts(
    path: Path, address: str, token: str, count: int, kills: int
) -> tuple[int, int]:
    """A device that is killed while it joins; how many it has, and how many came at the end."""
    rest = 0
    for kill in range(kills + bool(kills)):
        device = multiprocessing.get_context("fork").Process(
            target=_join, args=(path, address, token), daemon=True
        )
        device.start()
        enough = count * (kill + 1) // (kills + 1) if kill < kills else count
        before = _held(path)
        while device.is_alive() and _held(path) < enough:
            time.sleep(0.05)
        if kill < kills:
            device.kill()
        device.join()
        rest = _held(path) - before
    return _held(path), rest


def _join(path: Path, address: str, token: str) -> None:
    with _opened(path) as memory:
        memory.sync.now(address, token=token)


def _held(path: Path) -> int:
    """How many memories a file holds, as another process sees them."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            (count,) = connection.execute("select count(*) from memories").fetchone()
        except sqlite3.OperationalError:  # it is being made
            return 0
    return int(count)


def _opened(path: Path) -> recollect.Recollect:
    return recollect.open(path, user="ann", embedder="static", worker=False)


def _served(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    """The server as people start it, once it answers."""
    options = ["--db", str(folder / "server.db"), "--user", "owner", "--embedder", "static"]
    server = subprocess.Popen(
        [sys.executable, "-m", "recollect", *options, "serve", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while server.poll() is None:
        try:
            http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/health")
            return server
        except OSError:
            time.sleep(0.05)
    raise SystemExit("The server did not start.")


def _fill(path: Path, count: int) -> None:
    StaticEmbedder().embed(["warm"])
    with _opened(path) as memory:
        for start in range(0, count, 500):
            drafts = [
                Draft(
                    f"Service {number} listens on port {number + 1000} of host {number % 97}, and "
                    f"its owner is team {number % 13}.",
                    visibility="project",
                    tags=(f"team{number % 13}",),
                    files=(f"services/{number}.yaml",),
                )
                for number in range(start, min(start + 500, count))
            ]
            memory._services.write_path.create_all(memory.viewer, memory.space, drafts)
        memory.work()  # the short forms, which a device has made long before it syncs


if __name__ == "__main__":
    sys.exit(main())
