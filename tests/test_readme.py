"""Every page and every module that the README and the docs name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"`([\w/]+\.py)`")
MODULES = [
    f"/{path.relative_to(ROOT).as_posix()}"
    for folder in ("src", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
]
#: Files of other projects, in examples and in experiments; and what a migration is called.
NOT_OURS = {
    "background.py",
    "routing.py",
    "src/recollect/storage/migrations/versions/NNNN_what_it_brings.py",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text("utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    named = set(MODULE.findall(FENCED.sub("", page.read_text("utf-8")))) - NOT_OURS
    missing = [name for name in named if not any(one.endswith(f"/{name}") for one in MODULES)]
    assert not missing


def test_the_site_has_every_page_once() -> None:
    listed = re.findall(r"\b([\w-]+\.md)\b", (ROOT / "mkdocs.yml").read_text("utf-8"))
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_no_merge_was_left_unfinished(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert not [line for line in lines if line.startswith(("<<<<<<< ", ">>>>>>> "))]
