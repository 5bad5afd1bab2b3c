"""Random edits of a project; after each, the index that followed equals one made from nothing.

python -m benchmarks.graph_edits --rounds 500
"""

import argparse
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.code import NodeKind

NAMES = ("cart", "price", "tax", "order", "user", "mail", "store", "index")
FOLDERS = ("", "shop/", "shop/core/", "lib/", "web/")


class Editor:
    """Changes a project at random: adds, changes, renames, deletes, switches branches."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self._root = root
        self._dice = dice
        self._branches = ["main"]

    def begin(self) -> None:
        """A small project with a branch."""
        self._root.mkdir(parents=True, exist_ok=True)
        self._git("init", "--quiet", "-b", "main")
        for _ in range(8):
            self._add()
        self._commit()

    def step(self) -> str:
        """One change; what it was."""
        change = self._dice.choice(
            [
                *(self._add, self._add, self._change, self._change, self._rename),
                *(self._delete, self._switch, self._break),
            ]
        )
        return f"{change.__name__}: {change()}"

    def _files(self) -> list[Path]:
        return sorted(
            path for path in self._root.rglob("*") if path.is_file() and ".git" not in path.parts
        )

    def _add(self) -> str:
        folder, name = self._dice.choice(FOLDERS), self._dice.choice(NAMES)
        ending = self._dice.choice([".py", ".py", ".py", ".ts", "/__init__.py", "/index.ts"])
        path = self._root / f"{folder}{name}{ending}"
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            return "nothing"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._text(path))
        return str(path.relative_to(self._root))

    def _text(self, path: Path) -> str:
        one, two, three = (self._dice.choice(NAMES) for _ in range(3))
        folder = self._dice.choice(FOLDERS).strip("/").replace("/", ".")
        if path.suffix == ".ts":
            return (
                f"import {{ {one} as other }} from './{two}';\nexport * from '../{three}';\n"
                f"export function {one}() {{ return other.{two}(); }}\n"
                f"export class {two.title()} {{ {three}() {{ this.{three}(); {one}(); }} }}\n"
            )
        module = f"{folder}.{two}" if folder else two
        dots = self._dice.choice(["", ".", ".."])
        return (
            f"import {module}\nfrom {dots}{two} import {one} as first, {three}\n"
            f"from {dots or '.'} import {three} as beside\nfrom {two} import *\n\n\n"
            f"class {one.title()}({two.title()}):\n"
            f"    def {two}(self):\n        self.{three}()\n        first()\n\n\n"
            f"TABLE = [first, {three}]\n\n\n"
            f"def {one}(x: {two.title()}):\n    {module}.{three}()\n    x.{two}()\n    {two}()\n"
            f"    for each in TABLE:\n        each()\n    return beside.made.{two}\n"
        )

    def _change(self) -> str:
        files = self._files()
        if not files:
            return self._add()
        path = self._dice.choice(files)
        kind = self._dice.choice(["anew", "anew", "more", "more", "remark"])
        if kind == "anew":
            path.write_text(self._text(path))
        elif kind == "more":
            with path.open("a") as file:
                file.write(self._definition(path.suffix))
        else:
            with path.open("a") as file:
                file.write(f"\n# {self._dice.random()}\n" if path.suffix == ".py" else "\n")
        return str(path.relative_to(self._root))

    def _definition(self, ending: str) -> str:
        """A function or class more, by a name that others may mention or by one that none does."""
        name = self._dice.choice([*NAMES, f"fresh{self._dice.randrange(1_000)}"])
        other = self._dice.choice(NAMES)
        if ending == ".py":
            made = f"class {name.title()}({other.title()}):\n    def {other}(self): ...\n"
            return f"\n\n{made}" if self._dice.random() < 0.4 else f"\n\ndef {name}(): {other}()\n"
        return f"\nexport function {name}() {{ return {other}(); }}\n"

    def _rename(self) -> str:
        files = self._files()
        if not files:
            return self._add()
        path = self._dice.choice(files)
        target = path.with_name(self._dice.choice(NAMES) + path.suffix)
        if not target.exists():
            path.rename(target)
        return f"{path.name} to {target.name}"

    def _delete(self) -> str:
        files = self._files()
        if len(files) < 3:
            return self._add()
        path = self._dice.choice(files)
        path.unlink()
        return str(path.relative_to(self._root))

    def _break(self) -> str:
        """A file that is half written."""
        files = self._files()
        if not files:
            return self._add()
        path = self._dice.choice(files)
        text = path.read_text()
        path.write_text(text[: len(text) // 2])
        return str(path.relative_to(self._root))

    def _switch(self) -> str:
        self._commit()
        if len(self._branches) < 3 and self._dice.random() < 0.6:
            name = f"branch{len(self._branches)}"
            self._branches.append(name)
            self._git("checkout", "--quiet", "-b", name)
            self._delete()
            self._add()
            self._commit()
        else:
            name = self._dice.choice(self._branches)
            self._git("checkout", "--quiet", name)
        return name

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "-m", "a change")

    def _git(self, *words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(self._root), *words],
            check=True,
            capture_output=True,
        )


def contents(memory: Recollect) -> dict[str, Any]:
    """All that an index holds, in an order of its own."""
    graph, _ = memory._services.code.questions.graphs.opened(memory.viewer, memory.space)
    edges = sorted(
        (
            graph.nodes[graph.sources[edge]].label,
            graph.nodes[graph.targets[edge]].label,
            graph.kind_of(edge),
            graph.how_of(edge),
            round(float(graph.confidences[edge]), 4),
            int(graph.lines[edge]),
        )
        for edge in range(len(graph.sources))
    )
    return {
        "files": sorted((row.path, row.digest, row.role) for row in graph.files),
        "nodes": sorted((n.label, n.kind, n.start_line, n.end_line) for n in graph.nodes),
        "edges": edges,
        "stale": sorted(row.path for row in graph.files if row.stale),
        "folders": sum(node.kind is NodeKind.DIRECTORY for node in graph.nodes),
    }


def main() -> None:
    """Edit, follow, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-edits-") as folder:
        root = Path(folder) / "project"
        editor = Editor(root, random.Random(given.seed))
        editor.begin()
        with recollect.open(Path(folder) / "m.db", embedder="none", worker=False) as memory:
            memory.code.index(root)
            resolved = 0
            for number in range(1, given.rounds + 1):
                told = editor.step()
                resolved += memory.code.index(root).resolved
                fresh = memory.within(space=f"fresh {number}")
                fresh.code.index(root)
                if contents(memory) != contents(fresh):
                    raise SystemExit(f"Round {number}: the two differ after {told}.")
            print(f"{given.rounds} rounds: equal after each; {resolved} files resolved again.")


if __name__ == "__main__":
    main()
