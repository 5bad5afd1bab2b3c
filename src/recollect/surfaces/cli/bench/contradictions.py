"""Benchmark of contradiction detection on write, on pairs of dated memories.

Both memories of a pair are stored in a separate space, in the order of their dates, by the verb
that users call. A pair counts as found when an open contradiction or a supersede links the two.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.vocabulary.errors import InvalidInput
from recollect.vocabulary.memory_types import MemoryType

if TYPE_CHECKING:
    from recollect.engine import Recollect
    from recollect.vocabulary.memory import Memory


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """Result of one pair: whether it was found, and which of the two was said to stand."""

    pair: dict[str, Any]
    found: bool
    winner: str | None


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Read the pairs of a file."""
    try:
        pairs = json.loads(path.read_text(encoding="utf-8"))["pairs"]
        for one in pairs:
            one["a"]["text"], one["b"]["text"], one["a"]["at"], one["b"]["at"], one["contradict"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{path} holds no pairs: {error}.") from error
    return list(pairs)


def measured(
    pairs: list[dict[str, Any]],
    open_store: "Callable[[Path], Recollect]",
    advance: Callable[[int, int | None, str], None] | None = None,
) -> dict[str, Any]:
    """Figures over all pairs and by kind."""
    outcomes: list[PairOutcome] = []
    with tempfile.TemporaryDirectory() as folder:
        memory = open_store(Path(folder) / "contradictions.db")
        try:
            for number, one in enumerate(pairs, 1):
                outcomes.append(_kept(memory.within(space=f"pair-{number}"), one))
                if advance is not None:
                    advance(number, len(pairs), str(one.get("id", "")))
        finally:
            memory.close()
    kinds = sorted({str(one.get("kind", "")) for one in pairs})
    return {
        **_figures(outcomes),
        "by_kind": {
            kind: {
                "pairs": len([one for one in outcomes if one.pair.get("kind") == kind]),
                "found": len([o for o in outcomes if o.pair.get("kind") == kind and o.found]),
            }
            for kind in kinds
        },
        "mistakes": [
            f"{one.pair.get('id', '')}: {'missed' if one.pair['contradict'] else 'wrongly found'}"
            for one in outcomes
            if one.found != bool(one.pair["contradict"])
        ],
    }


def _kept(memory: "Recollect", pair: dict[str, Any]) -> PairOutcome:
    """Store both memories, the earlier first, and check what was found."""
    ids: dict[str, str] = {}
    for side in sorted("ab", key=lambda side: (pair[side]["at"], side)):
        ids[_remembered(memory, pair[side]).id] = side
    for one in memory.contradictions.list().items:
        if {one.a.id, one.b.id} == set(ids):
            stands = {"a": one.a.id, "b": one.b.id}.get(one.suggested or "")
            return PairOutcome(pair, True, ids.get(stands or ""))
    for memory_id, side in ids.items():
        if getattr(memory.get(memory_id), "superseded_by", None) in ids:
            return PairOutcome(pair, True, "b" if side == "a" else "a")
    return PairOutcome(pair, False, None)


def _remembered(memory: "Recollect", statement: dict[str, Any]) -> "Memory":
    """Store one text; as a plain fact when its type needs fields that the file does not have."""
    said = datetime.fromisoformat(statement["at"].replace("Z", "+00:00"))
    at = said if said.tzinfo is not None else said.replace(tzinfo=UTC)
    kind, text = str(statement.get("type", MemoryType.FACT)), str(statement["text"])
    recipe = {"task_pattern": text, "steps": [{"order": 1, "description": text}]}
    extras = recipe if kind == MemoryType.WORKFLOW_RECIPE else {}
    try:
        return memory.remember(text, type=kind, happened_at=at, valid_from=at, extras=extras)
    except InvalidInput:
        return memory.remember(text, happened_at=at, valid_from=at)


def _figures(outcomes: list[PairOutcome]) -> dict[str, Any]:
    wanted = [one for one in outcomes if one.pair["contradict"]]
    found = [one for one in outcomes if one.found]
    right = [one for one in found if one.pair["contradict"]]
    decided = [one for one in right if one.pair.get("winner")]
    won = [one for one in decided if one.winner == one.pair["winner"]]
    return {
        "pairs": len(outcomes),
        "contradicting": len(wanted),
        "found": len(found),
        "recall": round(len(right) / max(1, len(wanted)), 4),
        "precision": round(len(right) / max(1, len(found)), 4),
        "winner_right": round(len(won) / max(1, len(decided)), 4),
    }
