"""Results that contradict each other, undecided: both are shown, with a note, in display order.

The newer one comes first where it fits the question nearly as well; a personal one before what
others hold only if it is surer and newer.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions, reads
from recollect.vocabulary.audiences import Access, Visibility
from recollect.vocabulary.contradictions import in_display_order
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found

OWN: Final = "personal; what others hold contradicts it"
OTHERS: Final = "held by others; a personal memory contradicts it"
NEWER: Final = "newer; an older one contradicts it, and nobody has decided yet"
OLDER: Final = "older; a newer one contradicts it, and nobody has decided yet"
#: The same in few words, for lines that share a budget.
SHORT: Final = {
    OWN: "contradicted",
    OTHERS: "contradicted",
    NEWER: "newer, contradicted",
    OLDER: "older, contradicted",
}
#: Share of the older one's score from which the newer one fits a question nearly as well.
_NEARLY_AS_WELL: Final = 0.8


def several_memories(found: Sequence[Found]) -> bool:
    """Whether two of the results are memories: only these can contradict each other."""
    return sum(isinstance(one.item, Memory) for one in found) > 1


def in_standing(
    transaction: Transaction, access: Access, found: Sequence[Found]
) -> tuple[Found, ...]:
    """The results, with two that contradict each other in display order."""
    known = {one.id: one.item for one in found if isinstance(one.item, Memory)}
    hits = {one.id: one for one in found}
    ordered = [one.id for one in found]
    pairs = contradictions.open_among(transaction, access, list(known))
    for first, second in pairs:
        for one, reason in _with_reasons(known[first], known[second]):
            hits[one.id] = replace(hits[one.id], reason=reason)
    moved = [
        pair
        for pair in (in_display_order(known[first], known[second]) for first, second in pairs)
        if _one_is_personal(*pair)
        or hits[pair[0].id].score >= _NEARLY_AS_WELL * hits[pair[1].id].score
    ]
    for _ in moved:  # one that is in several pairs may have to move more than once
        before = list(ordered)
        for pair in moved:
            places = sorted(ordered.index(one.id) for one in pair)
            for place, one in zip(places, pair, strict=True):
                ordered[place] = one.id
        if ordered == before:
            break
    return tuple(hits[one] for one in ordered)


def contradiction_marks(
    transaction: Transaction,
    access: Access,
    found: Sequence[Memory],
    others: Callable[[Memory], bool] = lambda _: True,
) -> dict[str, str]:
    """What is to be said of each of these memories that another one contradicts, undecided, by id.
    The other one need not be among them; it counts where it is in force and ``others`` admits it.
    """
    known = {one.id: one for one in found}
    pairs = contradictions.open_with(transaction, access, list(known)) if known else []
    unknown = {one for pair in pairs for one in pair} - known.keys()
    if unknown:
        known |= reads.get_memories(transaction, access, sorted(unknown))
    marks: dict[str, str] = {}
    for pair in pairs:
        sides = [known[one] for one in pair if one in known]
        if len(sides) == len(pair) and all(_in_force(one) and others(one) for one in sides):
            marks |= {one.id: reason for one, reason in _with_reasons(*sides)}
    return {one.id: marks[one.id] for one in found if one.id in marks}


def _in_force(memory: Memory) -> bool:
    return not memory.archived and memory.superseded_by is None


def _with_reasons(a: Memory, b: Memory) -> list[tuple[Memory, str]]:
    """Both, each with what there is to say of it."""
    if _one_is_personal(a, b):
        return [(one, OWN if _is_personal(one) else OTHERS) for one in (a, b)]
    newer, older = in_display_order(a, b)
    return [(newer, NEWER), (older, OLDER)]


def _one_is_personal(a: Memory, b: Memory) -> bool:
    return _is_personal(a) != _is_personal(b)


def _is_personal(memory: Memory) -> bool:
    return memory.audience.visibility is Visibility.PERSONAL
