"""What impact names, against what a test run tells: functions are broken one by one.

A function of a package is made to raise, the package's own tests are run, and those that fail now
and did not before are looked for in the impact list of that function. A function whose breaking
fails no test, or keeps the tests from being collected at all, says nothing and is left out.

    python -m benchmarks.graph_mutations --sources DIR --tests tests --code src --count 15
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import recollect

_QUIETLY = "-q -rfE --no-header --tb=no -p no:cacheprovider -p no:xdist".split()
_RESULT = re.compile(r"^(FAILED|ERROR) (\S+?)(?: - .*)?$", re.M)


def failing(root: Path, tests: list[str], python: str, seconds: int) -> set[str] | None:
    """The tests that fail; None when they could not be run."""
    paths = os.pathsep.join([str(root / "src"), str(root)])
    try:
        done = subprocess.run(
            [python, "-m", "pytest", *_QUIETLY, *tests],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        )
    except subprocess.TimeoutExpired:
        return None
    found = {name for _, name in _RESULT.findall(done.stdout)}
    return found if done.returncode in {0, 1} else None


def functions_in(root: Path, folder: str) -> list[tuple[str, str, int]]:
    """Functions and methods of some size: path, qualified name, line of the first statement."""
    found = []
    for path in sorted((root / folder).rglob("*.py")):
        below = path.relative_to(root).as_posix()
        if "test" in below:
            continue
        try:
            tree = ast.parse(path.read_text("utf-8"))
        except (SyntaxError, ValueError):
            continue
        pending: list[tuple[Any, str]] = [(tree, "")]
        while pending:
            node, prefix = pending.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    pending.append((child, f"{prefix}{child.name}."))
                elif isinstance(child, ast.FunctionDef) and len(child.body) > 1:
                    first = child.body[1 if ast.get_docstring(child) else 0]
                    special = child.name.startswith("__") and child.name != "__init__"
                    if not special and first.lineno != child.lineno:
                        found.append((below, f"{prefix}{child.name}", first.lineno))
    return found


def broken(path: Path, line: int) -> None:
    """Make a function raise before its first statement."""
    lines = path.read_text("utf-8").splitlines(keepends=True)
    indent = re.match(r"\s*", lines[line - 1])
    lines.insert(line - 1, f"{indent[0] if indent else ''}raise RuntimeError('mutation')\n")
    path.write_text("".join(lines), "utf-8")


def study(given: Any) -> dict[str, Any]:
    """Break functions, run the tests, compare."""
    with tempfile.TemporaryDirectory(prefix="recollect-mutations-") as folder:
        root = Path(folder) / "work"
        shutil.copytree(given.sources, root, symlinks=True)
        before = failing(root, given.tests, given.python, given.seconds)
        if before is None:
            raise SystemExit("The tests could not be run as they are.")
        rows: list[dict[str, Any]] = []
        with recollect.open(Path(folder) / "m.db", embedder="none", worker=False) as memory:
            memory.code.index(root)
            functions = functions_in(root, given.code)
            random.Random(given.seed).shuffle(functions)
            for path, name, line in functions:
                if len(rows) >= given.count:
                    break
                kept = (root / path).read_text("utf-8")
                broken(root / path, line)
                after = failing(root, given.tests, given.python, given.seconds)
                (root / path).write_text(kept, "utf-8")
                if after is None or not after - before:
                    continue
                rows.append(_compared(memory, f"{path}::{name}", after - before, given.depth))
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return {
        "functions": len(rows),
        "recall_of_tests": round(statistics.mean(row["recall"] for row in rows), 4),
        "recall_of_files": round(statistics.mean(row["recall_files"] for row in rows), 4),
        "tests_named": statistics.median(row["named"] for row in rows),
        "tests_failing": statistics.median(row["failing"] for row in rows),
        "list_length": statistics.median(row["length"] for row in rows),
    }


def _compared(memory: Any, target: str, failed: set[str], depth: int) -> dict[str, Any]:
    impact = memory.code.impact(target, depth=depth, limit=100_000)
    tests = {(one.node.path, one.node.name) for one in impact.tests}
    files = {path for path, _ in tests}
    hits = sum(_named(name, tests) for name in failed)
    failed_files = {name.partition("::")[0] for name in failed}
    return {
        "target": target,
        "failing": len(failed),
        "recall": hits / len(failed),
        "recall_files": len(failed_files & files) / len(failed_files),
        "named": len(tests),
        "length": len(impact.tests) + len(impact.touched),
    }


def _named(test: str, named: set[tuple[str, str]]) -> bool:
    path, _, rest = test.partition("::")
    name = re.sub(r"\[.*", "", rest).replace("::", ".")
    return (path, name) in named


def main() -> None:
    """Run the study and print it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sources", type=Path, required=True, help="a package with its tests")
    parser.add_argument("--tests", nargs="+", default=["tests"])
    parser.add_argument("--code", default="src", help="the folder whose functions are broken")
    parser.add_argument("--python", default=sys.executable, help="a Python that can run the tests")
    parser.add_argument("--count", type=int, default=15)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(study(parser.parse_args())))


if __name__ == "__main__":
    main()
