"""What members may do to each other's words: stewards correct, members keep to their own.

The table is in ``docs/trust.md``. Over HTTP it is tried in ``surfaces/rest/test_rights.py``.
"""

from collections.abc import Callable

import pytest

from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidInput, NotAllowed, StreamNotFound
from recollect.vocabulary.events import NewEvent

Attempt = Callable[[Recollect, str], object]

CHANGES: dict[str, Attempt] = {
    "update": lambda view, memory: view.update(memory, content="mine now"),
    "unverify": lambda view, memory: view.update(memory, user_verified=False),
    "pin": lambda view, memory: view.pin(memory),
    "forget": lambda view, memory: view.forget(memory),
    "restore": lambda view, memory: view.restore(memory),
    "supersede": lambda view, memory: view.supersede(memory, "mine now"),
    "relate": lambda view, memory: view.relate(memory, "validates", file="a.py"),
    "unrelate": lambda view, memory: view.unrelate(memory, "validates", file="a.py"),
    "erase": lambda view, memory: view.forget(memory, for_good=True),
}


@pytest.fixture
def bob(memory: Recollect) -> Recollect:
    memory.add_member("bob", "member")
    return memory.within(user="bob")


@pytest.mark.parametrize("change", CHANGES)
def test_a_member_changes_only_what_is_their_own(
    memory: Recollect, bob: Recollect, change: str
) -> None:
    hers, his = memory.remember("Ada's words."), bob.remember("Bob's words.")
    with pytest.raises(NotAllowed, match="change what another remembered"):
        CHANGES[change](bob, hers.id)
    assert memory.get(hers.id) == hers
    CHANGES[change](bob, his.id)
    memory.add_member("bob", "steward")
    CHANGES[change](bob, hers.id)


def test_every_member_may_say_that_a_memory_is_right(memory: Recollect, bob: Recollect) -> None:
    kept = memory.remember("Ada's words.", needs_review=True)
    confirmed = bob.verify(kept.id)
    assert (confirmed.user_verified, confirmed.needs_review) == (True, False)
    assert confirmed.content == kept.content


def test_authors_are_who_writes_or_a_name_that_a_steward_confirmed(
    memory: Recollect, bob: Recollect
) -> None:
    memory.record("As ada says.", author="alice")  # the owner speaks for anyone
    for author in ("ada", "alice", "recollect"):
        with pytest.raises(NotAllowed, match="in the name of"):
            bob.record("I resign.", author=author)
        with pytest.raises(NotAllowed):
            bob.record_many([NewEvent("Mine."), NewEvent("I resign.", author=author)])
    assert [event.author for event in memory.read("notes").items] == ["alice"]
    assert bob.record("Hello.").author == "bob"
    assert bob.record("Hello!", author="assistant").author == "assistant"
    with pytest.raises(NotAllowed):
        bob.confirm_alias("bob", "alice")
    with pytest.raises(InvalidInput):
        memory.confirm_alias("bob", "ada")
    memory.confirm_alias("bob", "Robert")
    said = bob.record("It is me.", author="Robert")
    assert bob.edit_event(said.id, "It is still me.").author == "Robert"
    assert [(one.user, one.name, one.confirmed_by) for one in bob.aliases()] == [
        ("bob", "Robert", "ada")
    ]
    assert memory.withdraw_alias("bob", "Robert")
    with pytest.raises(NotAllowed):
        bob.record("Once more.", author="Robert")


def test_a_program_has_no_member_s_name(memory: Recollect, bob: Recollect) -> None:
    memory.add_member("assistant", "reader")
    with pytest.raises(NotAllowed):
        bob.record("I, the person called assistant.", author="assistant")


def test_an_owner_joins_a_private_stream_by_a_step_that_is_noted(
    memory: Recollect, bob: Recollect
) -> None:
    memory.add_member("cyd", "steward")
    hidden = bob.open_stream("between us", access="private")
    bob.record("The word is marzipan.", stream="between us")
    for view in (bob, memory.within(user="cyd"), memory.within(user="eve")):
        with pytest.raises(NotAllowed):
            view.join_stream("between us")
    assert not memory.recall("marzipan")
    with pytest.raises(StreamNotFound):
        memory.join_stream("nothing")
    assert memory.join_stream("between us").id == hidden.id
    assert [event.text for event in memory.read("between us").items] == ["The word is marzipan."]
    assert memory.recall("marzipan")
    (noted,) = memory.chat.audit().items
    assert (noted.action, noted.subject) == ("join_stream", hidden.id)


def test_who_reads_only_is_told_the_role_that_it_takes(memory: Recollect) -> None:
    """A memory of another takes a steward; a reader's becoming a member would not help."""
    kept = memory.remember("The ledger is closed on Fridays.")
    memory.add_member("eve", "reader")
    reader = memory.within(user="eve")
    for change in CHANGES.values():
        with pytest.raises(NotAllowed) as refused:
            change(reader, kept.id)
        assert "may not change what another remembered" in refused.value.message
        assert "'steward'" in (refused.value.hint or "")
    with pytest.raises(NotAllowed, match="keep memories"):
        reader.remember("The ledger is red.")
