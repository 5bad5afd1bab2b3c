"""Several processes that answer as one server: the first leads, the others stand beside it.

They share nothing but the address and the store, and the system deals out the connections. A
follower that ends is replaced; one whose leader is gone ends by itself.
"""

import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

_log = logging.getLogger("recollect.server")

#: Where the processes count what all of them did; the library reads it as it is loaded.
FIGURES: Final = "PROMETHEUS_MULTIPROC_DIR"
_GRACE_SECONDS: Final = 15
_LOOK_SECONDS: Final = 1.0


class Crew:
    """The processes beside this one. Without any it does nothing."""

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
        self._followers: list[subprocess.Popen[bytes]] = []
        self._stopping = threading.Event()
        self._watch: threading.Thread | None = None
        self.leads = not follows
        self.shares = follows or count > 1
        if self._folder is not None:
            os.environ[FIGURES] = self._folder.name

    @property
    def figures(self) -> Path | None:
        """Where all of them count, when there are several."""
        return Path(os.environ[FIGURES]) if self.shares and FIGURES in os.environ else None

    def start(self, port: int) -> None:
        """Have the others answer too, from now on."""
        if not self.leads or self._count < 2:
            return
        command = [*self._command, "--port", str(port), "--follow"]
        self._followers = [_begun(command) for _ in range(self._count - 1)]
        self._watch = threading.Thread(target=self._replace_lost, args=(command,), daemon=True)
        self._watch.start()

    def follow(self, end: Callable[[], None]) -> None:
        """End when the leader does: it holds the other end of our standard input."""

        def wait() -> None:
            while os.read(sys.stdin.fileno(), 1):  # a reader that buffers may not be left behind
                pass
            end()

        threading.Thread(target=wait, daemon=True).start()

    def stop(self) -> None:
        """Let the others finish what they began, and end."""
        self._stopping.set()
        if self._watch is not None:
            self._watch.join()
        for follower in self._followers:
            assert follower.stdin is not None  # noqa: S101 - begun with a pipe
            follower.stdin.close()
        for follower in self._followers:
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
            for place, follower in enumerate(self._followers):
                if follower.poll() is not None:
                    _log.warning("A server process ended (%d); another begins.", follower.poll())
                    self._followers[place] = _begun(command)


def _begun(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
