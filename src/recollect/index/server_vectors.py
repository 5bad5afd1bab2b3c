"""Vector ranking by the server's own index, for a space too large to scan in memory.

Below ``TURN`` vectors the scan of this process is faster and exact; its cost grows with the space,
and the server's index hardly does. Visibility is decided here as everywhere else: the server
returns the nearest slots in batches, and only those within the mask count.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.index.place_table import Mask
from recollect.index.vector_index import Vector, exact_cosines, pack
from recollect.storage.access.visibility_filter import read_shared_rows
from recollect.storage.database import Transaction
from recollect.storage.dialects.protocol import StoreDialect
from recollect.vocabulary.vectors import VectorModel

TURN: Final = 1_000_000
_PORTIONS: Final = (200, 1_000, 5_000)
_LEADERS: Final = 50


def search(
    connection: Transaction,
    dialect: StoreDialect,
    collection: tuple[str, str],
    model: VectorModel,
    query: Vector,
    *,
    slots: NDArray[np.int64],
    mask: Mask,
    limit: int,
) -> list[tuple[int, float]] | None:
    """Slots and exact cosines; None if the mask excludes so much that a scan is better.

    ``collection`` is a space's id and one of its collections; ``slots`` and ``mask`` are its
    places.
    """
    wanted = max(limit * 3, _LEADERS)
    packed = dialect.vector_value(pack(query))
    read_shared_rows(connection)
    for portion in _PORTIONS:
        found = np.array(dialect.nearest(connection, collection, model, packed, portion), np.int64)
        rows = np.searchsorted(slots, found)
        known = rows < len(slots)
        known[known] = slots[rows[known]] == found[known]
        known[known] = mask[rows[known]]
        leading = found[known]
        if len(leading) >= min(wanted, int(np.count_nonzero(mask))) or len(found) < portion:
            lead = leading[:wanted].tolist()
            cosines, _ = exact_cosines(connection, model, collection[0], query, lead)
            return sorted(cosines.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return None
