"""What a session keeps by itself cites the events that led to it, and the commit then."""

from pathlib import Path

import recollect
from recollect.vocabulary.memory import Memory

COMMIT = "1f2e3d4c5b6a79880011223344556677889900aa"


def test_notes_findings_and_states_cite_the_prompt_and_the_commit(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs/heads/main").write_text(f"{COMMIT}\n")
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        with memory.session(root=tmp_path) as session:
            session.on_prompt("Add a voucher")
            edit = {"file_path": str(tmp_path / "cart.py")}
            session.on_tool_call("Edit", edit, call="1")
            session.on_tool_result("Edit", edit, "ok", call="1")
            note = session.remember("Vouchers are checked before taxes.")
            fault = session.qa_failed("The voucher is applied twice.")
            (reported,) = session.qa_report([{"description": "Taxes are rounded twice."}])
        (state,) = memory.list(types=["work_state"]).items

        assert fault is not None
        for kept in (note, fault, reported, state):
            assert isinstance(kept, Memory)
            assert kept.provenance.commit == COMMIT
            texts = [memory.window(event).event.text for event in kept.provenance.events]
            assert texts[0] == "Add a voucher"
