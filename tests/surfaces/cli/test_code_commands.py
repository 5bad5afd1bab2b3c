"""Code on the command line: read at a glance, and whole as JSON."""

from pathlib import Path

import pytest

from tests.codegraph.projects import SHOP, write
from tests.surfaces.cli.runner import InProcess


@pytest.fixture
def shop(cli: InProcess, tmp_path: Path) -> InProcess:
    root = write(tmp_path / "shop", SHOP)
    report = cli.json("index", str(root))
    assert report["files"] == len(SHOP)
    return cli


def test_index_says_what_it_did(shop: InProcess, tmp_path: Path) -> None:
    again = shop("index", str(tmp_path / "shop"))
    assert again.out.startswith("Up to date: 6 files unchanged.")
    assert shop("index", str(tmp_path / "nothing")).code != 0


def test_impact_is_a_tree(shop: InProcess) -> None:
    lines = shop("impact", "vat").out.splitlines()
    assert lines[0] == "If this changes: vat"
    assert "Direct (2)" in lines
    assert any("total" in line and "calls it" in line for line in lines)
    assert any("tests/test_cart.py" in line for line in lines)
    told = shop.json("impact", "vat")
    assert "calls" in {one["path"][0]["kind"] for one in told["touched"]}
    assert shop("impact").code != 0
    assert shop("impact", "vat", "--diff").code != 0


def test_the_other_questions_answer_too(shop: InProcess) -> None:
    assert "shop/tax.py::vat" in shop("deps", "total").out
    assert "shop/prices.py::total" in shop("deps", "vat", "--reverse").out
    assert "called by shop/prices.py::total" in shop("deps", "vat", "--reverse").out
    assert "called by" not in shop("deps", "total").out
    assert "total" in shop("flow", "Cart.pay", "vat").out
    assert shop("map").out.startswith("shop\t4")
    assert {row["path"] for row in shop.json("map")["modules"]} == {"shop", "tests"}
    assert "discount" in shop("graph", "unused").out
    assert "No file imports itself" in shop("graph", "cycles").out
    assert shop.json("graph", "status")["status"]["complete"] is True
    assert shop("graph", "export", "--format", "dot").out.startswith("digraph code {")
    assert shop("graph", "nonsense").code != 0


def test_recall_shows_code_with_its_place(shop: InProcess) -> None:
    out = shop("recall", "value added tax on the amount", "--kind", "chunk").out
    assert "shop/tax.py:" in out
    found = shop.json("recall", "value added tax", "--kind", "chunk")["found"]
    assert found[0]["kind"] == "chunk"
    assert found[0]["item"]["path"].startswith("shop/")


def test_a_path_that_is_not_there_is_likened_to_paths(shop: InProcess) -> None:
    told = shop("impact", "shop/taxes.py").err
    assert "Did you mean shop/tax.py" in told
    assert "Did you mean" not in shop("impact", "nope.py").err
