"""An index that followed every change equals one that was made from nothing."""

import random
from pathlib import Path
from typing import Any

import pytest

import recollect
from benchmarks.graph_edits import Editor, contents
from recollect.engine import Recollect
from recollect.vocabulary.code import IndexReport
from tests.codegraph.projects import SHOP, write


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as opened:
        yield opened


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_edits_lead_where_a_fresh_index_leads(
    memory: Recollect, tmp_path: Path, seed: int
) -> None:
    root = tmp_path / "project"
    editor = Editor(root, random.Random(seed))
    editor.begin()
    memory.code.index(root)
    for number in range(8):
        told = editor.step()
        followed = memory.code.index(root)
        fresh = memory.within(space=f"fresh {number}")
        anew = fresh.code.index(root)
        assert contents(memory) == contents(fresh), told
        assert _counted(followed) == _counted(anew), told


def _counted(report: IndexReport) -> tuple[int, int, int]:
    return report.files, report.nodes, report.edges


def test_who_holds_an_older_index_follows_what_another_wrote(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    with (
        recollect.open(tmp_path / "m.db", embedder="none", worker=False) as one,
        recollect.open(tmp_path / "m.db", embedder="none", worker=False) as other,
    ):
        one.code.index(root)
        for number, memory in enumerate((other, one, other, other, one)):
            with (root / "shop/tax.py").open("a", encoding="utf-8") as file:
                file.write(f"\n\ndef duty{number}(amount):\n    return vat(amount)\n")
            (root / f"shop/more{number}.py").write_text(
                f"from shop.tax import duty{number}\n\n\ndef more():\n    duty{number}(1)\n"
            )
            report = memory.code.index(root)
            fresh = memory.within(space=f"fresh {number}")
            assert _counted(report) == _counted(fresh.code.index(root))
            assert contents(one) == contents(other) == contents(fresh)


def test_other_code_put_in_place_of_the_first_is_what_is_asked_about(
    memory: Recollect, tmp_path: Path
) -> None:
    shop = write(tmp_path / "shop", SHOP)
    other = write(tmp_path / "other", {"one.py": "def one():\n    return 1\n"})
    memory.code.index(shop)
    assert memory.code.impact("vat").touched
    memory.code.index(other, replace=True)
    assert {row[0] for row in contents(memory)["files"]} == {"one.py"}
    assert memory.code.index(other).files == 1
    memory.code.index(shop, replace=True)
    assert memory.code.impact("vat").touched


def test_a_file_that_nobody_touched_is_not_read_again(memory: Recollect, tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    assert memory.code.index(root).read == len(SHOP)
    again = memory.code.index(root)
    assert (again.read, again.unchanged, again.resolved) == (0, len(SHOP), 0)


def test_only_who_needs_a_changed_interface_is_resolved_again(
    memory: Recollect, tmp_path: Path
) -> None:
    root = write(tmp_path / "shop", SHOP)
    memory.code.index(root)
    tax = root / "shop/tax.py"
    tax.write_text(tax.read_text().replace("amount * (1 + RATE)", "amount + amount * RATE"))
    assert memory.code.index(root).resolved == 1
    tax.write_text(tax.read_text() + "\n\ndef duty(amount):\n    return amount\n")
    assert memory.code.index(root).resolved == 1, "nobody mentions the new name"
    tax.write_text(tax.read_text().replace("def vat", "def vats"))
    assert 2 <= memory.code.index(root).resolved < 5


def test_a_touched_file_of_the_same_content_keeps_its_rows(
    memory: Recollect, tmp_path: Path
) -> None:
    root = write(tmp_path / "shop", SHOP)
    memory.code.index(root)
    before = contents(memory)
    (root / "shop/tax.py").write_text(SHOP["shop/tax.py"])
    import os

    os.utime(root / "shop/tax.py", ns=(1, 1))
    report = memory.code.index(root)
    assert (report.read, report.resolved) == (1, 0)
    assert contents(memory) == before
