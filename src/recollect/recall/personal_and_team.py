"""Personal against team memory: order of results that contradict each other.

Both are shown with a note, and the personal one comes first when it is surer and newer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from recollect.storage.database import Transaction
from recollect.storage.memories import contradictions
from recollect.vocabulary.audiences import Access, Visibility
from recollect.vocabulary.contradictions import in_display_order
from recollect.vocabulary.memory import Memory
from recollect.vocabulary.results import Found

OWN: Final = "personal; what others hold contradicts it"
OTHERS: Final = "held by others; a personal memory contradicts it"


def in_standing(
    transaction: Transaction, access: Access, found: Sequence[Found]
) -> tuple[Found, ...]:
    """The results, with each personal memory and the one that it contradicts in display order."""
    known = {one.id: one.item for one in found if isinstance(one.item, Memory)}
    ordered = list(found)
    for first, second in contradictions.open_among(transaction, access, list(known)):
        a, b = known[first], known[second]
        if (a.audience.visibility is Visibility.PERSONAL) == (
            b.audience.visibility is Visibility.PERSONAL
        ):
            continue
        ids = [one.id for one in ordered]
        for place, one in zip(
            sorted((ids.index(a.id), ids.index(b.id))), in_display_order(a, b), strict=True
        ):
            hit = next(hit for hit in found if hit.id == one.id)
            own = one.audience.visibility is Visibility.PERSONAL
            ordered[place] = replace(hit, reason=OWN if own else OTHERS)
    return tuple(ordered)
