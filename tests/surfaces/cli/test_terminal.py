"""In a terminal: colours, short ids, relative times, questions, an editor."""

import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest

from tests.fork_server import ForkedCommand, fork_server
from tests.surfaces.cli.runner import Processes, Ran

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """Runs commands with a pseudo-terminal on all three ends."""

    def __init__(self, process: Processes) -> None:
        self.process = process
        self.environment = {**process.environment, "TERM": "xterm-256color", "COLUMNS": "100"}
        self.environment.pop("NO_COLOR", None)

    def __call__(self, *arguments: str, answer: str | None = None, **environment: str) -> Ran:
        ours, theirs = pty.openpty()
        wanted = {**self.environment, **environment}
        folder = self.process.db.parent
        started = fork_server().start(arguments, wanted, folder, [theirs, theirs, theirs])
        os.close(theirs)
        if answer is not None:
            os.write(ours, answer.encode())
        seen = _all_of(ours, started)
        os.close(ours)
        return Ran(started.wait(60), seen.replace("\r\n", "\n"), "")


def _all_of(descriptor: int, started: ForkedCommand) -> str:
    pieces = []
    end = time.monotonic() + 60
    while time.monotonic() < end:
        ready, _, _ = select.select([descriptor], [], [], 0.2)
        if not ready:
            if started.poll() is not None:
                break
            continue
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode()


@pytest.fixture
def terminal(process: Processes) -> Terminal:
    return Terminal(process)


def remembered(terminal: Terminal, *arguments: str) -> str:
    return terminal.process.here.remember(*arguments)


def test_recall_is_coloured_and_short(terminal: Terminal) -> None:
    identifier = remembered(
        terminal, "The staging database is reset every night.", "--type", "gotcha", "--tag", "ops"
    )
    out = terminal("recall", "staging", "resets").out
    assert "\x1b[1;33mstaging\x1b[0m" in out
    assert "\x1b[1;33mreset\x1b[0m" in out
    words = ESCAPE.sub("", out)
    assert identifier[-8:] in words
    assert identifier not in words
    assert re.search(r"1 +▰▰▰▰[▰▱] (?:1\.00|0\.[89]\d)  gotcha", words)
    assert "#ops" in words
    assert re.search(r"ada, (just now|\d+ seconds ago), user taught", words)


@pytest.mark.parametrize(
    "command", [["list"], ["stats"], ["doctor"], ["settings"], ["spaces"], ["--help"]]
)
def test_no_color(terminal: Terminal, command: list[str]) -> None:
    remembered(terminal, "words")
    assert re.search(r"\x1b\[[0-9;]*(1|2|3[0-9])m", terminal(*command).out)
    without = terminal(*command, NO_COLOR="1").out
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", without)
    assert ESCAPE.sub("", without).strip()


def test_a_dumb_terminal_is_a_pipe(terminal: Terminal) -> None:
    identifier = remembered(terminal, "words")
    out = terminal("list", TERM="dumb").out
    assert "\x1b" not in out
    assert identifier in out


def test_list_tells_ids_apart(terminal: Terminal) -> None:
    ids = [remembered(terminal, f"memory {number}") for number in range(3)]
    words = ESCAPE.sub("", terminal("list").out)
    for identifier in ids:
        assert words.count(identifier[-8:]) == 1
        assert terminal.process.here("show", identifier[-8:]).code == 0


def test_error_is_red_and_one_sentence(terminal: Terminal) -> None:
    ran = terminal("show", "mem_x")
    assert (ran.code, ran.out) == (1, "\x1b[31mNo memory 'mem_x' is visible here.\x1b[0m\n")
    assert terminal("show", "mem_x", NO_COLOR="1").out == "No memory 'mem_x' is visible here.\n"


def test_forget_for_good_asks(terminal: Terminal) -> None:
    identifier = remembered(terminal, "precious")
    ran = terminal("forget", identifier, "--for-good", answer="n\n")
    assert ran.code == 1
    assert "Erase 'precious' and its history for good? [y/N]" in ran.out
    assert "Nothing was changed." in ran.out
    assert terminal.process.here("show", identifier).code == 0
    ran = terminal("forget", identifier, "--for-good", answer="y\n")
    assert ran.code == 0
    assert terminal.process.here("show", identifier).code == 1


def test_forget_says_how_to_bring_it_back(terminal: Terminal) -> None:
    identifier = remembered(terminal, "words")
    assert f"'recollect restore {identifier}' restores it." in terminal("forget", identifier).out


def editor(folder: Path, body: str) -> str:
    script = folder / "editor.py"
    script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{body}\n")
    return f"{sys.executable} {script}"


def test_edit_opens_the_editor(terminal: Terminal, tmp_path: Path) -> None:
    identifier = remembered(terminal, "The bank closes at four.")
    chosen = editor(tmp_path, "path.write_text(path.read_text().replace('four', 'five'))")
    ran = terminal("edit", identifier, EDITOR=chosen)
    assert ran.code == 0, ran
    assert "Changed" in ran.out
    shown = terminal.process.here("show", identifier, "--json").document
    assert shown["content"] == "The bank closes at five."


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("", 0, "Left as it was"),
        ("sys.exit(3)", 1, "The editor ended with 3. Nothing was changed."),
        ("path.write_text('')", 1, "The content is empty."),
        ("path.write_bytes(b'\\xff')", 1, "not UTF-8. Nothing was changed."),
    ],
)
def test_editor_that_does_nothing_useful(
    terminal: Terminal, tmp_path: Path, body: str, code: int, words: str
) -> None:
    identifier = remembered(terminal, "The bank closes at four.")
    ran = terminal("edit", identifier, EDITOR=editor(tmp_path, body))
    assert ran.code == code
    assert words in ESCAPE.sub("", ran.out)
    assert terminal.process.here("show", identifier, "--json").document["revision"] == 1


def test_editor_that_is_not_there(terminal: Terminal) -> None:
    identifier = remembered(terminal, "words")
    ran = terminal("edit", identifier, VISUAL="/no/such/editor")
    assert ran.code == 1
    assert "cannot be started: No such file or directory. Nothing was changed." in ran.out


def test_import_draws_a_bar(terminal: Terminal, tmp_path: Path) -> None:
    lines = (f'{{"id": "{n}", "text": "line {n}", "stream": "s"}}\n' for n in range(3_000))
    (tmp_path / "events.jsonl").write_text("".join(lines))
    out = terminal("import", "events.jsonl").out
    assert "Importing" in out
    assert "3,000 events" in ESCAPE.sub("", out)
    assert "Imported 3,000 events into 1 stream." in ESCAPE.sub("", out)


def test_tour_looks_good(terminal: Terminal) -> None:
    ran = terminal("tour")
    assert ran.code == 0
    assert "\x1b[1;35m1. Remember" in ran.out
    assert "7. Take stock" in ESCAPE.sub("", ran.out)


def test_show_frames_the_words(terminal: Terminal) -> None:
    identifier = remembered(terminal, "Some words.", "--pin")
    words = ESCAPE.sub("", terminal("show", identifier).out)
    assert "╭─ fact" in words
    assert "│ Some words." in words
    assert re.search(r"state +pinned", words)
