"""How confidence flows along relations.

A memory that gains or loses confidence pulls the memories it supports toward itself, and pushes
down those it conflicts with or replaces. Only moves of more than 0.05 are made and travel on, and
no memory is moved twice, so circles end.
"""

from collections.abc import Callable, Iterable
from typing import Final

from recollect.vocabulary.memory import Relation
from recollect.vocabulary.memory_types import RelationType

THRESHOLD: Final = 0.05

FACTORS: Final[dict[RelationType, float]] = {
    RelationType.VALIDATES: 0.6,
    RelationType.REQUIRED_WITH: 0.3,
    RelationType.DERIVED_FROM: 0.5,
    RelationType.CONFLICTS_WITH: 0.4,
    RelationType.SUPERSEDES: 0.8,
}
OPPOSING: Final = frozenset({RelationType.CONFLICTS_WITH, RelationType.SUPERSEDES})


def moved(target: float, source: float, relation: Relation) -> float:
    """New confidence of a target, given the source's confidence and the relation between them."""
    factor = FACTORS[relation.type] * relation.confidence
    if relation.type in OPPOSING:
        return min(1.0, max(0.0, target * (1 - factor * source)))
    return min(1.0, max(0.0, target + factor * (source - target)))


def propagate(
    start: str,
    confidence: float,
    relations_from: Callable[[str], Iterable[Relation]],
    confidence_of: Callable[[str], float | None],
) -> dict[str, float]:
    """New confidence of each affected memory. ``confidence_of`` gives None for invisible ones."""
    moves: dict[str, float] = {}
    visited = {start}
    wave = [(start, confidence)]
    while wave:
        source_id, source = wave.pop(0)
        for relation in relations_from(source_id):
            target_id = relation.target_id
            if target_id is None or target_id in visited or relation.source_id != source_id:
                continue
            current = confidence_of(target_id)
            if current is None:
                continue
            new = moved(current, source, relation)
            if abs(new - current) > THRESHOLD:
                visited.add(target_id)
                moves[target_id] = new
                wave.append((target_id, new))
    return moves
