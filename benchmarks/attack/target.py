"""What is attacked: a fresh store of one kind, and the surfaces started on it as users start them.

Every target has a folder of its own, which is also the home of whatever runs in it, so an attack
never meets the files of the person who runs it. What was started is stopped by its id.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

import recollect
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
        return subprocess.run(
            [sys.executable, "-m", "recollect", "--db", self.address, *arguments],
            capture_output=True,
            check=False,
            text=True,
            input=told,
            env=self.environment,
            cwd=self.folder,
            timeout=seconds,
        )

    @contextmanager
    def serving(self, *arguments: str) -> Iterator[httpx2.Client]:
        """A real server on loopback, and a client of it."""
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "--db", self.address, "--json", "serve",
             "--port", "0", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment,
            cwd=self.folder, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            with httpx2.Client(base_url=url, timeout=_SERVER_STARTS) as client:
                yield client
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
