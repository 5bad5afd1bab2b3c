"""The story of two laptops and a server, as a terminal shows it, for ``docs/sync.md``.

    python -m benchmarks.sync_story

Every line that begins with ``$`` is a command that is really run, and what follows is its answer.
Ids and sizes are shortened, because they are different every time.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_IDS = re.compile(r"mem_[0-9a-z]{20}([0-9a-z]{6})")
_SIZES = re.compile(r"[0-9,]+ bytes")


class Story:
    """A folder with a server's file and the laptops' files, and a shell in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lines: list[str] = []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def run(self, who: str, *words: str, shown: str | None = None) -> str:
        """Run one command as somebody, and keep it with its answer."""
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *words],
            env=self._environment(who),
            capture_output=True,
            text=True,
            check=False,
        )
        command = shown or " ".join(f'"{word}"' if " " in word else word for word in words)
        self.lines.append(_IDS.sub(r"mem_...\1", f"{who}$ recollect {command}"))
        answer = _SIZES.sub("... bytes", _IDS.sub(r"mem_...\1", done.stdout + done.stderr))
        answer = answer.replace(self.address, "https://memory.example.org")
        self.lines += [line for line in answer.splitlines() if line.strip()]
        return done.stdout

    def serve(self) -> "subprocess.Popen[bytes]":
        """Start the server."""
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "serve", "--port", str(self.port), "--tokens"],
            env=self._environment("server"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as door:
                if door.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.05)
        return process

    def _environment(self, who: str) -> dict[str, str]:
        user = who.split("@", maxsplit=1)[0]
        return {
            **os.environ,
            "RECOLLECT_DB": str(self._folder / f"{who.replace('@', '-')}.db"),
            "RECOLLECT_USER": user,
            "HOME": str(self._folder),
        }


def main() -> int:
    """Tell it on standard output."""
    with tempfile.TemporaryDirectory(prefix="recollect-story-") as folder:
        story = Story(Path(folder))
        tokens = {
            who: story.run("server", "token", "create", "--for", who).splitlines()[0]
            for who in ("ann", "bob")
        }
        story.lines.clear()
        server = story.serve()
        try:
            _told(story, tokens)
        finally:
            server.terminate()
            server.wait()
    print("\n".join(story.lines))
    return 0


def _told(story: Story, tokens: dict[str, str]) -> None:
    def sync(who: str, *more: str) -> None:
        token = tokens[who.split("@", maxsplit=1)[0]]
        shown = f"sync {'https://memory.example.org ' if more else ''}--token ..."
        story.run(who, "sync", *more, "--token", token, shown=shown)

    story.run("ann@desk", "remember", "Deploys run on Monday.", "--visibility", "project")
    story.run("ann@desk", "remember", "I take my tea black.", "--visibility", "personal")
    story.run("ann@desk", "sync", "--preview")
    sync("ann@desk", story.address)
    sync("ann@train", story.address)
    found = story.run("ann@train", "list", "--json")
    memory = re.search(r'"id": "(mem_[0-9a-z]+)"', found)
    assert memory is not None
    asked = next(place for place, line in enumerate(story.lines) if "list --json" in line)
    del story.lines[asked:]
    story.run("ann@desk", "edit", memory[1], "--content", "Deploys run on Tuesday.")
    story.run("ann@train", "edit", memory[1], "--content", "Deploys run on Friday.")
    sync("ann@desk")
    sync("ann@train")
    story.run("ann@train", "conflicts")
    story.run("ann@train", "conflicts", "keep", memory[1], "--number", "2")
    sync("ann@train")
    sync("ann@desk")
    story.run("ann@desk", "list")
    sync("bob@home", story.address)
    story.run("bob@home", "onboarding")


if __name__ == "__main__":
    sys.exit(main())
