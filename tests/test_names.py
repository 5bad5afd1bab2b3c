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
    return [word for row in rows for word in re.findall(r"\*\*([^*]+)\*\*", row)]


def repeats(page: str) -> list[str]:
    """Pairs of words that say a thing again in another sentence of the same row, where one of
    the sentences holds nothing else.
    """
    found = []
    for row in re.findall(r"^\|[^|]*\|([^|]*)\|", page, re.MULTILINE):
        said = [re.findall(r"[a-z]+", one.lower()) for one in re.split(r"[.:;] ?", row)]
        for place, one in enumerate(said):
            short = " ".join(one[:2])
            others = [" ".join(words) for number, words in enumerate(said) if number != place]
            names_sense = one[:1] == ["of"]  # "Of a file: ...", the beginning of one of two senses
            if 1 < len(one) <= 3 and not names_sense and any(short in other for other in others):
                found.append(short)
    return found


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
    page = "| **slot** | a |\n| **slot** | b |\n| **job** | c |\n| **job** (of a day) | d |\n"
    assert twice(words(page)) == ["job", "slot"]


def test_no_row_of_the_vocabulary_says_one_thing_twice() -> None:
    page = (REPOSITORY / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    assert repeats(page) == []


def test_a_row_that_says_one_thing_twice_is_found() -> None:
    page = "| **slot** | What nothing crosses: a place. Nothing crosses it. | |\n"
    assert repeats(page) == ["nothing crosses"]
    assert repeats("| **slot** | A place. What stands there never moves. | |\n") == []
