"""What agents are told is what their person may see, and nothing else."""

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import RecollectError
from tests.stores import StoreMaker

SECRET = "The alpha deployment waits for the merger with Initech."


@pytest.fixture
def memory(stores: StoreMaker) -> Recollect:
    memory = stores.open()
    memory.add_member("bob")
    memory.remember(
        SECRET, type="gotcha", visibility="personal", files=["deploy.py"], confidence=0.95
    )
    memory.remember(
        "Run pytest before you deploy alpha.",
        type="preference",
        visibility="personal",
        files=["deploy.py"],
        confidence=0.95,
    )
    memory.remember(
        "Alpha is deployed by hand.", type="gotcha", files=["deploy.py"], confidence=0.95
    )
    return memory


def everything_told(view: Recollect) -> str:
    """All that a session is given at its points about the file and the task."""
    session = view.session(task="deploy alpha")
    told = [
        session.system_prompt(),
        session.first_message(files=False),
        session.tool_context("Read", {"file_path": "deploy.py"}),
        session.plan_context(),
        session.qa_context(),
    ]
    return "\n".join(str(part) for part in told)


def test_agent_is_told_what_its_person_may_see(memory: Recollect) -> None:
    told = everything_told(memory)
    assert "by hand" in told
    assert "pytest" in told  # a wish of one's own about programs
    assert "merger" not in told  # personal: no context of a project's work tells it
    told = everything_told(memory.within(user="bob"))
    assert "by hand" in told
    assert "merger" not in told
    assert "pytest" not in told


def test_stranger_s_agent_is_told_nothing(memory: Recollect) -> None:
    try:
        told = everything_told(memory.within(user="eve"))
    except RecollectError:
        return
    assert "by hand" not in told
    assert "merger" not in told


def test_what_a_session_learned_is_reviewed_by_those_who_may_see_it(memory: Recollect) -> None:
    with memory.session(id="monday", task="deploy alpha") as session:
        session.remember(SECRET.replace("waits", "still waits"), visibility="personal")
    review = memory.within(user="bob").agents.review("monday")
    assert "merger" not in repr(review)
    assert "merger" in repr(memory.agents.review("monday"))
