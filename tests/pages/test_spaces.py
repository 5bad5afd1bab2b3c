"""Spaces are found without being made, on every store."""

import pytest

import recollect
from recollect.engine import Recollect
from recollect.vocabulary.errors import InvalidText, SpaceNotFound
from tests.stores import Backend, StoreMaker


def names(memory: Recollect) -> list[str]:
    return [space.name for space in memory.spaces()]


def test_a_space_that_must_be_there_is_not_made(memory: Recollect) -> None:
    memory.within(space="harbour")
    with pytest.raises(SpaceNotFound, match="Did you mean 'harbour'"):
        memory.within(space="harbor", make=False)
    with pytest.raises(SpaceNotFound, match="Your spaces: 'default', 'harbour'"):
        memory.within(space="zebra", make=False)
    assert names(memory) == ["default", "harbour"]


def test_other_people_s_spaces_are_not_named(memory: Recollect) -> None:
    memory.within(space="harbour", user="bob")
    with pytest.raises(SpaceNotFound) as told:
        memory.within(space="harbor", make=False)
    assert "harbour" not in str(told.value)


def test_opening_a_store_to_read_makes_no_space(backend: Backend) -> None:
    address = backend.ready()

    def opened(**options: object) -> Recollect:
        return recollect.open(address, user="ada", worker=False, **options)  # type: ignore[arg-type]

    with opened(make=False) as first:  # a new store has its default space
        assert names(first) == ["default"]
    with pytest.raises(SpaceNotFound, match="Did you mean 'default'"):
        opened(space="defualt", make=False)
    with pytest.raises(InvalidText):
        opened(space="", make=False)
    with opened(space_if_present="app", make=False) as absent:
        assert absent.space.name == "default"
    with opened(space="app") as made:
        assert made.space.name == "app"
    with opened(space_if_present="app", make=False) as present:
        assert present.space.name == "app"
    with opened(space="default", space_if_present="app") as named:
        assert (named.space.name, names(named)) == ("default", ["default", "app"])


def test_a_store_without_the_default_space_keeps_being_without(stores: StoreMaker) -> None:
    address = stores.backend.ready()
    recollect.open(address, user="ada", space="work", worker=False).close()
    with pytest.raises(SpaceNotFound, match="Your spaces: 'work'"):
        recollect.open(address, user="ada", make=False, worker=False)
