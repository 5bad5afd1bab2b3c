"""Worker processes: several processes that answer as one server, one of them the leader.

They share only the store; the leader listens and distributes the connections. A follower that ends
is replaced; one whose leader is gone ends by itself. The channel between them is the follower's
standard input.
"""

import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recollect.surfaces.rest.connection_balancer import WorkerChannel
from recollect.vocabulary.errors import InvalidSetting

_log = logging.getLogger("recollect.server")

#: Variable for the folder of shared counters; the library reads it at import time.
FIGURES: Final = "PROMETHEUS_MULTIPROC_DIR"
_GRACE_SECONDS: Final = 15
_LOOK_SECONDS: Final = 1.0


class WorkerProcesses:
    """Processes beside this one. Without any it does nothing."""

    def __init__(
        self, count: int = 1, *, command: Sequence[str] = (), follows: bool = False
    ) -> None:
        self._count = count
        self._command = tuple(command)
        self._folder = (
            tempfile.TemporaryDirectory(prefix="recollect-figures-")
            if count > 1 and not follows
            else None
        )
        self._followers: list[tuple[subprocess.Popen[bytes], WorkerChannel]] = []
        self._stopping = threading.Event()
        self._watch: threading.Thread | None = None
        self.leads = not follows
        self.shares = follows or count > 1
        if self._folder is not None:
            os.environ[FIGURES] = self._folder.name

    @property
    def figures(self) -> Path | None:
        """Folder of shared counters, when there are several processes."""
        return Path(os.environ[FIGURES]) if self.shares and FIGURES in os.environ else None

    def start(self, port: int) -> None:
        """Start the other processes."""
        if not self.leads or self._count < 2:
            return
        command = [*self._command, "--port", str(port), "--follow"]
        self._followers = [_begun(command) for _ in range(self._count - 1)]
        self._watch = threading.Thread(target=self._replace_lost, args=(command,), daemon=True)
        self._watch.start()

    def channels(self) -> list[WorkerChannel]:
        """Followers, for the distribution of connections."""
        return [worker_channel for _, worker_channel in self._followers]

    @staticmethod
    def leader_channel() -> socket.socket:
        """Follower's end of the channel to its leader."""
        try:
            return socket.socket(fileno=os.dup(sys.stdin.fileno()))
        except OSError as error:
            raise InvalidSetting(
                "This process has no main server process.",
                hint="Start several processes with 'recollect serve --processes'.",
            ) from error

    def stop(self) -> None:
        """Let the other processes finish their requests, and end them."""
        self._stopping.set()
        if self._watch is not None:
            self._watch.join()
        for _, worker_channel in self._followers:
            worker_channel.channel.close()
        for follower, _ in self._followers:
            try:
                follower.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                follower.kill()
                follower.wait()
        self._followers = []
        if self._folder is not None:
            self._folder.cleanup()

    def _replace_lost(self, command: Sequence[str]) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            for place, (follower, worker_channel) in enumerate(self._followers):
                if follower.poll() is not None:
                    _log.warning("A server process ended (%d); starting another.", follower.poll())
                    self._followers[place] = _begun(command)
                    worker_channel.channel.close()


def _begun(command: Sequence[str]) -> "tuple[subprocess.Popen[bytes], WorkerChannel]":
    ours, theirs = socket.socketpair()
    with theirs:
        follower = subprocess.Popen(command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
    return follower, WorkerChannel(ours)
