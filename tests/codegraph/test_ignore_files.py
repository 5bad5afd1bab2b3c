"""Ignore files, read here and by git: both must put aside the same."""

from pathlib import Path

import pytest

from recollect.codegraph import file_finder
from recollect.codegraph.ignore_files import ignores, rules_of
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
    assert ignores(rules_of(rules), path, folder=False) is verdict


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
