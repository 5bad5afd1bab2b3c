"""The last sessions have a limit, and what was missing is said in sentences."""

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.results import MAX_SESSIONS


def test_last_sessions_have_a_limit(memory: Recollect) -> None:
    assert memory.recall("x", last_sessions=MAX_SESSIONS).found == ()
    with pytest.raises(InvalidInput, match="1 to 100"):
        memory.recall("x", last_sessions=MAX_SESSIONS + 1)


def test_what_was_missing_is_a_sentence(memory: Recollect) -> None:
    memory.remember("The crane is yellow.")
    stranger = memory.within(user="bob")

    assert stranger.recall("crane").missing == (
        "bob does not belong to the space 'default': "
        "what only its members may see was not searched.",
    )
    memory.chat.set(memory_enabled=False)
    assert memory.recall("crane").missing == ("Nothing is recalled: memory is off in this space.",)
