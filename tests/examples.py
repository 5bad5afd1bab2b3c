"""The fenced examples of the documentation, and what each kind of them is run with.

A block says by its first line what it is: `python` and `sh` are run, `console` is run where a line
begins with a prompt, `json` must be read, and `text`, `yaml` and `sql` are only shown.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
KINDS = ("python", "sh", "console", "json", "text", "yaml", "sql")
#: Shown, and run nowhere: what a program said, a drawing, and settings of other programs.
SHOWN = ("text", "yaml", "sql")

#: Commands of which only the words are checked, by how they begin, each with the reason.
ONLY_PARSED = {
    "serve": "stays until it is stopped; the requests of the examples go to a server in the test",
    "mcp": "stays until it is stopped; tests/surfaces/mcp talks to it",
    "watch": "stays until it is stopped",
    "sync": "needs a second machine; tests/sync and tests/surfaces/cli run it with one",
    "conflicts": "needs a second machine, as sync does",
    "move": "needs a PostgreSQL server; tests/storage/test_move.py moves both ways",
    "tenant": "needs a PostgreSQL server; tests/storage/test_tenants.py has one",
    "--db": "needs a PostgreSQL server",
    "settings set db": "needs a PostgreSQL server",
    "settings set embedder": "needs a model server; tests/inference has one",
    "bench": "needs data that the project does not ship; test_bench.py makes small ones",
    "learn": "reads a history of Claude Code; tests/observer has one",
    "import transcripts": "reads a history of Claude Code",
    "import mem0 ~": "reads a file that mem0 wrote; tests/surfaces/mem0 has one",
}
#: Python blocks that are only compiled, by page and place among its Python blocks.
ONLY_COMPILED = {
    ("mem0.md", 1): "runs mem0 itself, to write its entries down",
    ("sync.md", 0): "needs a second machine; tests/sync has one",
}

#: What the last command of each use on the start page says, by its name.
FIVE_USES = {
    "recall": "Tuesdays",
    "say": "allergic to peanuts",
    "ask": "nine",
    "review": "",
    "impact": "app.py",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    kind: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page. The reference of commands is made from them, and left out."""
    found, inside, start, kind = [], False, 0, ""
    lines: list[str] = []
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                start, kind, lines = number, line[3:].strip(), []
            else:
                found.append(Block(page.name, start, kind, "\n".join(lines)))
        elif inside:
            lines.append(line)
    assert not inside, f"{page.name}:{start} has no end"
    return found


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block, as the words that a shell would make of them."""
    typed = block.text
    if block.kind == "console":
        shown = [line for line in typed.splitlines() if re.match(r"(?:[\w@]+)?\$ ", line)]
        typed = "\n".join(line.split("$ ", 1)[1] for line in shown)
    waiting = ""
    for line in typed.splitlines():
        waiting += line + "\n"
        if line.endswith("\\"):
            continue
        try:
            words = shlex.split(waiting, comments=True)
        except ValueError:  # a quote goes on in the next line
            continue
        waiting = ""
        yield from _apart(words)
    assert not waiting.strip(), f"{block.page}:{block.line} ends within a command"


def _apart(words: list[str]) -> Iterator[list[str]]:
    """The commands of one line, of which several may stand behind each other."""
    one: list[str] = []
    for word in words:
        ended = word.rstrip(";&")
        if ended:
            one.append(ended)
        if ended != word and one:
            yield one
            one = []
    if one:
        yield one


def why_only_parsed(words: list[str]) -> str | None:
    """The reason why a command is not run, where there is one."""
    typed = " ".join(words)
    return next((why for begins, why in ONLY_PARSED.items() if typed.startswith(begins)), None)
