"""Help: everything has some, it is quick to give, and the manual says the same."""

import re
from pathlib import Path
from typing import Any

import pytest

from recollect.settings import SETTINGS
from recollect.surfaces.cli import catalogue, reference
from recollect.surfaces.cli.inputs import time_of
from recollect.vocabulary.errors import InvalidTime
from tests.surfaces.cli.runner import InProcess, Processes

DOCS = Path(__file__).resolve().parents[3] / "docs"
COMMANDS = list(reference.commands())
HEAVY = ("sqlalchemy", "numpy", "pydantic", "rich", "recollect.engine", "recollect.composition")


@pytest.mark.parametrize(
    ("path", "command", "context"), COMMANDS, ids=[path for path, _, _ in COMMANDS]
)
def test_everything_has_help(path: str, command: Any, context: Any) -> None:
    assert command.help, path
    for parameter in command.get_params(context):
        assert parameter.help, f"{path}: {parameter.name}"
        assert not parameter.hidden, f"{path}: {parameter.name}"


@pytest.mark.parametrize("entry", list(catalogue.entries()), ids=lambda entry: str(entry.name))
def test_table_says_what_the_command_says(entry: catalogue.CatalogueEntry) -> None:
    command = next(found for path, found, _ in COMMANDS if path == f"recollect {entry.name}")
    assert command.help.startswith(entry.summary)


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_manual_is_current(name: str) -> None:
    """When this fails: python -m recollect.surfaces.cli.reference docs."""
    page = (DOCS / name).read_text("utf-8")
    assert reference.renewed(page, reference.PAGES[name]()) == page


def test_manual_names_every_command_option_and_setting() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")
    for path, command, context in COMMANDS:
        section = page.split(f"### {path}\n", 1)[1].split("\n### ", 1)[0]
        for parameter in command.get_params(context):
            if parameter.param_type_name == "option":
                assert max(parameter.opts, key=len) in section, (path, parameter.name)
    settings = (DOCS / "settings.md").read_text("utf-8")
    for setting in SETTINGS:
        assert f"`{setting.name}`" in settings
        assert f"`{setting.variable}`" in settings


def test_page_without_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="no part between"):
        reference.renewed("a page", "generated")


def test_manual_is_written_anew(tmp_path: Path) -> None:
    for name in reference.PAGES:
        (tmp_path / name).write_text(f"before\n{reference.BEGIN}\nold\n{reference.END}\nafter\n")
    reference.main(tmp_path)
    for name, generate in reference.PAGES.items():
        page = (tmp_path / name).read_text()
        assert page.startswith("before\n")
        assert page.endswith("\nafter\n")
        assert generate() in page
        assert "old" not in page.splitlines()


def test_no_command_shows_help(cli: InProcess) -> None:
    ran = cli()
    assert ran.code == 0
    assert ran.out.startswith("Usage: recollect [OPTIONS] COMMAND ...")
    for entry in catalogue.entries():
        assert re.search(rf"^  {entry.name} +{re.escape(entry.summary)}$", ran.out, re.MULTILINE)


def test_no_command_with_json_is_an_error(cli: InProcess) -> None:
    ran = cli("--json")
    assert ran.code == 2
    assert ran.error["code"] == "usage"


def test_version(cli: InProcess) -> None:
    from recollect import __version__

    assert cli("--version").out.startswith(f"recollect {__version__} (Python ")
    assert cli.json("version")["recollect"] == __version__
    assert cli("--version", "--json").document == cli.json("version")


def test_almost_a_command(cli: InProcess) -> None:
    ran = cli("recal", "x")
    assert ran.code == 2
    assert "Did you mean 'recall'" in ran.err


def loaded(process: Processes, *arguments: str) -> set[str]:
    """The heavy modules that a command loads."""
    script = (
        "import sys\n"
        f"sys.argv = ['recollect', *{list(arguments)!r}]\n"
        "from recollect.surfaces.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n"
        f"    sys.stderr.write(' '.join(m for m in {HEAVY!r} if m in sys.modules))\n"
    )
    ran = process.script(script)
    assert ran.code == 0, ran
    return set(ran.err.split())


@pytest.mark.parametrize("arguments", [["--help"], ["recall", "--help"], ["version"]])
def test_help_loads_nothing_heavy(process: Processes, arguments: list[str]) -> None:
    assert loaded(process, *arguments) == set()


def test_recall_loads_neither_pydantic_nor_rich(process: Processes) -> None:
    """In a pipe nothing is drawn, and options of plain kinds need no library to be read."""
    assert loaded(process, "recall", "x", "--limit", "3", "--tag", "a") == {
        "sqlalchemy",
        "numpy",
        "recollect.engine",
        "recollect.composition",
    }


def test_the_page_names_every_form_of_a_time_that_is_taken() -> None:
    with pytest.raises(InvalidTime) as refused:
        time_of("the other day")
    page = (DOCS / "cli.md").read_text("utf-8")
    told = next(line for line in page.splitlines() if line.startswith("**Times**"))

    forms = re.findall(r"2026[\w:+-]+|yesterday|7d", refused.value.hint or "")
    assert len(forms) == 4
    for form in forms:
        assert time_of(form) is not None
        assert f"`{form}`" in told
