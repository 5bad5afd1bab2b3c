"""Relations: arrows between memories and to files, and confidence that flows along them."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.engine import Recollect
from recollect.memories.propagation import FACTORS, OPPOSING, THRESHOLD
from recollect.vocabulary.errors import InvalidInput, MemoryNotFound
from recollect.vocabulary.memory import Action, Memory, Relation
from recollect.vocabulary.memory_types import RelationType
from tests.contracts.state import changed, state_of
from tests.stores import StoreMaker


def confidence(view: Recollect, memory: Memory) -> float:
    item = view.get(memory.id)
    assert isinstance(item, Memory)
    return item.confidence


def test_arrows_are_seen_from_both_ends(memory: Recollect) -> None:
    one, two = memory.remember("one"), memory.remember("two")
    arrow = memory.relate(one.id, "required_with", memory=two.id, confidence=0.5)
    file = memory.relate(one.id, "derived_from", file="src\\auth\\./login.py")

    assert arrow == Relation(RelationType.REQUIRED_WITH, one.id, target_id=two.id, confidence=0.5)
    assert file.target_path == "src/auth/login.py"
    assert set(memory.relations(one.id)) == {arrow, file}
    assert memory.relations(two.id) == (arrow,)


def test_arrow_is_drawn_once_and_taken_away(memory: Recollect) -> None:
    one, two = memory.remember("one"), memory.remember("two")
    for strength in (0.2, 0.9):
        memory.relate(one.id, "validates", memory=two.id, confidence=strength)
    assert [arrow.confidence for arrow in memory.relations(one.id)] == [0.9]

    assert memory.unrelate(one.id, "validates", memory=two.id) is True
    assert memory.unrelate(one.id, "validates", memory=two.id) is False
    assert memory.relations(one.id) == ()


def test_arrow_has_one_end(memory: Recollect) -> None:
    one, two = memory.remember("one"), memory.remember("two")
    with pytest.raises(InvalidInput, match="one memory or one file"):
        memory.relate(one.id, "validates")
    with pytest.raises(InvalidInput, match="one memory or one file"):
        memory.relate(one.id, "validates", memory=two.id, file="a.py")
    with pytest.raises(InvalidInput, match="Choose one of"):
        memory.relate(one.id, "likes", memory=two.id)


@pytest.mark.parametrize("kind", list(RelationType))
@pytest.mark.parametrize(("source", "target"), [(0.9, 0.3), (0.2, 0.9), (0.5, 0.5), (1.0, 0.0)])
def test_confidence_moves_by_the_formula(
    memory: Recollect, kind: RelationType, source: float, target: float
) -> None:
    one = memory.remember("one", confidence=source)
    two = memory.remember("two", confidence=target)

    memory.relate(one.id, kind, memory=two.id, confidence=0.8)

    factor = {
        "validates": 0.6,
        "required_with": 0.3,
        "derived_from": 0.5,
        "conflicts_with": 0.4,
        "supersedes": 0.8,
    }[kind.value]
    if kind.value in {"conflicts_with", "supersedes"}:
        wanted = target * (1 - factor * source * 0.8)
    else:
        wanted = target + factor * 0.8 * (source - target)
    expected = wanted if abs(wanted - target) > 0.05 else target
    assert math.isclose(confidence(memory, two), expected)
    assert confidence(memory, one) == source
    moves = [entry for entry in memory.history(two.id) if entry.action is Action.CONFIDENCE]
    assert len(moves) == (expected != target)


def test_confidence_travels_along_a_chain_until_the_move_is_small(memory: Recollect) -> None:
    chain = [memory.remember(f"{n}", confidence=0.5) for n in range(6)]
    for left, right in pairwise(chain):
        memory.relate(left.id, "validates", memory=right.id)

    memory.update(chain[0].id, confidence=1.0)

    expected, value = [1.0], 1.0
    for _ in chain[1:]:
        wanted = 0.5 + 0.6 * (value - 0.5)
        value = wanted if wanted - 0.5 > 0.05 and value != 0.5 else 0.5
        expected.append(value)
    assert [confidence(memory, item) for item in chain] == pytest.approx(expected)
    assert expected[-1] == 0.5, "the last was too far away"


def test_circle_ends(memory: Recollect) -> None:
    ring = [memory.remember(f"{n}", confidence=0.2) for n in range(4)]
    for left, right in zip(ring, [*ring[1:], ring[0]], strict=True):
        memory.relate(left.id, "validates", memory=right.id)
    memory.relate(ring[0].id, "validates", memory=ring[0].id)
    for item in ring:
        memory.update(item.id, confidence=0.2)

    memory.update(ring[0].id, confidence=1.0)

    values = [confidence(memory, item) for item in ring]
    assert values == pytest.approx([1.0, 0.68, 0.488, 0.3728])


@given(
    links=st.lists(
        st.tuples(
            st.integers(0, 4),
            st.integers(0, 4),
            st.sampled_from(list(RelationType)),
            st.floats(0, 1),
        ),
        max_size=8,
    ),
    begin=st.lists(st.floats(0, 1), min_size=5, max_size=5),
    pushed=st.floats(0, 1),
)
def test_any_web_keeps_confidence_between_nothing_and_certainty(
    memory: Recollect,
    links: list[tuple[int, int, RelationType, float]],
    begin: list[float],
    pushed: float,
) -> None:
    view = memory.within(space=f"web {len(memory.spaces())}")
    web = [view.remember(f"{n}", confidence=value) for n, value in enumerate(begin)]
    for left, right, kind, strength in links:
        view.relate(web[left].id, kind, memory=web[right].id, confidence=strength)
    view.update(web[0].id, confidence=pushed)

    for item in web:
        assert 0 <= confidence(view, item) <= 1
        moves = [entry for entry in view.history(item.id) if entry.action is Action.CONFIDENCE]
        for entry in moves:
            old, new = entry.changes["confidence"]
            assert abs(new - old) > THRESHOLD


def test_confidence_does_not_flow_to_what_the_writer_cannot_see(memory: Recollect) -> None:
    memory.add_member("bob", "steward")
    bob = memory.within(user="bob")
    shared = memory.remember("shared", confidence=0.5)
    hidden = bob.remember("bobs own", visibility="personal", confidence=0.5)
    behind = bob.remember("behind it", confidence=0.5)
    bob.relate(shared.id, "validates", memory=hidden.id)
    bob.relate(hidden.id, "validates", memory=behind.id)

    memory.update(shared.id, confidence=1.0)

    assert confidence(bob, hidden) == 0.5
    assert confidence(bob, behind) == 0.5
    assert memory.relations(shared.id) == ()
    with pytest.raises(MemoryNotFound):
        memory.unrelate(shared.id, "validates", memory=hidden.id)
    assert len(bob.relations(shared.id)) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "0.5", -0.1, 1.1, None])
def test_strength_of_an_arrow_is_a_fraction(stores: StoreMaker, value: object) -> None:
    address = stores.ready()
    memory = stores.open(address)
    one, two = memory.remember("one"), memory.remember("two")
    before = state_of(database := stores.database(address))
    with pytest.raises(InvalidInput, match="confidence"):
        memory.relate(one.id, "validates", memory=two.id, confidence=value)  # type: ignore[arg-type]
    assert changed(before, state_of(database)) == {}


def test_factors_are_those_of_the_documents() -> None:
    assert {kind.value for kind in FACTORS} == {kind.value for kind in RelationType}
    assert {kind.value for kind in OPPOSING} == {"conflicts_with", "supersedes"}
