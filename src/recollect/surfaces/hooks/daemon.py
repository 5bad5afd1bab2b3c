"""Hook daemon: one background process per user, started on demand, that ends when idle.

The first hook process that finds no daemon starts one. The process that holds the lock is the
daemon; the kernel releases the lock when the process ends, however it ends. An event is checked
first, and what may be stored of it is on disk before the daemon acknowledges it. A daemon that is
killed at any moment loses nothing: the next one continues from the last checkpoints.
"""

import contextlib
import fcntl
import json
import logging
import os
import select
import signal
import socket
import sys
import threading
from collections import deque
from pathlib import Path
from time import monotonic, time
from typing import Any, Final

from recollect.surfaces.hooks.daemon_folder import options_of
from recollect.surfaces.hooks.hook_call import REFUSED, TAKEN, WRITERS, write_down
from recollect.surfaces.hooks.sessions import BEHIND, Sessions
from recollect.surfaces.hooks.spool import FRAME_START, Frame, Spool
from recollect.vocabulary.errors import RecollectError, StoreError
from recollect.vocabulary.files import private_file

LOG_LIMIT: Final = 1_000_000
#: A session without events for this many seconds is treated as ended.
ABANDONED: Final = 86_400.0
_TICK: Final = 1.0
_BACKLOG: Final = 64
_PART: Final = 65_536
_log: Final = logging.getLogger(__name__)


def serve(folder: Path, lock: int) -> None:
    """Serve hook processes until the daemon is idle."""
    os.set_inheritable(lock, False)
    os.umask(0o077)
    _log_to(folder)
    from recollect import composition

    named = options_of(folder)
    settings = composition.agent_settings(named)
    daemon = Daemon(folder, composition.open(worker=True, client="agent", settings=named), settings)
    signal.signal(signal.SIGTERM, lambda *_: daemon.stop())
    signal.signal(signal.SIGINT, lambda *_: daemon.stop())
    daemon.run()


