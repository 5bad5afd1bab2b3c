"""What is attacked: a fresh store of one kind, and the surfaces started on it as users start them.

Every target has a folder of its own, which is also the home of whatever runs in it, so an attack
never meets the files of the person who runs it. What was started is stopped by its id.
"""

import atexit
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

import recollect
from benchmarks.attack.warm_start import StartedProcess, WarmStarter
from recollect.engine import Recollect

#: A machine that has other work is slow; what hangs must still come to an end.
_SERVER_STARTS = 300.0


@dataclass
class Target:
    """One store under attack: its kind, its address and a folder for whatever lies beside it."""

    store: str
    address: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of whatever runs here: a home of its own and no settings of others."""
        kept = {name: value for name, value in os.environ.items() if "RECOLLECT" not in name}
        home = str(self.folder)
        return {**kept, "HOME": home, "XDG_DATA_HOME": home, "XDG_RUNTIME_DIR": home, "CI": "1"}

    def open(self, **options: Any) -> Recollect:
        """The engine on the store, as a program has it."""
        return recollect.open(self.address, **{"user": "ada", "worker": False, **options})

    def command(
        self, *arguments: str, told: str | None = None, seconds: float = 600
    ) -> subprocess.CompletedProcess[str]:
        """Run ``recollect --db ADDRESS ...`` in a process of its own, to its end."""
        process = self._started("--db", self.address, *arguments, told=told or "")
        code = process.wait(seconds)
        return subprocess.CompletedProcess(
            arguments, code, process.text("stdout"), process.text("stderr")
        )

    @contextmanager
    def serving(self, *arguments: str) -> Iterator[httpx2.Client]:
        """A real server on loopback, and a client of it."""
        process = self._started("--db", self.address, "--json", "serve", "--port", "0", *arguments)
        try:
            url = json.loads(process.first_line())["url"]
            with httpx2.Client(base_url=url, timeout=_SERVER_STARTS) as client:
                yield client
        finally:
            process.stop(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)

    def _started(self, *arguments: str, told: str = "") -> StartedProcess:
        return starter().start(arguments, self.environment, self.folder, told)


@cache
def starter() -> WarmStarter:
    """The helper that starts processes; one for all attacks."""
    helper = WarmStarter()
    atexit.register(helper.close)
    return helper
