"""Findings of reviewers keep their severity and their spec, and refuse what means nothing."""

from typing import Any

import pytest

from recollect.context.qa_findings import finding_of
from recollect.context.session import AgentSession
from recollect.engine import Recollect
from recollect.surfaces.mcp.server import build
from recollect.vocabulary.errors import InvalidInput
from tests.stores import StoreMaker
from tests.surfaces.mcp.calling import call


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    return stores.open(settings={"agent_patience": "600"})


def test_severity_and_spec_are_kept_and_can_be_filtered(memory: Recollect) -> None:
    session = memory.session(id="qa", stage="qa_review", unit={"spec": "007", "subtask": "2"})

    high = session.qa_failed("The total is off by one cent.", severity="high", spec="007")
    other = session.qa_failed("The page is slow", severity="low", spec="008")

    assert high is not None
    assert other is not None
    found = memory.get(high.id)
    assert found == memory.list(tags=["severity:high"]).items[0]
    assert dict(high.extras) == {
        "error": "The total is off by one cent.",
        "severity": "high",
        "spec": "007",
    }
    assert high.tags == ("qa_failure", "severity:high", "spec:007")
    assert high.work_unit is not None
    assert other.work_unit is not None
    assert (high.work_unit.label, other.work_unit.label) == ("Spec 007 / Subtask 2", "Spec 008")
    assert high.importance > other.importance
    assert [one.id for one in memory.list(tags=["spec:008"]).items] == [other.id]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"sevrity": "high"}, "has no field 'sevrity'"),
        ({"severity": "awful"}, "severity"),
        ({"files": "a.py"}, "Give files as a list"),
        ({"fix": 3}, "Give fix as text"),
    ],
)
def test_what_means_nothing_is_refused(
    memory: Recollect, named: dict[str, object], said: str
) -> None:
    session = memory.session(id="qa", stage="qa_review")

    with pytest.raises(InvalidInput, match=said):
        session.qa_failed("The total is off.", **named)  # type: ignore[arg-type]

    assert memory.list(type="error_pattern").items == ()
    assert session.recorder.observer.facts().first_pass is None


def test_a_report_keeps_what_is_severe(memory: Recollect) -> None:
    session = memory.session(id="qa", stage="qa_review")
    issues: list[dict[str, Any]] = [
        {"description": "Orders are lost", "severity": "critical", "files": ["shop/orders.py"]},
        {"description": "A label is cut off", "severity": "low"},
        {"description": "The cart forgets its voucher", "spec": "9"},
    ]

    kept = session.qa_report(issues, spec="7")

    assert [one.content for one in kept] == ["Orders are lost.", "The cart forgets its voucher."]
    assert [one.extras["spec"] for one in kept] == ["7", "9"]
    assert session.recorder.observer.facts().first_pass is False
    with pytest.raises(InvalidInput, match="a mapping"):
        session.qa_report(["no mapping"])  # type: ignore[list-item]


def test_a_report_without_severe_issues_says_that_nothing_failed(memory: Recollect) -> None:
    session = memory.session(id="qa", stage="qa_review")

    assert session.qa_report([{"description": "A label is cut off", "severity": "low"}]) == []
    assert session.recorder.observer.facts().first_pass is True


def test_a_finding_needs_a_description() -> None:
    with pytest.raises(InvalidInput, match="description"):
        finding_of(" ", {})


def test_a_reviewer_reports_over_mcp(memory: Recollect) -> None:
    issues = [{"description": "Orders are lost", "severity": "high", "fix": "commit first"}]
    server = build(memory)

    said, failed = call(server, "report_qa", {"issues": issues, "spec": "7"})

    (kept,) = memory.list(type="error_pattern").items
    assert not failed
    assert (
        said == f"Kept as [error_pattern {kept.id[-8:]}]: Orders are lost. Right is: commit first."
    )
    assert kept.needs_review
    assert kept.tags == ("qa_failure", "severity:high", "spec:7")
    nothing, _ = call(server, "report_qa", {"issues": []})
    assert nothing == "Nothing severe was found, so nothing was kept."


def held(session: AgentSession) -> str | None:
    """Why a session may not teach, after it has looked for verdicts."""
    session.learn()
    return session.recorder.observer.held


def test_a_verdict_over_mcp_reaches_the_session_that_it_names(memory: Recollect) -> None:
    session = memory.session(id="built", unit={"spec": "7"})
    session.subtask_done("the cart")
    server = build(memory)
    issues = [{"description": "Orders are lost", "severity": "high"}]

    call(server, "report_qa", {"issues": issues, "unit": {"spec": "7"}})
    assert held(session) == "held: QA did not pass"

    call(server, "report_qa", {"issues": [], "session": "built"})
    assert held(session) is None
    nowhere, failed = call(server, "report_qa", {"issues": [], "branch": "nowhere"})
    assert (nowhere, failed) == ("Nothing severe was found, so nothing was kept.", False)