class Daemon:
    """Listens on a socket, reads the spool, and does slow work in the background."""

    def __init__(self, folder: Path, memory: Any, settings: Any) -> None:
        self._folder = folder
        self._memory = memory
        self._idle = settings.idle_seconds
        self._spool = Spool(folder)
        #: Frames that were read while the store did not answer; they are taken in first, in order.
        self._untaken: list[Frame] = []
        self._sessions = Sessions(memory, folder, settings.space)
        self._reading = threading.Lock()
        self._reporting = threading.Lock()
        self._work: deque[tuple[str, str]] = deque()
        #: Work that is tried again: the end of a session, while an event may still be on its way.
        self._held_back: list[tuple[str, str]] = []
        self._wake = threading.Event()
        self._stopping = False
        self._pipe = os.pipe()

    def stop(self) -> None:
        """Request a stop; may be called from a signal handler."""
        self._stopping = True
        with contextlib.suppress(OSError):
            os.write(self._pipe[1], b"x")

    def run(self) -> None:
        """Run until idle for long, asked to stop, or the daemon's folder is gone."""
        os.chdir(self._folder)
        listener = self._listening_socket()
        behind = threading.Thread(
            target=self._process_spool_backlog, name="recollect-keeping", daemon=True
        )
        behind.start()
        try:
            self._read()
            self._work.extend((key, "SessionEnd") for key in self._sessions.unfinished())
            self._wake.set()
            self._sessions.retire(ABANDONED, time())
            self._report()
            self._listen(listener)
        finally:
            listener.close()
            self._leave(behind)

    def _listening_socket(self) -> socket.socket:
        with contextlib.suppress(FileNotFoundError):
            os.unlink("daemon.sock")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind("daemon.sock")
        os.chmod("daemon.sock", 0o600)
        listener.listen(_BACKLOG)
        with private_file(Path("daemon.pid")) as file:
            file.write(f"{os.getpid()}\n")
        return listener

    def _listen(self, listener: socket.socket) -> None:
        last = monotonic()
        mine = os.stat("daemon.sock").st_ino
        while not self._stopping:
            ready, _, _ = select.select([listener.fileno(), self._pipe[0]], [], [], _TICK)
            if listener.fileno() in ready:
                client_socket, _ = listener.accept()
                threading.Thread(target=self._receive, args=(client_socket,), daemon=True).start()
                last = monotonic()
            elif monotonic() - last > self._idle or not _still_ours(mine):
                return

    def _receive(self, client_socket: socket.socket) -> None:
        """Handle one hook process: store its event, read the spool, answer, then work on."""
        with contextlib.closing(client_socket), contextlib.suppress(OSError, ValueError):
            client_socket.settimeout(5.0)
            data = client_socket.recv(_PART)
            if data[:1] == FRAME_START:
                name = self._take(client_socket, _received(client_socket, data))
            else:  # a hook process of an earlier version, which wrote its event to the spool itself
                name = data.decode("ascii", "replace").strip()
            self._read()
            answer = self._sessions.answer(name)
            if answer:
                try:
                    client_socket.sendall(answer)
                except OSError:  # the hook process waited for it no longer
                    self._sessions.undelivered(name)
        self._report()

    def _take(self, client_socket: socket.socket, data: bytes) -> str:
        """Write what may be stored of an event and acknowledge it; return the event's name."""
        try:
            kept, ended = self._sessions.admit(data)
            if kept:
                write_down(kept)
        except OSError as error:
            client_socket.sendall(REFUSED + str(error).encode())
            raise
        client_socket.sendall(TAKEN)
        if ended is not None:
            self._work.append((ended, "SessionEnd"))
            self._wake.set()
        return data[1 : data.index(b" ")].decode("ascii", "replace")

    def _read(self) -> None:
        """Take in new spool frames in order, one reader at a time."""
        with self._reading:
            frames = [*self._untaken, *self._spool.new()]
            self._untaken = []
            for place, frame in enumerate(frames):
                try:
                    taken = self._sessions.take(frame)
                except StoreError:
                    _log.exception("Events wait for the store")
                    self._untaken = frames[place:]
                    return
                if taken is None:
                    continue
                late = self._sessions.is_finished(taken[0])
                if late or taken[1].event in BEHIND:
                    self._work.append((taken[0], "SessionEnd" if late else taken[1].event))
                    self._wake.set()

    def _process_spool_backlog(self) -> None:
        """Write, learn and clean up, one task after the other, while no hook process waits.

        The spool is read here too: an event that another process wrote there waits for no hook.
        """
        while not self._stopping:
            woken = self._wake.wait(_TICK if self._held_back else _TICK * 5)
            self._wake.clear()
            self._work.extend(self._held_back)
            self._held_back = []
            with contextlib.suppress(RecollectError, OSError):
                self._read()
                if not woken:
                    self._sessions.store_quiet()
            self._keep()

    def _keep(self) -> None:
        while self._work:
            key, event = self._work.popleft()
            try:
                if event == "SessionStart":
                    self._sessions.warm(key)
                    continue
                patient = not self._stopping
                if event == "SessionEnd" and patient:
                    if _is_writing():
                        self._held_back.append((key, event))
                        continue
                    self._read()
                if not self._sessions.keep(key, end=event == "SessionEnd", patient=patient):
                    self._held_back.append((key, event))
            except (RecollectError, OSError):
                _log.exception("A session waits to be kept")
            self._tidy()

    def _tidy(self) -> None:
        """Delete the spool segments that every session has stored."""
        with self._reading, contextlib.suppress(OSError):
            if self._untaken:
                return
            if self._sessions.clean and not self._work and not self._held_back:
                self._spool.delete_before(self._spool.at)
                if self._spool.clear():
                    self._sessions.drop_ended()
            self._spool.turn()
            kept = self._sessions.oldest()
            if kept is not None:
                self._spool.delete_before(kept)
        self._report()

    def _leave(self, behind: threading.Thread) -> None:
        """Stop accepting connections, take in and store the last events, and end."""
        self._stopping = True
        self._wake.set()
        with contextlib.suppress(FileNotFoundError):
            os.unlink("daemon.sock")
        behind.join(10.0)
        self._work.extend(self._held_back)
        self._held_back = []
        with contextlib.suppress(RecollectError, OSError):
            self._read()
            self._keep()
            self._sessions.keep_all()
            self._tidy()
        self._memory.close()
        with contextlib.suppress(OSError):
            os.unlink("daemon.pid")

    def _report(self) -> None:
        """Write the daemon's figures for ``recollect agent status``."""
        counts = self._sessions.counts
        figures_document = {
            "pid": os.getpid(),
            "events": counts.events,
            "unreadable": counts.unreadable + self._spool.torn,
            "answered": counts.answered,
            "faults": counts.faults,
            "last_at": counts.last_at.isoformat() if counts.last_at else None,
            "by_event": counts.by_event,
            "sessions": len(self._sessions.keys),
        }
        with self._reporting, contextlib.suppress(OSError):
            with private_file(Path("status.new")) as file:
                file.write(json.dumps(figures_document))
            os.replace("status.new", "status.json")


def _received(client_socket: socket.socket, data: bytes) -> bytes:
    """Receive the rest of a frame whose first bytes have arrived."""
    while b"\n" not in data:
        data += _more(client_socket)
    length = int(data[: data.index(b"\n")].split(b" ")[1])
    missing = data.index(b"\n") + 1 + length + 1 - len(data)
    parts = [data]
    while missing > 0:
        parts.append(_more(client_socket))
        missing -= len(parts[-1])
    return b"".join(parts)


def _more(client_socket: socket.socket) -> bytes:
    part = client_socket.recv(_PART)
    if not part:
        raise ValueError("the hook process went away")
    return part


def _is_writing() -> bool:
    """Whether a process is on its way to the spool with an event that no daemon took."""
    try:
        lock = os.open(WRITERS, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _still_ours(mine: int) -> bool:
    """Whether the socket is still the one this daemon made: its folder may have been removed."""
    try:
        return os.stat("daemon.sock").st_ino == mine
    except OSError:
        return False


def _log_to(folder: Path) -> None:
    """Send warnings to the log file, which is restarted when it is long."""
    path = folder / "daemon.log"
    with contextlib.suppress(OSError):
        if path.stat().st_size > LOG_LIMIT:
            os.truncate(path, 0)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(name)s %(message)s"
    )
