"""Records questions to an invented channel of two years as a person sees them in a terminal.

``python -m benchmarks.recorded_research FILE`` imports the channel into a store of its own, asks
with ``recollect ask``, opens a citation with ``recollect show``, asks once more with a scripted
model on loopback that takes three rounds, and writes down what comes back, word for word.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.inference.model_server import running, says

MESSAGES: Final = (
    ("2023-02-06T09:12:00Z", "Ines", "Does anyone know why the nightly build takes three hours?"),
    (
        "2023-02-06T09:40:00Z",
        "Tomas",
        "@Ines the nightly build is slow because every test opens its own database.",
    ),
    ("2023-02-06T09:41:00Z", "Ines", "Thanks! I will share one database between the tests."),
    ("2023-06-12T10:20:00Z", "Ruth", "We move the wiki to the new server on Thursday."),
    ("2023-09-04T16:31:00Z", "Tomas", "Ruth reviews the parser, I review the storage."),
    ("2023-11-20T11:05:00Z", "Omar", "The release of 4.2 is on 1 December 2023."),
    ("2024-01-15T13:44:00Z", "Ruth", "The coffee machine on the third floor is broken again."),
    ("2024-03-11T15:02:00Z", "Omar", "We left Jenkins because its plugins broke at every update."),
    ("2024-03-12T09:15:00Z", "Tomas", "Builds run on our own runners now, Jenkins is off."),
    ("2024-08-19T12:10:00Z", "Ines", "The nightly build is slow again, the cache is full."),
)
#: What the model says: three plans, each with what it thinks of it, and the answer.
SCRIPT: Final = (
    {"sufficient": False, "searches": ["left Jenkins"]},
    {"confidence": 0.4, "searches": []},
    {"sufficient": False, "searches": ["builds runners"]},
    {"confidence": 0.6, "searches": []},
    {"sufficient": False, "searches": ["Jenkins off"]},
    {"confidence": 0.9, "searches": []},
    {
        "known": True,
        "answer": "Jenkins was left because its plugins broke at every update [1]. "
        "Builds run on own runners now [2]. It was too expensive [9].",
    },
)
_EVENT: Final = re.compile(r"evt_\w{26}")


class Terminal:
    """Runs commands on one store and keeps what they print."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lines: list[str] = []

    def run(self, *words: str, **settings: str) -> str:
        """Run a command; what it printed."""
        place = ["--db", str(self._folder / "team.db"), "--space", "team"]
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *place, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**os.environ, **settings},
        )
        return done.stdout

    def show(self, *words: str, **settings: str) -> str:
        """Run a command and write it down."""
        said = self.run(*words, **settings)
        self.lines += [f"$ recollect {shlex.join(words)}", *said.splitlines(), ""]
        return said


def recorded(folder: Path) -> str:
    """The questions, with what each process printed."""
    channel = folder / "channel.jsonl"
    rows = [{"time": time, "author": author, "text": text} for time, author, text in MESSAGES]
    channel.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    terminal = Terminal(folder)
    terminal.run("import", str(channel), "--stream", "builds")
    cited = _EVENT.findall(terminal.show("ask", "Why is the nightly build slow?"))
    terminal.show("show", cited[0])
    terminal.show("ask", "When is the release of 4.2?")
    terminal.show("ask", "When did Carla leave Jenkins?")
    with running() as server:
        server.script = says(*SCRIPT)
        terminal.show(
            "ask",
            "Why did we leave Jenkins and what came after it?",
            "--steps",
            RECOLLECT_MODEL="openai",
            RECOLLECT_MODEL_NAME="scripted",
            RECOLLECT_MODEL_URL=server.url,
            RECOLLECT_MODEL_KEY="none",
        )
    return "\n".join(line.rstrip() for line in terminal.lines)


def main() -> None:
    """Write the questions and their answers into a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.file.write_text(recorded(Path(folder)), encoding="utf-8")


if __name__ == "__main__":
    main()
