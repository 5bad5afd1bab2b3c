"""A session teaches only when its type lets it: QA passed, spec accepted, review done."""

from pathlib import Path

import pytest

from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.observer.candidates import Candidate, SessionType
from recollect.observer.gates import is_primary
from recollect.observer.observer import Observer, capped
from recollect.observer.taxonomy import Signal
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.memory_types import MemoryType
from tests.stores import StoreMaker

WISH = "please always use tabs in this project"


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def corrected(session: AgentSession, root: Path) -> None:
    """A session in which the user states a lasting wish after the work."""
    session.on_prompt("Add a discount")
    for number, words in enumerate(("Done.", "OK.")):
        edit = {"file_path": str(root / f"{number}.py")}
        session.on_tool_call("Edit", edit, call=f"e{number}")
        session.on_tool_result("Edit", edit, "ok", call=f"e{number}")
        session.on_message(words, final=True)
        if not number:
            session.on_prompt(WISH)


def taught(memory: Recollect) -> list[Memory]:
    found = [one for one in memory.list(limit=100).items if WISH in one.content]
    return [one for one in found if one.type is not MemoryType.WORK_STATE]


def started(memory: Recollect, root: Path, kind: str) -> AgentSession:
    session = memory.session(root=root, session_type=kind)
    corrected(session, root)
    return session


def test_a_build_without_a_review_teaches_at_its_end(memory: Recollect, tmp_path: Path) -> None:
    started(memory, tmp_path, "build").finish()
    assert len(taught(memory)) == 1


def test_a_build_whose_review_failed_teaches_nothing(memory: Recollect, tmp_path: Path) -> None:
    session = started(memory, tmp_path, "build")
    session.qa_failed("It does not build.")

    assert session.subtask_done("the discount") == []
    assert session.finish() == []
    assert taught(memory) == []
    after = memory.session(root=tmp_path).system_prompt()
    assert WISH not in after

    (learned,) = session.qa_passed()
    assert [one.id for one in taught(memory)] == [learned.id]
    assert session.qa_passed() == []  # nothing is held any more


def test_the_last_verdict_decides(memory: Recollect, tmp_path: Path) -> None:
    session = started(memory, tmp_path, "build")
    session.qa_failed("It does not build.")
    session.qa_report([])
    assert len(session.finish()) == 1


@pytest.mark.parametrize(("kind", "verb"), [("spec", "accepted"), ("review", "review_done")])
def test_specs_and_reviews_wait_for_their_end(
    memory: Recollect, tmp_path: Path, kind: str, verb: str
) -> None:
    session = started(memory, tmp_path, kind)
    session.finish()
    assert taught(memory) == []

    assert len(getattr(session, verb)()) == len(taught(memory)) == 1

    early = started(memory, tmp_path / "other", kind)
    assert getattr(early, verb)() == []  # it goes on, and teaches at its end


def test_a_verdict_survives_a_checkpoint(memory: Recollect, tmp_path: Path) -> None:
    session = started(memory, tmp_path, "spec")
    observer = session.recorder.observer
    observer.accept()
    assert Observer.restore(observer.checkpoint()).held is None
    failed = Observer("s")
    failed.validated(passed=False)
    assert Observer.restore(failed.checkpoint()).held == "held: QA did not pass"


def found(signal: Signal, kind: MemoryType, quote: str | None = None) -> Candidate:
    return Candidate(
        signal, f"{signal} {quote}", kind, "It is so.", "s", confidence=0.7, quote=quote
    )


def test_primary_signals_come_first_under_a_cap() -> None:
    lasting = [
        found(Signal.WRITTEN_RULE, MemoryType.REQUIREMENT),
        found(Signal.CHOICE, MemoryType.DECISION),
        found(Signal.GLOB_IGNORE, MemoryType.GOTCHA),
        found(Signal.MENDED_CHECK, MemoryType.ERROR_PATTERN),
        found(Signal.EXTERNAL_REFERENCE, MemoryType.MODULE_INSIGHT),
    ]

    def first(kind: SessionType) -> Signal:
        return capped(lasting, kind)[0].signal

    assert first(SessionType.TERMINAL) is Signal.MENDED_CHECK
    assert first(SessionType.ROADMAP) in (Signal.WRITTEN_RULE, Signal.CHOICE)
    assert first(SessionType.SPEC) is Signal.EXTERNAL_REFERENCE
    assert first(SessionType.REVIEW) is Signal.MENDED_CHECK
    assert capped(lasting, SessionType.CHANGELOG) == []
    own = found(Signal.REFUSAL, MemoryType.PREFERENCE, "never")
    assert all(is_primary(own, kind) for kind in SessionType)
