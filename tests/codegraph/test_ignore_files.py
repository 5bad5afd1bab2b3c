"""Ignore files, read here and by git: both must put aside the same."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from recollect.codegraph import file_finder
from recollect.codegraph.ignore_files import IgnoreFile
from tests.codegraph.projects import git, write


@pytest.mark.parametrize(
    ("rules", "path", "verdict"),
    [
        ("*.log", "a/b.log", True),
        ("/build", "build", True),
        ("/build", "a/build", None),
        ("a/**/z.py", "a/b/c/z.py", True),
        ("*.py\n!keep.py", "keep.py", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", None),
        ("[ab].py", "b.py", True),
        ("# note", "# note", None),
        ("\\#note", "#note", True),
    ],
)
def test_rules_say_what_git_says_of_them(rules: str, path: str, verdict: bool | None) -> None:
    assert IgnoreFile(rules).verdict(path, folder=False) is verdict


RULES = """
*.log
/build
cache/
a/**/z.py
!keep.py
*.py
docs/*.md
[ab].txt
[!a]*.rs
\\#note
**/x
y/**
!y/b
foo*
*.p[yc]
a?b
*/deep
[z-a]
a[
"""
NAMES = "a b x y z.py keep.py docs build cache q.md a.txt b.rs #note foo1 a.log axb deep m.pyc a["


def test_random_rules_put_aside_what_git_puts_aside(tmp_path: Path) -> None:
    chance = Random(5)
    git(tmp_path, "init", "--quiet")
    lines, names = RULES.split(), NAMES.split()
    for _ in range(40):
        rules = "\n".join(chance.choices(lines, k=chance.randint(1, 4)))
        (tmp_path / ".gitignore").write_text(f"{rules}\n", encoding="utf-8")
        paths = {"/".join(chance.choices(names, k=chance.randint(1, 3))) for _ in range(40)}
        told = "\0".join(sorted(paths)).encode()
        done = subprocess.run(
            ["git", "check-ignore", "-z", "--stdin", "--no-index"],
            cwd=tmp_path,
            input=told,
            capture_output=True,
            check=False,
        )
        by_git = {name.decode() for name in done.stdout.split(b"\0") if name}
        file = IgnoreFile(rules)
        assert {path for path in paths if put_aside(file, path)} == by_git, rules


def put_aside(file: IgnoreFile, path: str) -> bool:
    """Whether a path or a folder above it is left out, as a walk finds it."""
    parts = path.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    return any(file.verdict(one, folder=True) for one in above) or bool(
        file.verdict(path, folder=False)
    )


def test_a_hostile_ignore_file_costs_little() -> None:
    file = IgnoreFile("**/a*a*a*a*a*a*a*a*a*a*a*a*b\n" * 5)
    assert file.verdict("a" * 4_000, folder=False) is None


def test_a_folder_is_walked_as_git_lists_it(tmp_path: Path) -> None:
    files = {
        ".gitignore": "*.tmp.py\n/out/\n!keep.tmp.py\n",
        "a.py": "",
        "b.tmp.py": "",
        "keep.tmp.py": "",
        "out/x.py": "",
        "in/out/x.py": "",
        "in/.gitignore": "secret*\n",
        "in/secret.py": "",
        "secret.py": "",
        "node_modules/m.js": "",
    }
    write(tmp_path, files)
    walked = [seen.path for seen in file_finder.files_of(tmp_path)]
    git(tmp_path, "init", "--quiet")
    listed = [seen.path for seen in file_finder.files_of(tmp_path)]
    assert walked == listed
    assert {"a.py", "keep.tmp.py", "in/out/x.py", "secret.py"} <= set(walked)
    assert not {"b.tmp.py", "out/x.py", "in/secret.py", "node_modules/m.js"} & set(walked)


@pytest.mark.parametrize("repository", [False, True])
def test_an_environment_is_left_out_and_a_package_of_that_name_is_not(
    tmp_path: Path, *, repository: bool
) -> None:
    write(tmp_path, {"lib/venv/__init__.py": "", "venv/lib/m.py": "", "venv/pyvenv.cfg": ""})
    if repository:
        git(tmp_path, "init", "--quiet")
    assert [seen.path for seen in file_finder.files_of(tmp_path)] == ["lib/venv/__init__.py"]


@pytest.mark.parametrize(
    ("path", "source", "role"),
    [
        ("shop/test/cases.py", b"class Case:\n    pass\n", "code"),
        ("shop/test/cart.py", b"class Cart:\n    def test_pay(self): ...\n", "test"),
        ("shop/testing/tools.py", b"def made(): ...\n", "code"),
        ("shop/tests/tools.py", b"def made(): ...\n", "test"),
        ("test/test_cart.py", b"", "test"),
        ("test/cart.js", b"it('pays')", "test"),
    ],
)
def test_a_folder_called_test_holds_tests_or_tools_for_them(
    path: str, source: bytes, role: str
) -> None:
    assert file_finder.role_of(path, source).value == role
