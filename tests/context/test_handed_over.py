"""What an agent was not told in the end is not counted as given."""

from pathlib import Path

import recollect
from recollect.engine import Recollect


def _taught(folder: Path) -> Recollect:
    memory = recollect.open(folder / "memory.db", settings={"agent_patience": "60"})
    memory.remember("Never commit to main.", type="preference", source="user_taught")
    return memory


def test_an_answer_that_reached_nobody_is_not_counted_and_is_given_again(tmp_path: Path) -> None:
    with _taught(tmp_path) as memory:
        with memory.session(id="one", agent="claude-code") as session:
            session.hand_over()
            assert "Never commit to main." in session.system_prompt()
            session.take_back()
            assert session.told == frozenset()
        assert memory.agents.review("one").remembered == ()
        assert memory.agents.review("one").savings.spent == 0


def test_an_answer_that_arrived_is_counted_though_a_later_one_did_not(tmp_path: Path) -> None:
    with _taught(tmp_path) as memory:
        with memory.session(id="one", agent="claude-code") as session:
            session.hand_over()
            assert session.system_prompt()
            session.hand_over()
            session.take_back()
        assert len(memory.agents.review("one").remembered) == 1
