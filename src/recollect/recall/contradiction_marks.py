"""What is said of memories that contradict each other while nobody has decided between them."""

from collections.abc import Callable, Sequence
from typing import Final

from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions, reads
from recollect.vocabulary.audiences import Access, Visibility
from recollect.vocabulary.contradictions import in_display_order
from recollect.vocabulary.memory import Memory

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
            marks |= {one.id: reason for one, reason in with_reasons(*sides)}
    return {one.id: marks[one.id] for one in found if one.id in marks}


def _in_force(memory: Memory) -> bool:
    return not memory.archived and memory.superseded_by is None


def with_reasons(a: Memory, b: Memory) -> list[tuple[Memory, str]]:
    """Both, each with what there is to say of it."""
    if one_is_personal(a, b):
        return [(one, OWN if _is_personal(one) else OTHERS) for one in (a, b)]
    newer, older = in_display_order(a, b)
    return [(newer, NEWER), (older, OLDER)]


def one_is_personal(a: Memory, b: Memory) -> bool:
    return _is_personal(a) != _is_personal(b)


def _is_personal(memory: Memory) -> bool:
    return memory.audience.visibility is Visibility.PERSONAL
