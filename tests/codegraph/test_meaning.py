"""The semantic layer of a small office: by rules, by a model, and what answers from it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from tests.codegraph.projects import commit, write
from tests.inference.model_server import running

OFFICE = {
    "office/letters.py": "def write(name):\n    return name\n\n\ndef fold(a):\n    return a\n",
    "office/stamps.py": "def lick(a):\n    return a\n\n\nclass StampRepository:\n    pass\n",
    "office/post.py": (
        "from office.letters import fold, write\nfrom office.stamps import lick\n\n\n"
        "def send(name):\n"
        "    sheet = write(name)\n"
        "    try:\n"
        "        lick(name)\n"
        "    except ValueError:\n"
        "        pass\n"
        "    return fold(sheet)\n"
    ),
    "desk/one.py": "from office.post import send\n\nsend('a')\n",
    "desk/two.py": "from office.post import send\n\nsend('b')\n",
    "desk/rules.py": "LIMIT = 3\n",
}


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    folder = tmp_path_factory.mktemp("office")
    root = write(folder / "project", OFFICE)
    commit(root, "first")
    for number in range(4):  # the rules of the desk change with the letters, and import nothing
        for path in ("desk/rules.py", "office/letters.py"):
            with (root / path).open("a") as file:
                file.write(f"# {number}\n")
        commit(root, f"change {number}")
    with recollect.open(folder / "m.db", embedder="none", worker=False) as memory:
        memory.code.index(root)
        memory.remember("Letters are folded once", type="requirement", files=["office/letters.py"])
        memory.remember("Post goes out at four", type="decision", files=["office/post.py"])
        memory.code.analyse()
        yield memory


def test_rules_find_what_a_parser_cannot_see(office: Recollect) -> None:
    found = {(one.source, one.kind, one.target) for one in office.code.meanings()}
    assert found >= {
        ("office/letters.py::write", "flows_to", "office/letters.py::fold"),
        ("office/post.py::send", "handles_errors_from", "office/stamps.py::lick"),
        ("office/post.py", "is_entrypoint_for", "office"),
        ("office/stamps.py::StampRepository", "applies_pattern", "pattern:Repository"),
        ("desk/rules.py", "depends_logically", "office/letters.py"),
    }
    assert {one.made_by for one in office.code.meanings()} == {"local"}
    assert {one.module for one in office.code.meanings("office")} == {"office"}


def test_impact_and_flow_follow_meaning(office: Recollect) -> None:
    reached = {one.node.label: one for one in office.code.impact("office/letters.py").touched}
    assert reached["desk/rules.py"].path[0].kind == "depends_logically"
    assert reached["desk/rules.py"].score <= 0.5
    flow = office.code.flow("write")
    assert [(one.node.label, one.path[-1].kind) for one in flow.reached] == [
        ("office/letters.py::fold", "flows_to")
    ]


def test_knowledge_is_what_is_remembered_and_what_was_found(office: Recollect) -> None:
    told = {(one.kind, one.label): one for one in office.code.knowledge()}
    assert told.keys() == {
        ("decision", "Post goes out at four"),
        ("invariant", "Letters are folded once"),
        ("pattern", "Repository"),
    }
    assert told["invariant", "Letters are folded once"].about == ("office/letters.py",)
    invariants = office.code.impact("fold").invariants
    assert [one["content"] for one in invariants] == ["Letters are folded once"]


def test_a_model_reads_folders_and_names_only_what_is_there(tmp_path: Path) -> None:
    root = write(tmp_path / "project", OFFICE)
    edges = [
        "office/post.py::send | depends_logically | office/stamps.py | 0.9",
        "office/post.py::send | depends_logically | nowhere.py | 0.9",
        "office/post.py::send | adores | office/stamps.py | 0.9",
        "office/post.py | depends_logically | office/stamps.py | 7",
        "office/post.py::send | applies_pattern | pattern:Facade | 0.7",
    ]
    with running() as server:
        server.says = json.dumps({"edges": edges})
        settings = {"model": "openai", "model_name": "small", "model_url": server.url}
        with recollect.open(
            tmp_path / "m.db", embedder="none", worker=False, settings=settings
        ) as memory:
            memory.code.index(root)
            found = memory.code.analyse("office")
    assert [(one.source, one.kind, one.target, one.confidence) for one in found] == [
        ("office/post.py::send", "applies_pattern", "pattern:Facade", 0.7),
        ("office/post.py::send", "depends_logically", "office/stamps.py", 0.9),
    ]
    assert {one.made_by for one in found} != {"local"}
