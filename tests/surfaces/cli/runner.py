"""Ways to run a command in a test: a real process, a copy of one that has loaded the libraries,
and in this process, where it is quickest."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from recollect.surfaces.cli.app import app
from tests.child_processes import ForkedProcess
from tests.fork_server import fork_server
from tests.temporary import temporary_root

#: The module that runs commands under a limit.
LIMITED = "tests.surfaces.cli.limited"
SOURCE = Path(__file__).resolve().parents[3] / "src"


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error in it."""
        assert list(self.document) == ["error"]
        found = self.document["error"]
        assert set(found) == {"code", "message", "hint"}
        return dict(found)


class InProcess:
    """Runs commands on one file, in this process."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def __call__(self, *arguments: str, input: str | bytes | None = None) -> Ran:
        typed = ["--db", str(self.db), *arguments]
        result = CliRunner().invoke(app, typed, input=input, catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    def json(self, *arguments: str, input: str | bytes | None = None) -> Any:
        """The answer of a command that must succeed."""
        ran = self(*arguments, "--json", input=input)
        assert ran.code == 0, ran
        return ran.document

    def remember(self, *arguments: str) -> str:
        """The id of a new memory."""
        return str(self.json("remember", *arguments)["id"])


class Processes:
    """Runs commands as processes of their own, on one store, in one folder."""

    def __init__(self, db: Path | str, folder: Path | None = None) -> None:
        self.db: Any = db
        self.folder = folder or Path(db).parent
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(SOURCE), str(SOURCE.parent)]),
            "RECOLLECT_DB": str(db),
        }

    @property
    def here(self) -> InProcess:
        """The same commands in this process, to prepare and to look: it starts sooner."""
        return InProcess(self.db)

    def command(self, *arguments: str | bytes) -> list[str | bytes]:
        """What is run."""
        return [sys.executable, "-m", "recollect", *arguments]

    def __call__(
        self,
        *arguments: str | bytes,
        input: bytes = b"",
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Ran:
        environment = {**self.environment, **(env or {})}
        if not options and fork_server().takes(arguments, environment):
            return self._forked([str(part) for part in arguments], environment, input)
        return self._run(self.command(*arguments), input=input, env=env, **options)

    def limited(self, to: str, *arguments: str, input: bytes = b"") -> Ran:
        """A command that lacks a right, or room, to write (``limited.py``): it answers on pipes,
        which have room where files have none.
        """
        with tempfile.TemporaryFile(dir=temporary_root()) as given:
            given.write(input)
            given.seek(0)
            started = ForkedProcess(
                [to, *arguments],
                environment=self.environment,
                folder=self.folder,
                module=LIMITED,
                stdin=given,
                stderr=subprocess.PIPE,
            )
            out, err = started.communicate(timeout=240)
        assert started.returncode is not None
        return Ran(started.returncode, out, err)

    def _forked(self, arguments: list[str], environment: Mapping[str, str], input: bytes) -> Ran:
        """The command in a copy of a process that has loaded the libraries."""
        with (
            tempfile.TemporaryFile(dir=temporary_root()) as given,
            tempfile.TemporaryFile(dir=temporary_root()) as out,
            tempfile.TemporaryFile(dir=temporary_root()) as err,
        ):
            given.write(input)
            given.seek(0)
            streams = [given.fileno(), out.fileno(), err.fileno()]
            code = fork_server().start(arguments, environment, self.folder, streams).wait(120)
            out.seek(0)
            err.seek(0)
            return Ran(code, out.read().decode(), err.read().decode())

    def script(self, text: str) -> Ran:
        """A program of a test's own."""
        return self._run([sys.executable, "-c", text])

    def _run(
        self,
        command: list[str | bytes],
        *,
        input: bytes = b"",
        env: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Ran:
        ended = subprocess.run(
            command,
            input=input,
            capture_output=True,
            env={**self.environment, **(env or {})},
            cwd=self.folder,
            timeout=120,
            check=False,
            **options,
        )
        return Ran(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def start(
        self, *arguments: str, stdin: int | Any | None = None
    ) -> "ForkedProcess | subprocess.Popen[str]":
        """A command that goes on; whoever starts it ends it."""
        if fork_server().takes(arguments, self.environment):
            return ForkedProcess(
                arguments,
                environment=self.environment,
                folder=self.folder,
                stdin=stdin,
                stderr=subprocess.PIPE,
            )
        return subprocess.Popen(
            [str(part) for part in self.command(*arguments)],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=stdin,
        )
