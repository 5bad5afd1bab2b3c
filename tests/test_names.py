"""One name, one thing: no two classes of the package share a name, no word is defined twice."""

import ast
import re
from collections import Counter, defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "recollect"


def shared_names(root: Path) -> dict[str, list[str]]:
    """The names of several classes below a folder, with the files that define them.

    Only files with lines that look as if they did are parsed: a class begins a line.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    begun = {path: re.findall(r"^\s*class\s+(\w+)", text, re.M) for path, text in texts.items()}
    counted = Counter(name for names in begun.values() for name in names)
    found: dict[str, list[str]] = defaultdict(list)
    for path, names in begun.items():
        if any(counted[name] > 1 for name in names):
            for node in ast.walk(ast.parse(texts[path])):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(str(path.relative_to(root)))
    return {name: files for name, files in found.items() if len(files) > 1}


def words(page: str) -> list[str]:
    """The words that a page of tables defines: what stands in bold in a row's first column."""
    rows = re.findall(r"^\|([^|]*)\|", page, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"\*\*([^*]+)\*\*(?! \()", row)]


def twice(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def test_no_two_classes_share_a_name() -> None:
    assert shared_names(PACKAGE) == {}


def test_two_classes_of_one_name_are_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Planted:\n    pass\n", encoding="utf-8")
    assert shared_names(tmp_path) == {"Planted": ["one.py", "other.py"]}


def test_the_vocabulary_defines_each_word_once() -> None:
    page = (REPOSITORY / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    assert len(words(page)) > 50
    assert twice(words(page)) == []


def test_a_word_that_is_defined_twice_is_found() -> None:
    assert twice(words("| **slot** | a |\n| **slot** | b |\n| **job** (of a day) | c |\n")) == [
        "slot"
    ]
