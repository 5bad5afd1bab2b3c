"""The code graph on every store."""

from pathlib import Path

from benchmarks.graph_edits import contents
from recollect.trust.authorisation import authorise
from recollect.vocabulary.audiences import Viewer
from recollect.vocabulary.results import Chunk, Recalled
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


def test_an_access_says_whether_code_is_indexed(stores: StoreMaker, tmp_path: Path) -> None:
    address = stores.ready()
    memory = stores.open(address)
    database = stores.database(address)

    def is_indexed(user: str) -> bool:
        with database.reading() as transaction:
            return authorise(transaction, Viewer(user), memory.space).code_indexed

    assert not is_indexed("ada")
    memory.code.index(write(tmp_path / "shop", SHOP))
    assert is_indexed("ada")
    assert not is_indexed("eve"), "who is no member is told nothing of it"


def test_an_edit_is_seen_by_who_asked_before(stores: StoreMaker, tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    memory = stores.open(stores.ready())
    memory.code.index(root)
    assert memory.code.impact("shop/tax.py").touched
    assert "duty" not in "".join(hit.text for hit in memory.recall("duty on imports"))
    write(root, {"shop/duty.py": "from .tax import vat\n\n\ndef duty(a):\n    return vat(a)\n"})
    memory.code.index(root)
    reached = {one.node.label for one in memory.code.impact("vat").touched}
    assert "shop/duty.py::duty" in reached
    assert memory.recall("duty on imports").found[0].path == "shop/duty.py"
    (root / "shop/duty.py").unlink()
    memory.code.index(root)
    reached = {one.node.label for one in memory.code.impact("vat").touched}
    assert "shop/duty.py::duty" not in reached
    assert all(hit.path != "shop/duty.py" for hit in memory.recall("duty on imports"))


def test_memories_follow_their_files_and_folders_are_analysed(
    stores: StoreMaker, tmp_path: Path
) -> None:
    """What is worked out about code is written and read under the rights of whoever asks."""
    root = write(tmp_path / "shop", SHOP)
    commit(root, "first")
    memory = stores.open()
    memory.code.index(root)
    memory.remember("Wool is washed cold", type="gotcha", files=["shop/tax.py"])
    (root / "shop/tax.py").write_text(SHOP["shop/tax.py"] + "\nX = 1\n")
    memory.code.index(root)
    why = memory.recall("wool washed", kinds="memory", explain=True).found[0].why
    assert why is not None
    assert why.factors["changed_files"] == 0.5
    found = memory.recall("zzz", kinds="memory", recent_files=["shop/prices.py"])
    assert [hit.reason for hit in found] == [
        "about shop/tax.py, which is imported by shop/prices.py, touched lately"
    ]
    made = memory.code.analyse("shop")
    assert made == memory.code.meanings("shop")
    assert memory.code.analyse("shop") == made
