"""How confidence flows: what holds for any web of arrows, without a store."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.memories.propagation import FACTORS, OPPOSING, THRESHOLD, moved, propagate
from recollect.vocabulary.memory import Relation
from recollect.vocabulary.memory_types import RelationType

fractions = st.floats(0, 1)
names = st.sampled_from([f"m{number}" for number in range(7)])
arrows = st.builds(
    Relation,
    type=st.sampled_from(list(RelationType)),
    source_id=names,
    target_id=names,
    confidence=fractions,
)
webs = st.lists(arrows, max_size=25)
beliefs = st.fixed_dictionaries({f"m{number}": fractions for number in range(7)})


def arrow(kind: RelationType, strength: float = 1.0) -> Relation:
    return Relation(kind, "a", target_id="b", confidence=strength)


def spread(web: list[Relation], known: dict[str, float], start: str = "m0") -> dict[str, float]:
    asked = 0

    def relations_from(memory: str) -> list[Relation]:
        nonlocal asked
        asked += 1
        assert asked <= len(known), "it goes round in circles"
        return [arrow for arrow in web if memory in {arrow.source_id, arrow.target_id}]

    return propagate(start, known[start], relations_from, known.get)


@given(target=fractions, source=fractions, relation=arrows)
def test_it_stays_between_nothing_and_certainty(
    target: float, source: float, relation: Relation
) -> None:
    assert 0 <= moved(target, source, relation) <= 1


@given(target=fractions, source=fractions, relation=arrows)
def test_opposing_never_raises(target: float, source: float, relation: Relation) -> None:
    if relation.type in OPPOSING:
        assert moved(target, source, relation) <= target


@given(target=fractions, source=fractions, relation=arrows)
def test_supporting_moves_toward_the_source_and_not_past_it(
    target: float, source: float, relation: Relation
) -> None:
    if relation.type not in OPPOSING:
        new = moved(target, source, relation)
        low, high = sorted((target, source))
        assert low - 1e-12 <= new <= high + 1e-12


@given(target=fractions, source=fractions, kind=st.sampled_from(list(RelationType)))
def test_arrow_without_strength_moves_nothing(
    target: float, source: float, kind: RelationType
) -> None:
    assert moved(target, source, arrow(kind, 0.0)) == target


@given(web=webs, known=beliefs)
def test_it_ends_and_makes_only_moves_that_matter(
    web: list[Relation], known: dict[str, float]
) -> None:
    moves = spread(web, known)

    assert "m0" not in moves
    for memory, new in moves.items():
        assert 0 <= new <= 1
        assert abs(new - known[memory]) > THRESHOLD


@given(web=webs, known=beliefs)
def test_every_move_came_along_an_arrow_from_what_moved(
    web: list[Relation], known: dict[str, float]
) -> None:
    moves = spread(web, known)
    values = {**known, **moves}
    for memory, new in moves.items():
        causes = [
            moved(known[memory], values[arrow.source_id], arrow)
            for arrow in web
            if arrow.target_id == memory and (arrow.source_id in moves or arrow.source_id == "m0")
        ]
        assert new in causes


def test_weak_arrow_does_not_hide_a_strong_one() -> None:
    weak = Relation(RelationType.REQUIRED_WITH, "m0", target_id="m1", confidence=0.01)
    strong = Relation(RelationType.VALIDATES, "m0", target_id="m1")
    around = [
        Relation(RelationType.VALIDATES, "m0", target_id="m2"),
        Relation(RelationType.VALIDATES, "m2", target_id="m1"),
    ]
    known = {"m0": 1.0, "m1": 0.0, "m2": 0.0}
    assert spread([weak, strong], known) == spread([strong, weak], known) == {"m1": 0.6}
    assert spread([weak, *around], known) == {"m2": 0.6, "m1": 0.36}


def test_what_cannot_be_seen_is_passed_by_and_stops_the_flow() -> None:
    web = [
        Relation(RelationType.VALIDATES, "m0", target_id="hidden"),
        Relation(RelationType.VALIDATES, "hidden", target_id="m1"),
        Relation(RelationType.VALIDATES, "m0", target_path="a.py"),
    ]
    assert spread(web, {"m0": 1.0, "m1": 0.1}) == {}


def test_circle_that_does_not_pass_the_start_ends() -> None:
    web = [
        Relation(RelationType.VALIDATES, left, target_id=right)
        for left, right in (("m0", "m1"), ("m1", "m2"), ("m2", "m1"))
    ]
    assert spread(web, {"m0": 1.0, "m1": 0.0, "m2": 0.0}) == {"m1": 0.6, "m2": 0.36}


def test_examples() -> None:
    assert moved(0.5, 1.0, arrow(RelationType.VALIDATES)) == 0.8
    assert moved(0.5, 1.0, arrow(RelationType.REQUIRED_WITH)) == 0.65
    assert moved(0.5, 1.0, arrow(RelationType.DERIVED_FROM, 0.5)) == 0.625
    assert moved(0.5, 1.0, arrow(RelationType.CONFLICTS_WITH)) == 0.3
    assert abs(moved(0.5, 1.0, arrow(RelationType.SUPERSEDES)) - 0.1) < 1e-12
    assert set(FACTORS) == set(RelationType)


def test_a_move_of_just_the_threshold_is_not_made() -> None:
    edge = Relation(RelationType.DERIVED_FROM, "m0", target_id="m1", confidence=1.0)
    assert spread([edge], {"m0": 0.1, "m1": 0.0}) == {}
    assert spread([edge], {"m0": 0.11, "m1": 0.0}) == {"m1": 0.055}
