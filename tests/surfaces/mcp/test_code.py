"""The tools about code answer from the code graph as soon as there is one."""

from pathlib import Path

import pytest

import recollect
from recollect.engine import Recollect
from recollect.surfaces.mcp.code import NO_INDEX
from recollect.surfaces.mcp.tools import Tools


@pytest.fixture
def memory(tmp_path: Path) -> Recollect:
    return recollect.open(tmp_path / "memory.db", user="ada", worker=False)


def test_code_is_asked_when_it_is_indexed(memory: Recollect, tmp_path: Path) -> None:
    root = tmp_path / "app"
    (root / "tests").mkdir(parents=True)
    (root / "tokens.py").write_text("def check(token):\n    return bool(token)\n")
    (root / "login.py").write_text(
        "from tokens import check\n\n\ndef login(token):\n    return check(token)\n"
    )
    (root / "tests" / "test_login.py").write_text(
        "from login import login\n\n\ndef test_login():\n    assert login('x')\n"
    )
    tools = Tools(memory, root)
    assert tools.analyze_impact("tokens.py") == NO_INDEX

    memory.code.index(root)

    impact = tools.analyze_impact("tokens.py")
    assert impact.startswith("Changing tokens.py may reach ")
    assert "Uses it:\n- login.py:1 (imports, 1 away)\n- login.py::login:4 (calls, 1 away)" in impact
    assert "Tests that cover it:\n- tests/test_login.py:1" in impact
    assert "- tests/test_login.py::test_login:4 (calls <- calls, 2 away)" in impact
    uses = tools.get_dependencies("login.py")
    assert "Uses:\n- tokens.py" in uses
    assert "Used by:\n- tests/test_login.py" in uses
    assert "tokens.py::check" in tools.trace_data_flow("login")
