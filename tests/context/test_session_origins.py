"""What a session keeps by itself cites the events that led to it, and the commit then."""

from pathlib import Path

import recollect
from recollect.observer.candidates import SessionType
from recollect.observer.observer import Observer
from recollect.vocabulary.acts import ActKind
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.phases import Phase
from tests.observer.acts import Story

REFUSED = "never round in the cart, please round in the till"
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


def test_notes_findings_and_states_say_in_which_phase_they_were_made(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", worker=False) as memory:
        for session, subject, phase in (
            (
                memory.session(root=tmp_path, stage="qa_fix"),
                "Vouchers are checked before taxes.",
                "refine",
            ),
            (
                memory.session(root=tmp_path, methodology="tdd", stage="red"),
                "The harbour closes at nine.",
                "define",
            ),
            (
                memory.session(root=tmp_path, session_type="review"),
                "Parcels weigh at most thirty kilos.",
                "validate",
            ),
            (
                memory.session(root=tmp_path, session_type="insights"),
                "Rope is sold by the metre.",
                "explore",
            ),
            (memory.session(root=tmp_path), "Invoices are numbered by year.", None),
            (
                memory.session(root=tmp_path, session_type="terminal"),
                "The crane stops above wind force six.",
                None,
            ),
        ):
            with session:
                session.on_prompt(f"Add a voucher, {session.id}")
                edit = {"file_path": str(tmp_path / "cart.py")}
                session.on_tool_call("Edit", edit, call="1")
                session.on_tool_failure("Edit", edit, REFUSED, call="1", kind=ActKind.REFUSAL)
                session.on_tool_call("Edit", edit, call="2")
                session.on_tool_result("Edit", edit, "ok", call="2")
                note = session.remember(subject)
                session.review_done()
            states = memory.list(types=["work_state"]).items
            (state,) = (one for one in states if one.provenance.session_id == session.id)
            found = [one for one in session.learned if one.provenance.source != "agent_explicit"]

            for kept in (note, state, *found):
                assert kept.provenance.phase == phase

        refused = [one for one in memory.list(limit=50).items if "never round" in one.content]
        assert refused[0].provenance.phase is not None


def test_how_a_unit_ended_cites_the_session(tmp_path: Path) -> None:
    with (
        recollect.open(tmp_path / "m.db", worker=False) as memory,
        memory.session(stage="coding", unit={"spec": "007"}) as session,
    ):
        session.on_prompt("Add a voucher")
        session.checkpoint()

        ended = session.unit_done("success", "Vouchers work.")

        assert ended is not None
        assert ended.provenance.phase == "implement"
        texts = [memory.window(event).event.text for event in ended.provenance.events]
        assert texts == ["Add a voucher"]


def test_a_transcript_that_is_learned_knows_the_phase_of_its_type(tmp_path: Path) -> None:
    review = Observer("s1", session_type=SessionType.REVIEW)
    build = Observer("s2")
    for observer in (review, build):
        story = Story(observer.session).call("Edit", "cart.py").refuse(REFUSED)
        for act in story.acts:
            observer.observe(act)

    assert {one.phase for one in review.candidates()} == {Phase.VALIDATE}
    assert {one.phase for one in build.candidates()} == {None}
