"""Getting the command: what the README says, and what a part that is missing says."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from recollect.vocabulary import optional_parts
from recollect.vocabulary.optional_parts import ALL, how_to_install

ROOT = Path(__file__).parent.parent


def test_the_readme_says_how_to_install_it_and_keeps_the_quick_way() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for words in (
        *('uv tool install ".[all]"', 'pipx install ".[all]"', 'pip install ".[all]"'),
        *("uv tool update-shell", "pipx ensurepath", "make run", "make tour"),
    ):
        assert words in readme
    assert readme.index("## Install") < readme.index("recollect remember")


def test_all_is_every_part_that_a_command_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (brought,) = project["optional-dependencies"]["all"]
    assert brought == f"recollect[{','.join(ALL)}]"
    named = set(re.findall(r"`(\w+)`\)", (ROOT / "README.md").read_text("utf-8")))
    assert set(ALL) <= named
    assert project["scripts"] == {"recollect": "recollect.surfaces.cli.main:program"}


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ("/home/ada/.local/share/uv/tools/recollect", 'uv tool install --force "SOURCE[all]"'),
        ("/home/ada/.local/share/pipx/venvs/recollect", 'pipx install --force "SOURCE[all]"'),
        ("/home/ada/work/.venv", f'{sys.executable} -m pip install "SOURCE[mcp]"'),
    ],
)
@pytest.mark.parametrize(
    ("record", "source"),
    [
        ('{"url": "file:///home/ada/my%20src", "dir_info": {}}', "/home/ada/my src"),
        (None, "recollect"),
        ("nonsense", "recollect"),
    ],
)
def test_a_missing_part_says_what_to_type_for_this_installation(
    monkeypatch: pytest.MonkeyPatch, prefix: str, told: str, record: str | None, source: str
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            return record

    monkeypatch.setattr(sys, "prefix", prefix)
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed())
    assert how_to_install("mcp") == f"This adds it: {told.replace('SOURCE', source)}"


def test_a_model_is_added_to_the_rest_and_not_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "prefix", "/x/uv/tools/recollect")
    monkeypatch.setattr(optional_parts, "_source", lambda: "recollect")
    assert how_to_install("fastembed").endswith('"recollect[all,fastembed]"')


@pytest.mark.parametrize(
    ("module", "words", "extra"),
    [
        ("fastapi", ["serve", "--port", "0"], "server"),
        ("mcp", ["mcp"], "mcp"),
        ("tree_sitter", ["index", "."], "code"),
        ("psycopg", ["--db", "postgresql://localhost/x", "list"], "postgres"),
    ],
)
def test_a_command_without_its_part_ends_with_what_to_install(
    tmp_path: Path, module: str, words: list[str], extra: str
) -> None:
    without = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv[1:] = {words!r}; "
        "from recollect.surfaces.cli.main import main; main()"
    )
    done: Any = subprocess.run(
        [sys.executable, "-c", without],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done
    assert "not installed. This adds it: " in done.stderr
    assert f"[{extra}]" in done.stderr
