"""A long command that stays where it is, so that a test can interrupt it exactly there."""

import subprocess
from pathlib import Path

from tests.child_processes import ForkedProcess
from tests.surfaces.cli.runner import Processes

#: Found by the interpreter as it starts. Whoever is told how far the command is stays there.
_STAYS = """
import os, signal
from recollect.surfaces.cli import progress

def staying(verb):
    def advance(done, total, words):
        if words.startswith(os.environ["STAY_AT"]):
            print("here", flush=True)
            signal.pause()
    return advance

progress._now_and_then = staying
"""


def stayed(
    process: Processes, folder: Path, at: str, *arguments: str
) -> "ForkedProcess | subprocess.Popen[str]":
    """A command that stays when it first says that it is at these words, and is there by now."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_STAYS)
    before = process.environment
    process.environment = {
        **before,
        "PYTHONPATH": f"{site}:{before['PYTHONPATH']}",
        "STAY_AT": at,
    }
    try:
        started = process.start(*arguments)
    finally:
        process.environment = before
    assert started.stdout
    assert started.stdout.readline() == "here\n"
    return started
