"""One name, one thing: no two classes of the package share a name, no word is defined twice."""

import ast
import re
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "recollect"


def classes(root: Path) -> dict[str, list[str]]:
    """Every class below a folder by its name, with the files that define one of that name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(root)))
    return found


def words(page: str) -> list[str]:
    """The words that a page of tables defines: what stands in bold in a row's first column."""
    rows = re.findall(r"^\|([^|]*)\|", page, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"\*\*([^*]+)\*\*(?! \()", row)]


def twice(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def test_no_two_classes_share_a_name() -> None:
    shared = {name: files for name, files in classes(PACKAGE).items() if len(files) > 1}
    assert shared == {}


def test_two_classes_of_one_name_are_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Planted:\n    pass\n", encoding="utf-8")
    assert classes(tmp_path)["Planted"] == ["one.py", "other.py"]


def test_the_vocabulary_defines_each_word_once() -> None:
    page = (REPOSITORY / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    assert len(words(page)) > 50
    assert twice(words(page)) == []


def test_a_word_that_is_defined_twice_is_found() -> None:
    assert twice(words("| **slot** | a |\n| **slot** | b |\n| **job** (of a day) | c |\n")) == [
        "slot"
    ]
