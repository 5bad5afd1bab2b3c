"""What an entry lacks that another one has, as features: the best of several entries is not told by
what it holds alone.

Whether anything answers a question is told by what an entry holds; which of several entries answers
is told by what the others hold beside it. Two weights for the one and the other need two features:
"the name that is asked for is here" and "it is not here, but elsewhere".
"""

from collections.abc import Mapping, Sequence
from typing import Final

#: How far an entry is behind the best one in these.
_BEHIND: Final = (
    "core_same",
    "core_met",
    "core_near",
    "category_met",
    "category_near",
    "near_whole",
)
#: What another entry has and this one has not.
_ELSEWHERE: Final = (
    "named",
    "related",
    "introduced",
    "role",
    "attribute_told",
    "wish_told",
    "verb_met",
    "name_beside",
    "number_beside",
)


def with_rivals(found: Sequence[dict[str, float]]) -> None:
    """Adds to the features of each entry how it stands beside the others."""
    best = {name: max((one.get(name, 0.0) for one in found), default=0.0) for name in _BEHIND}
    known = [name for name in _ELSEWHERE if any(one.get(name) for one in found)]
    kind = any(_holds(one) for one in found)
    for one in found:
        for name in _BEHIND:
            gap = best[name] - one.get(name, 0.0)
            if gap > 0.0:
                one[f"behind_{name}"] = gap
        for name in known:
            if not one.get(name):
                one[f"elsewhere_{name}"] = 1.0
        if kind and not _holds(one):
            one["elsewhere_kind"] = 1.0


def _holds(features: Mapping[str, float]) -> bool:
    """Whether an entry holds the kind of answer that is asked for, and meets a word of it."""
    return any(name.startswith("holds_") for name in features) and bool(features.get("core_any"))
