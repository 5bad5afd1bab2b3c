"""What a contradiction shows: to readers of both memories a note, to others nothing."""

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import NotFound

OLD = "The stand-up of the board is at 9:15."
NEW = "The stand-up of the board moved to 10:00."


def test_others_see_no_contradiction_of_a_private_stream(memory: Recollect) -> None:
    memory.add_member("bob", "steward")
    memory.open_stream("board", access="private")
    events = [memory.record(text, stream="board").id for text in (OLD, NEW)]
    for text, event in zip((OLD, NEW), events, strict=True):
        memory.remember(text, events=[event])
    found = memory.contradictions.list().items
    assert len(found) == 1
    bob = memory.within(user="bob")
    assert bob.contradictions.list().items == ()
    assert bob.contradictions.list(resolved=True).items == ()
    with pytest.raises(NotFound):
        bob.contradictions.resolve(found[0].id, "a_wins")
    assert len(memory.contradictions.list().items) == 1
    memory.admit("board", "bob")
    assert len(bob.contradictions.list().items) == 1
    memory.dismiss("board", "bob")
    assert bob.contradictions.list().items == ()


def test_a_stranger_sees_none(memory: Recollect) -> None:
    memory.remember(OLD)
    memory.remember(NEW)
    assert len(memory.contradictions.list().items) == 1
    assert memory.within(user="mallory").contradictions.list().items == ()


def test_results_say_that_they_contradict_each_other_until_somebody_decides(
    memory: Recollect,
) -> None:
    memory.remember(OLD)
    memory.remember(NEW)
    memory.remember("Bob collects stamps from Peru.")

    def reasons() -> dict[str, str | None]:
        found = memory.recall("When is the stand-up of the board? Who has stamps?").found
        assert len(found) == 3
        return {hit.text: hit.reason for hit in found if hit.reason}

    said = reasons()
    assert set(said) == {OLD, NEW}
    assert str(said[NEW]).startswith("newer;")
    assert str(said[OLD]).startswith("older;")
    memory.contradictions.resolve(memory.contradictions.list().items[0].id, "both")
    assert reasons() == {}
