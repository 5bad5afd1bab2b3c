"""Spaces, their people, and what each role may do."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.engine import Recollect
from recollect.recall.contradiction_marks import OTHERS, OWN
from recollect.vocabulary.errors import InvalidInput, InvalidText, NotAllowed, NotFound
from recollect.vocabulary.spaces import Role, SpaceKind
from tests.contracts.state import state_of
from tests.stores import StoreMaker

Verb = Callable[[str], object]


def test_space_is_made_when_it_is_first_entered(memory: Recollect) -> None:
    project = memory.within(space="atlas", kind="workspace", organisation="acme", team="core")

    assert project.space.name == "atlas"
    assert project.space.kind is SpaceKind.WORKSPACE
    assert (project.space.organisation, project.space.team) == ("acme", "core")
    assert [(m.user, m.role) for m in project.members()] == [("ada", Role.OWNER)]


def test_space_is_entered_again_not_made_again(memory: Recollect) -> None:
    first = memory.within(space="atlas", kind="workspace")
    again = memory.within(space="atlas", user="bob", kind="personal", team="other")

    assert again.space == first.space
    assert [member.user for member in first.members()] == ["ada"]


def test_spaces_lists_those_a_person_belongs_to_oldest_first(memory: Recollect) -> None:
    for name in ("zebra", "atlas"):
        memory.within(space=name)
    memory.within(space="bobs", user="bob")

    assert [space.name for space in memory.spaces()] == ["default", "zebra", "atlas"]
    assert [space.name for space in memory.within(user="bob").spaces()] == ["bobs"]


def test_nothing_crosses_a_space(memory: Recollect) -> None:
    other = memory.within(space="other")
    kept = memory.remember("the vault opens at noon", tags=["vault"])
    said = memory.record("the vault opens at noon")

    assert other.list().items == ()
    assert other.recall("vault noon").found == ()
    assert other.streams().items == ()
    assert other.stats()["memories"] == {}
    of_memories: list[Verb] = [other.get, other.history, other.relations, other.forget]
    for verb in [*of_memories, other.restore]:
        with pytest.raises(NotFound):
            verb(kept.id)
    of_events: list[Verb] = [other.get, other.window, other.replies, other.revisions]
    for verb in [*of_events, other.reactions]:
        with pytest.raises(NotFound):
            verb(said.id)


def test_roles_are_given_changed_and_taken_by_an_owner(memory: Recollect) -> None:
    memory.add_member("bob", "reader")
    memory.add_member("bob", "steward")
    memory.add_member("cyd")

    assert [(m.user, m.role.value) for m in memory.members()] == [
        ("ada", "owner"),
        ("bob", "steward"),
        ("cyd", "member"),
    ]
    assert memory.remove_member("bob") is True
    assert memory.remove_member("bob") is False
    assert [member.user for member in memory.members()] == ["ada", "cyd"]


@pytest.mark.parametrize("role", ["reader", "member", "steward"])
def test_only_an_owner_gives_and_takes_roles(
    memory: Recollect, stores: StoreMaker, role: str
) -> None:
    memory.add_member("bob", role)
    memory.add_member("cyd", "reader")
    bob = memory.within(user="bob")

    with pytest.raises(NotAllowed):
        bob.add_member("bob", "owner")
    with pytest.raises(NotAllowed):
        bob.remove_member("cyd")

    assert [(m.user, m.role.value) for m in memory.members()] == [
        ("ada", "owner"),
        ("bob", role),
        ("cyd", "reader"),
    ]
    assert bob.remove_member("bob") is True, "everyone may leave"


def test_space_keeps_an_owner(memory: Recollect) -> None:
    memory.add_member("bob", "steward")
    with pytest.raises(NotAllowed, match="at least one owner"):
        memory.remove_member("ada")
    with pytest.raises(NotAllowed, match="at least one owner"):
        memory.add_member("ada", "member")

    memory.add_member("bob", "owner")
    assert memory.remove_member("ada") is True
    assert [member.user for member in memory.within(user="bob").members()] == ["bob"]


def test_stranger_learns_nobody_and_writes_nothing(stores: StoreMaker) -> None:
    address = stores.ready()
    memory = stores.open(address)
    kept = memory.remember("what members know")
    stranger = memory.within(user="eve")
    database = stores.database(address)
    before = state_of(database)

    attempts: list[Callable[[], object]] = [
        stranger.members,
        lambda: stranger.add_member("eve", "owner"),
        lambda: stranger.remember("let me in"),
        lambda: stranger.record("let me in"),
        lambda: stranger.open_stream("mine"),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()
    with pytest.raises(NotFound):
        stranger.get(kept.id)
    assert stranger.remove_member("eve") is False
    assert stranger.list().items == ()

    assert state_of(database) == before


def test_reader_reads_and_does_not_write(memory: Recollect) -> None:
    kept = memory.remember("the door is blue")
    memory.add_member("bob", "reader")
    bob = memory.within(user="bob")

    assert bob.get(kept.id) == kept
    assert [found.id for found in bob.recall("blue door")] == [kept.id]
    attempts: list[Callable[[], object]] = [
        lambda: bob.remember("the door is red"),
        lambda: bob.update(kept.id, content="the door is red"),
        lambda: bob.forget(kept.id),
        lambda: bob.supersede(kept.id, "the door is red"),
        lambda: bob.relate(kept.id, "validates", file="door.py"),
        lambda: bob.record("the door is red"),
    ]
    for attempt in attempts:
        with pytest.raises(NotAllowed):
            attempt()
    assert memory.get(kept.id) == kept


def test_names_are_checked(memory: Recollect) -> None:
    for bad in ("", "   ", "a\nb", "x" * 201, "nul\x00"):
        with pytest.raises(InvalidText):
            memory.within(space=bad)
        with pytest.raises(InvalidText):
            memory.add_member(bad)
    with pytest.raises(InvalidInput, match="reader, member, steward, owner"):
        memory.add_member("bob", "king")


def test_empty_user_is_refused_and_never_taken_for_the_one_before(memory: Recollect) -> None:
    with pytest.raises(InvalidText):
        memory.within(user="")


def test_teams_come_as_a_list_and_not_as_one_word(memory: Recollect) -> None:
    with pytest.raises(InvalidInput):
        memory.within(user="bob", teams="core")
    with pytest.raises(InvalidInput):
        memory.within(user="bob", organisations="acme")


def test_many_open_a_new_store_at_once(stores: StoreMaker) -> None:
    """Whoever comes first makes the space and notes the embedder; nobody is turned away."""
    address = stores.ready()
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: stores.open(address), range(16)))
    assert len({memory.space.id for memory in opened}) == 1


@pytest.mark.parametrize("surer", ["personal", "project"])
def test_personal_against_team_is_found_as_both(stores: StoreMaker, surer: str) -> None:
    memory = stores.open(embedder="static")
    words = {"project": "4 spaces", "personal": "2 spaces"}
    kept = {
        reach: memory.remember(
            f"The indentation of Python files is {words[reach]}.",
            visibility=reach,
            repeats="keep",
            confidence=0.9 if reach == surer else 0.6,
        ).id
        for reach in words
    }
    found = memory.recall("indentation of Python files").found
    assert {one.id for one in found} == set(kept.values())
    assert found[0].id == kept[surer]
    said = {one.id: one.reason for one in found}
    assert said == {kept["personal"]: OWN, kept["project"]: OTHERS}

    (open_one,) = memory.contradictions.list().items
    memory.contradictions.resolve(open_one.id, "both")
    assert {one.reason for one in memory.recall("indentation of Python files").found} == {""}
