"""The code graph on every store."""

from pathlib import Path

from benchmarks.graph_edits import contents
from recollect.vocabulary.code import Chunk
from recollect.vocabulary.results import Recalled
from tests.codegraph.projects import SHOP, commit, with_history, write
from tests.stores import StoreMaker


def _paths(found: Recalled) -> list[str]:
    return [one.item.path for one in found if isinstance(one.item, Chunk)]


def test_code_is_indexed_asked_found_and_followed(stores: StoreMaker, tmp_path: Path) -> None:
    root = with_history(tmp_path / "shop")
    memory = stores.open(stores.ready())
    report = memory.code.index(root)
    assert report.files == len(SHOP)
    assert report.commits == 4
    assert {one.node.label for one in memory.code.impact("vat", depth=1).touched} == {
        "shop/prices.py::total",
        "shop/prices.py",
    }
    found = memory.recall("value added tax", kinds=["chunk"])
    assert _paths(found)[0] in {"shop/tax.py", "shop/prices.py"}
    assert memory.recall("cart", kinds=["chunk"], files="shop/cart.py").found
    (root / "shop/tax.py").unlink()
    write(root, {"shop/prices.py": "def total(items):\n    return sum(items)\n"})
    commit(root, "no tax")
    memory.code.index(root)
    again = memory.within(space="again")
    again.code.index(root)
    assert contents(memory) == contents(again)
    assert "shop/tax.py" not in _paths(memory.recall("tax", kinds=["chunk"]))
    assert memory.health().sound


def test_who_is_not_a_member_finds_no_code(stores: StoreMaker, tmp_path: Path) -> None:
    memory = stores.open(stores.ready())
    memory.code.index(write(tmp_path / "shop", SHOP))
    memory.add_member("bob", "reader")
    assert memory.within(user="bob").recall("tax", kinds=["chunk"]).found
    assert not memory.within(user="eve").recall("tax", kinds=["chunk"]).found
    assert memory.within(user="eve").code.status() == {"indexed": False}
