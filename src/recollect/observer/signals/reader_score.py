"""Score of how likely a reader finds the memory of a user's turn worth keeping: a linear model.

The features are what the turn and its outcome are like: whether its words state how something
should be, whether something was changed upon it, how many turns followed, how good the claims are.
The weights are in ``reader_score.tsv``; ``python -m benchmarks.claim_fit`` fits them to the
verdicts of readers on promoted memories. A score of 0 means even odds.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from recollect.observer.signals.claims import Claim
from recollect.observer.signals.turn_text import is_asking, is_refusing, is_task
from recollect.observer.signals.wishes import is_lasting
from recollect.observer.turn_words import has_yielded, is_plan, is_review

_HEDGED: Final = re.compile(
    r"(?i)\b(?:I (?:guess|wonder|feel like|think)|wondering|not sure|maybe|perhaps|in theory)\b"
)
#: Words about the text of a message, in quotation marks.
_WORDING: Final = re.compile(
    r"[\"“][^\"”\n]{6,120}[\"”]|\b(?:wording|message|print|typo|colou?r)\b", re.I
)
_SHORT: Final = 60
_LONG: Final = 300
_VERY_LONG: Final = 700
_FEW_LATER: Final = 3
_MANY_LATER: Final = 8


def reader_score(turn: Mapping[str, Any], claims: Sequence[Claim], *, states: bool) -> float:
    """Log odds that a reader finds the memory of a turn worth keeping."""
    weights = _weights()
    found = turn_features(turn, claims, states=states)
    return weights.get("bias", 0.0) + sum(weights.get(name, 0.0) for name in found)


def turn_features(
    turn: Mapping[str, Any], claims: Sequence[Claim], *, states: bool
) -> frozenset[str]:
    """Features of a turn and its outcome; ``states`` says that its words settle something."""
    return frozenset(_features(turn, claims, states))


def _features(turn: Mapping[str, Any], claims: Sequence[Claim], states: bool) -> Iterator[str]:
    words = str(turn["words"])
    length = len(words)
    size = sum(length >= limit for limit in (_SHORT, _LONG, _VERY_LONG))
    yield f"size_{size}"
    told = (
        ("states", states),
        ("asks", is_asking(words)),
        ("orders", is_task(words)),
        ("refuses", is_refusing(words)),
        ("lasting", is_lasting(words)),
        ("planned", is_plan(words)),
        ("review", is_review(words)),
        ("hedged", _HEDGED.search(words) is not None),
        ("question", "?" in words),
        ("wording", _WORDING.search(words) is not None),
        ("held_back", bool(turn.get("refused") or turn.get("late"))),
        ("interrupted", bool(turn.get("interrupted"))),
        ("first", bool(turn["first"])),
        ("yielded", has_yielded(str(turn["answer"]))),
        ("committed", bool(turn.get("commit"))),
        ("passed", bool(turn.get("passed"))),
        ("overturns", bool(turn["overturns"])),
    )
    yield from (name for name, holds in told if holds)
    later = int(turn.get("later", 0))
    ahead = sum(later >= limit for limit in (1, _FEW_LATER, _MANY_LATER))
    yield f"{'changed' if turn['edited'] else 'unchanged'}_{ahead}"
    yield "changed" if turn["edited"] else "unchanged"
    situation = turn.get("situation", frozenset())
    yield from (f"then_{name}" for name in ("next_corrects", "edited_again") if name in situation)
    yield f"claims_{min(3, sum(claim.score > -1.2 for claim in claims))}"
    after = max((claim.score for claim in claims if claim.after_change), default=-9.0)
    yield f"after_{sum(after > limit for limit in (-2.0, -1.2, -0.6))}"


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    text = files("recollect.observer.signals").joinpath("reader_score.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(weight) for name, weight in rows}
