"""What the graph answers about a small shop."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from sqlalchemy import update

import recollect
from recollect.codegraph.staleness import MAX_VOLATILE, volatility_of
from recollect.engine import Recollect
from recollect.recall.candidates import RecallCandidate
from recollect.recall.plan import plan
from recollect.recall.profiles import profile_of
from recollect.recall.score import score
from recollect.storage.schema import code_indexes
from recollect.vocabulary.errors import CodeNotIndexed, InvalidInput, NotAllowed, RecollectError
from recollect.vocabulary.results import Chunk, Filters
from tests.codegraph.projects import SHOP, commit, with_history, write
from tests.stores import Keeper


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    folder = tmp_path_factory.mktemp("shop")
    root = with_history(folder / "project")
    with recollect.open(folder / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        memory.remember("Tax is never rounded.", type="requirement", files=["shop/tax.py"])
        yield memory


def test_impact_names_what_hangs_on_a_function_the_tests_and_the_way(shop: Recollect) -> None:
    found = shop.code.impact("vat")
    names = {one.node.label: one for one in found.touched}
    assert names["shop/prices.py::total"].depth == 1
    assert names["shop/cart.py::Cart.pay"].depth == 2
    assert [step.node.name for step in names["shop/cart.py::Cart.pay"].path] == [
        "total",
        "Cart.pay",
    ]
    assert {one.node.path for one in found.tests} == {"tests/test_cart.py"}
    assert [memory["content"] for memory in found.memories] == ["Tax is never rounded."]
    assert 0 < found.score < 1


@pytest.mark.parametrize(
    "target",
    ["shop/tax.py::vat", "shop/tax.py:5", "shop.tax.vat", "tax.py::vat", "vat()"],
)
def test_a_target_may_be_named_in_many_ways(shop: Recollect, target: str) -> None:
    assert [node.label for node in shop.code.impact(target).seeds] == ["shop/tax.py::vat"]


def test_a_whole_file_reaches_whoever_imports_it(shop: Recollect) -> None:
    found = shop.code.impact("shop/prices.py", depth=1)
    assert "shop/cart.py" in {one.node.path for one in found.touched}


def test_what_is_not_there_is_an_error_that_proposes(shop: Recollect) -> None:
    with pytest.raises(InvalidInput) as caught:
        shop.code.impact("totel")
    assert "total" in str(caught.value.hint)


def test_a_space_without_code_says_what_to_do(shop: Recollect) -> None:
    with pytest.raises(CodeNotIndexed, match="No code is indexed"):
        shop.within(space="empty").code.impact("x")


def test_a_stranger_learns_nothing(shop: Recollect) -> None:
    stranger = Recollect(shop._services, shop.viewer.__class__("eve"), shop.space)
    with pytest.raises(CodeNotIndexed, match="No code is indexed"):
        stranger.code.impact("vat")
    assert stranger.code.status() == {"indexed": False}
    assert not stranger.recall("tax on the amount", kinds="chunk").found
    with pytest.raises((NotAllowed, RecollectError)):
        stranger.code.index(".")


def test_dependencies_and_flow_go_the_other_way(shop: Recollect) -> None:
    needed = {one.node.label for one in shop.code.dependencies("Cart.pay", depth=2).reached}
    assert {"shop/prices.py::total", "shop/tax.py::vat"} <= needed
    way = shop.code.flow("Cart.pay", "vat").reached
    assert [step.node.name for step in way[0].path] == ["total", "vat"]
    needing = {one.node.label for one in shop.code.dependants("vat").reached}
    assert "shop/prices.py::total" in needing


def test_unused_entries_and_map(shop: Recollect) -> None:
    assert "discount" in {node.name for node in shop.code.unused()}
    assert "vat" not in {node.name for node in shop.code.unused()}
    assert shop.code.cycles() == []
    rows = {row.path: row for row in shop.code.map()}
    assert rows["shop"].files == 4
    assert rows["shop"].memories == 1
    assert rows["shop"].imported_by == 1


def test_memories_and_nodes_lead_to_one_another(shop: Recollect) -> None:
    told = shop.code.memories_of("shop/tax.py")
    assert len(told) == 1
    nodes = shop.code.nodes_of(str(told[0]["id"]))
    assert "shop/tax.py" in {node.label for node in nodes}


@pytest.mark.parametrize("form", ["json", "graphml", "mermaid", "dot"])
@pytest.mark.parametrize("files_only", [False, True])
def test_the_graph_is_written_out(shop: Recollect, form: str, files_only: bool) -> None:
    text = "\n".join(shop.code.export(form, files_only=files_only))
    assert "shop/tax.py" in text
    if form == "json":
        told = json.loads(text)
        numbers = {node["id"] for node in told["nodes"]}
        assert all(edge["source"] in numbers for edge in told["edges"])
    elif form == "graphml":
        assert ElementTree.fromstring(text) is not None
    with pytest.raises(InvalidInput):
        shop.code.export("png")


def test_recall_finds_code_once_a_file_beside_memories(shop: Recollect) -> None:
    found = shop.recall("where is tax added to the amount?", limit=10)
    assert {"memory", "chunk"} <= {one.kind for one in found}
    code = [one.item.path for one in found if isinstance(one.item, Chunk)]
    assert code[0] == "shop/tax.py"
    assert len(code) == len(set(code))
    named = shop.recall("look at shop/prices.py please", kinds="chunk", explain=True).found[0]
    assert isinstance(named.item, Chunk)
    assert named.item.path == "shop/prices.py"
    assert named.why is not None
    assert "named" in {part.signal for part in named.why.parts}
    assert any(one.reason for one in shop.recall("tax on the amount", kinds="chunk"))


def test_what_is_remembered_of_files_that_change_together_comes_along(shop: Recollect) -> None:
    kept = shop.remember("Ask the accountant first.", files=["shop/prices.py"])
    found = {one.id: one for one in shop.recall("what somebody wants to buy", limit=10)}
    assert kept.id in found
    assert "changes with shop/cart.py" in found[kept.id].reason
    assert kept.id not in {one.id for one in shop.recall("what somebody wants", kinds="chunk")}
    shop.forget(kept.id)


def test_a_method_is_reached_through_the_base_that_it_overrides(tmp_path: Path) -> None:
    source = (
        "class A:\n def say(self): pass\nclass B(A): pass\n"
        "class C(B):\n def say(self): pass\ndef speak(one: A):\n one.say()\n"
    )
    root = write(tmp_path / "p", {"a.py": source})
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        touched = {one.node.name for one in memory.code.impact("C.say").touched}
    assert {"A.say", "speak"} <= touched


def test_a_diff_and_a_commit_are_targets(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    first = commit(root, "first")
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        tax = root / "shop/tax.py"
        tax.write_text(tax.read_text().replace("(1 + RATE)", "(RATE + 1)"))
        memory.code.index(root)
        assert [node.name for node in memory.code.impact("diff").seeds] == ["vat"]
        commit(root, "second")
        since = memory.code.changed_since(first)
        assert [node.name for node in since.seeds] == ["vat"]
        assert "shop/cart.py" in {one.node.path for one in since.touched}
        with pytest.raises(InvalidInput, match="git knows no commit"):
            memory.code.changed_since("nonsense")


def test_a_memory_grows_stale_in_four_ways(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    first = commit(root, "first")
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        kept = memory.remember("About tax.", files=["shop/tax.py"], commit=first)
        fresh = memory.remember("About prices.", files=["shop/prices.py"], commit=first)
        (root / "shop/tax.py").rename(root / "shop/duty.py")
        commit(root, "renamed")
        moved = memory.code.staleness(kept.id)[0]
        assert (moved.stale, moved.renamed) == (False, {"shop/tax.py": "shop/duty.py"})
        (root / "shop/duty.py").write_text(SHOP["shop/tax.py"] + "\nX = 1\n")
        commit(root, "changed")
        changed = memory.code.staleness(kept.id)[0]
        assert changed.stale
        assert "changed since its commit" in changed.reasons[0]
        assert not memory.code.staleness(fresh.id)[0].stale
        (root / "shop/prices.py").unlink()
        assert memory.code.staleness(fresh.id)[0].gone == ("shop/prices.py",)


def test_a_changed_file_is_read_before_it_answers_or_left_out(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    with recollect.open(tmp_path / "m.db", user="ada", embedder="none", worker=False) as memory:
        memory.code.index(root)
        memory.remember("Half a cent is rounded up", files=["shop/prices.py"])
        memory.remember("Wool first", files=["shop/cart.py"])
        reader = memory.within(user="bob")
        memory.add_member("bob", role="reader")
        (root / "shop/cart.py").write_text("from shop.tax import vat\n\nTOTAL = vat(1)\n")
        seen = reader.code.dependencies("shop/cart.py")
        assert not seen.reached, "what the old file needed is not passed off as fresh"
        assert seen.stale == ("shop/cart.py",)
        assert "left out: shop/cart.py" in seen.notes[-1]
        assert "shop/cart.py" not in {one.node.path for one in reader.code.impact("total").touched}
        found = reader.recall("what depends on wool first", kinds="memory")
        assert [hit.text for hit in found] == ["Wool first"], "nor does its import bring memories"
        shown = reader.recall("class Cart what somebody wants to buy", kinds="chunk")
        assert "shop/cart.py" in " ".join(shown.missing)
        fresh = memory.code.dependencies("shop/cart.py")
        assert {one.node.path for one in fresh.reached} == {"shop/tax.py"}
        assert not fresh.stale
        os.utime(root / "shop/tax.py")
        assert not reader.code.impact("vat").stale, "only its time is new"


def test_an_unfinished_index_is_told_in_recall_and_to_the_first_sessions(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", SHOP)
    with recollect.open(
        tmp_path / "m.db", embedder="none", worker=False, settings={"agent_patience": "60"}
    ) as memory:
        memory.code.index(root)
        assert not memory.recall("cart").missing
        database = Keeper(str(tmp_path / "m.db"))
        database.write(lambda door: door.execute(update(code_indexes).values(complete=False)))
        database.close()
        assert "still being indexed" in memory.recall("cart").missing[0]
        told = []
        for number in range(4):
            with memory.session(task=f"errand {number}", root=root) as session:
                told.append("indexing is not finished" in session.system_prompt())
        assert told == [True, True, True, False]


def test_recall_follows_what_became_of_a_memory_s_files(tmp_path: Path) -> None:
    root = with_history(tmp_path / "shop")
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        told: Sequence[tuple[str, list[str]]] = (
            ("Wool is washed cold", ["shop/tax.py", "README.md"]),
            ("Wool is dried flat", ["README.md"]),
            ("Wool is folded", ["shop/cart.py"]),
        )
        kept = {text: memory.remember(text, type="gotcha", files=files) for text, files in told}
        assert kept["Wool is folded"].provenance.commit == memory.code.status()["commit"]

        def factors(text: str) -> Mapping[str, float]:
            answer = memory.recall("wool", kinds="memory", explain=True)
            why = {hit.text: hit.why for hit in answer}[text]
            return why.factors if why else {}

        assert "changed_files" not in factors("Wool is washed cold")
        (root / "shop/tax.py").write_text(SHOP["shop/tax.py"] + "\nX = 1\n")
        later = time.time() + 40 * 86_400
        os.utime(root / "README.md", (later, later))
        memory.code.index(root)
        assert factors("Wool is washed cold")["changed_files"] == 0.75, "one of its two files"
        assert "changed_files" not in factors("Wool is folded")
        assert [one.content for one in memory.list(needs_review=True).items] == [
            "Wool is dried flat",
            "Wool is washed cold",
        ]
        memory.verify(kept["Wool is dried flat"].id)
        memory.verify(kept["Wool is washed cold"].id)
        assert not memory.code.staleness(kept["Wool is washed cold"].id)[0].changed
        (root / "shop/cart.py").write_text(SHOP["shop/cart.py"] + "\nX = 1\n")
        os.utime(root / "shop/cart.py", (later, later))
        memory.code.index(root)
        assert factors("Wool is folded")["changed_files"] == 0.5
        review = {one.content for one in memory.list(needs_review=True).items}
        assert "Wool is folded" in review, "also where git says that the file changed"


def test_memories_about_files_that_change_often_fade_faster() -> None:
    commits = {"busy.py": 30, "calm.py": 2, "other.py": 1, "more.py": 1}
    assert volatility_of(["calm.py"], commits) == volatility_of(["unknown.py"], commits) == 1.0
    assert 1.0 < volatility_of(["busy.py"], commits) <= MAX_VOLATILE
    now = datetime(2026, 1, 31, tzinfo=UTC)
    fields = SimpleNamespace(
        type="gotcha",
        source="qa_auto",
        confidence=0.8,
        half_life_days=30.0,
        pinned=False,
        last_accessed_at=None,
        created_at=datetime(2026, 1, 16, tzinfo=UTC),
        disputed=False,
        access_count=0,
        citation_count=0,
        ignore_count=0,
        stale_at=None,
        changed=None,
        volatility=None,
    )
    calm, busy = (RecallCandidate("memories", 1, 1, {}, relevance=1.0) for _ in range(2))
    calm.ranking_fields, busy.ranking_fields = (
        fields,
        SimpleNamespace(**{**vars(fields), "volatility": 2.0}),
    )
    planned = plan("wool", filters=Filters(), limit=1, profile=profile_of(None), phase=None)
    score([calm, busy], planned, now)
    assert calm.factors["confidence"] == pytest.approx(0.8 * 0.5**0.5)
    assert busy.factors["confidence"] == pytest.approx(0.4)


def test_other_code_is_not_put_over_a_space_s_own(tmp_path: Path) -> None:
    one, other = write(tmp_path / "one", SHOP), write(tmp_path / "two", {"a.py": "x = 1\n"})
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(one)
        with pytest.raises(InvalidInput, match="holds the code of"):
            memory.code.index(other)
        assert memory.code.index(other, replace=True).files == 1
        assert memory.health().sound


RULES = {
    "lib/__init__.py": "",
    "lib/rules.py": "def bold(state):\n    return 1\n\n\ndef link(state):\n    return 2\n",
    "lib/parser.py": (
        "from lib import rules\n\n"
        "RULES = [('bold', rules.bold)]\n"
        "OTHERS = {'link': rules.link}\n\n\n"
        "class Parser:\n"
        "    def parse(self, text):\n        for name, rule in RULES:\n            rule(text)\n\n\n"
        "def other(name):\n    return OTHERS[name]\n\n\n"
        "def neither(RATE):\n    return RATE[0]\n"
    ),
    "lib/plugin.py": "def use(tools):\n    return tools.link(1)\n",
    "tests/test_parser.py": (
        "from lib.parser import Parser\n\n\ndef test_parse():\n    Parser().parse('x')\n"
    ),
}


def test_a_function_in_a_table_is_called_by_who_uses_the_table(tmp_path: Path) -> None:
    root = write(tmp_path / "lib", RULES)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        bold = memory.code.impact("bold", depth=1)
        assert [one.node.label for one in bold.touched if one.node.name] == [
            "lib/parser.py::Parser.parse"
        ]
        assert [one.path[0].how for one in bold.touched if one.node.name] == ["global"]
        tests = memory.code.impact("bold").tests
        assert "test_parse" in {one.node.name for one in tests}


def test_a_call_on_what_is_not_known_means_a_function_where_no_method_has_its_name(
    tmp_path: Path,
) -> None:
    root = write(tmp_path / "lib", RULES)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        found = {one.node.name: one.path[0].how for one in memory.code.impact("link").touched}
        assert found["use"] == "name"
        assert found["other"] == "global"
        with (root / "lib/plugin.py").open("a", encoding="utf-8") as file:
            file.write("\n\nclass Tools:\n    def link(self, one):\n        return one\n")
        memory.code.index(root)
        assert "use" not in {one.node.name for one in memory.code.impact("rules.link").touched}
        assert "use" in {one.node.name for one in memory.code.impact("Tools.link").touched}


TREE = {
    "lib/__init__.py": "",
    "lib/tree.py": (
        "class Tree:\n"
        "    def __init__(self, text):\n        self.text = text\n\n"
        "    @classmethod\n"
        "    def read(cls, text):\n        return cls(text)\n\n"
        "    @property\n"
        "    def siblings(self):\n        return []\n"
    ),
    "lib/other.py": "def far(one):\n    return one.siblings\n",
    "tests/test_tree.py": (
        "from lib.tree import Tree\n\n\n"
        "def test_siblings():\n    assert Tree.read('x').children[0].siblings == []\n"
    ),
}


def test_a_property_is_read_where_its_file_is_known(tmp_path: Path) -> None:
    root = write(tmp_path / "lib", TREE)
    with recollect.open(tmp_path / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        found = memory.code.impact("Tree.siblings", depth=1)
        assert {one.node.name: one.path[0].how for one in found.tests} == {"test_siblings": "near"}
        assert found.touched == (), "lib/other.py imports nothing of the tree"
        made = memory.code.impact("Tree.__init__")
        assert "Tree.read" in {one.node.name for one in made.touched}
        assert "test_siblings" in {one.node.name for one in made.tests}
