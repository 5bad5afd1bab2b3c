"""Weights that learn: proposed with evidence after thirty sessions, decided by people."""

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, NotFound
from recollect.vocabulary.memory import Memory


def judged(memory: Recollect, number: int, *, passes: bool) -> None:
    with memory.session(id=f"s{number}", task="the parser") as session:
        if passes:
            session.system_prompt()
            session.qa_passed()
        else:
            session.qa_failed("it fails")


def weight(memory: Recollect) -> float:
    """What a decision weighs while something is implemented."""
    found = memory.recall(
        "the parser", phase="implement", kinds=("memory",), explain=True, explicit=False
    )
    first = next(one for one in found if one.why is not None)
    assert first.why is not None
    return dict(first.why.factors)["phase"]


def test_a_proposal_is_made_applied_and_undone(memory: Recollect) -> None:
    told: Memory = memory.remember(
        "The parser is written by hand.", type="decision", confidence=0.95
    )
    asked = memory.recall("the parser", phase="implement")
    memory.feedback(str(asked.id), "cited", items=told.id)
    for number in range(24):
        judged(memory, number, passes=number % 2 == 0)
    early = memory.metrics.propose_weights()
    assert (early.id, early.changes, early.sessions) == (None, {}, 24)

    for number in range(24, 40):
        judged(memory, number, passes=number % 2 == 0)
    before = weight(memory)
    offered = memory.metrics.propose_weights()
    now, new = offered.changes["implement"]["decision"]
    assert new > now
    best = next(one for one in offered.evidence if one.kind == "decision")
    assert (best.passed_served, best.passed_others) == (20, 0)
    assert offered.effect is not None
    assert (offered.effect.questions, offered.effect.cited) == (1, 1)
    assert weight(memory) == before, "nothing holds before a person agrees"

    applied = memory.metrics.apply_weights(str(offered.id))
    assert applied.in_force
    assert applied.applied_by == "ada"
    assert weight(memory) != before
    assert memory.metrics.propose_weights().changes == {}
    undone = memory.metrics.undo_weights(str(offered.id))
    assert not undone.in_force
    assert weight(memory) == before
    assert [one.id for one in memory.metrics.weight_proposals()] == [offered.id]
    with pytest.raises(InvalidInput, match="not in force"):
        memory.metrics.undo_weights(str(offered.id))
    with pytest.raises(NotFound):
        memory.metrics.apply_weights("prp_nothing")
