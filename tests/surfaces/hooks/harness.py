"""A harness as agents have one: it runs hook processes with JSON on their standard input."""

import fcntl
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import recollect
from recollect.context.projects import project_of
from recollect.engine import Recollect
from recollect.surfaces.hooks.installer import command
from tests.child_processes import ROOT, ForkedProcess
from tests.surfaces.hooks.forked_daemon import SERVING

SOURCE = str(Path(recollect.__file__).parent.parent)
#: Seconds between two looks at whether something has happened, at least.
_LOOK = 0.02
#: A look at the store or at all processes is costly, and comes less often: so many times as long as
#: it took is left to what is waited for.
_LEFT_FREE = 4
_DAEMON = "tests.surfaces.hooks.forked_daemon"
_IDS = re.compile(r"\[(\w+) [0-9a-z]{8}\]")


class Harness:
    """One user's agent: a project, a home, and whatever daemon the hooks start there.

    An interpreter that loads all that a daemon needs takes most of the time of a test. Where
    ``forks_daemons`` is set a hook finds a daemon that was forked for it (``forked_daemon``): for
    tests that are not about how a hook starts one.
    """

    forks_daemons = False
    _forked: ForkedProcess | None = None

    def __init__(self, folder: Path, project: Path | None = None, **settings: str) -> None:
        self.home = folder / "agent"
        self.db = folder / "memory.db"
        self.project = project or folder / "work" / "app"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ,
            "PYTHONPATH": SOURCE,
            "RECOLLECT_DB": str(self.db),
            "RECOLLECT_USER": "ada",
            "RECOLLECT_AGENT_PATIENCE": "60",
            **settings,
        }

    def send(self, event: str, payload: bytes, harness: str = "claude-code") -> "Said":
        """One hook process with these bytes."""
        if self.forks_daemons and (self._forked is None or self._forked.poll() is not None):
            self._fork_daemon()
        done = subprocess.run(
            command(self.home, harness, event),
            input=payload,
            capture_output=True,
            env=self.environment,
            timeout=240,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def hook(self, event: str, session: str = "one", **data: Any) -> str:
        """One event as Claude Code sends it; what the agent is told."""
        payload = {
            "session_id": session,
            "transcript_path": "/nowhere/transcript.jsonl",
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": event,
            **data,
        }
        said = self.send(event, json.dumps(payload).encode())
        assert said.code == 0, said.error
        return said.context(event)

    def tool(self, tool: str, call: str, session: str = "one", **given: Any) -> str:
        """A call that succeeds; what the agent is told before and after it."""
        response = given.pop("response", {"stdout": "", "stderr": ""})
        told = self.call("PreToolUse", tool, call, session, **given)
        after = self.call("PostToolUse", tool, call, session, tool_response=response, **given)
        return "\n".join(part for part in (told, after) if part)

    def call(self, event: str, tool: str, call: str, session: str = "one", **given: Any) -> str:
        """One event of a tool."""
        more = {name: given.pop(name) for name in ("tool_response", "error") if name in given}
        return self.hook(event, session, tool_name=tool, tool_input=given, tool_use_id=call, **more)

    def path(self, name: str) -> str:
        return str(self.project / name)

    @property
    def pid(self) -> int:
        """The daemon's process."""
        return int((self.home / "daemon.pid").read_text())

    def stop(self) -> None:
        """End the daemon and wait until it is gone: then its lock is free.

        One that is only starting has no id yet; it is ended as soon as it has one.
        """
        if not self.home.exists():
            return
        self.wait_for_writers()
        told = False
        with (self.home / "daemon.lock").open("a") as lock:
            while True:
                with suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if not told:
                    with suppress(FileNotFoundError, ValueError, ProcessLookupError):
                        os.kill(self.pid, signal.SIGTERM)
                        told = True
                time.sleep(_LOOK)
        self._see_the_end()

    def wait_for_writers(self) -> None:
        """Until every event that a hook process handed to a process of its own is written down."""
        self.until(lambda: not any("--write" in arguments for arguments in self.processes()))

    def until(self, happened: Callable[[], bool]) -> None:
        """Until something has happened that a process does behind."""
        began = time.monotonic()
        while not happened():
            time.sleep(max(_LOOK, _LEFT_FREE * (time.monotonic() - began)))
            began = time.monotonic()

    def processes(self) -> list[list[str]]:
        """The arguments of every process that hooks started here and that still runs."""
        found = []
        home = os.path.realpath(self.home)
        for process in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                arguments = Path(f"/proc/{process}/cmdline").read_bytes()
                if b"recollect.surfaces.hooks" not in arguments:
                    continue
                if os.path.realpath(f"/proc/{process}/cwd") == home:
                    found.append(arguments.decode("utf-8", "replace").split("\0"))
        return found

    def wait(self) -> None:
        """Until no daemon holds the lock."""
        with (self.home / "daemon.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
        self._see_the_end()

    def _fork_daemon(self) -> None:
        """A daemon, unless a hook process has started one meanwhile."""
        self._forked = ForkedProcess(
            [str(self.home)], environment=self.environment, folder=ROOT, module=_DAEMON
        )
        with self._forked.stdout as told:
            if told.readline() != SERVING:
                self._see_the_end()

    def _see_the_end(self) -> None:
        """Of a forked daemon: its lock is free a moment before the process is gone."""
        if self._forked is not None:
            self._forked.wait(60)
            self._forked = None

    def memory(self) -> Recollect:
        """The engine on the project's space."""
        space = project_of(self.project).space
        return recollect.open(self.db, user="ada", space=space, worker=False)


class Said:
    """What a hook process said."""

    def __init__(self, code: int, output: bytes, error: bytes) -> None:
        self.code = code
        self.output = output
        self.error = error.decode()

    def context(self, event: str) -> str:
        """The context in Claude Code's shape, with ids made alike."""
        if not self.output:
            return ""
        told = json.loads(self.output)["hookSpecificOutput"]
        assert told["hookEventName"] == event
        assert len(told["additionalContext"]) <= 10_000
        return _IDS.sub(r"[\1 ID]", told["additionalContext"])
