"""All that an access may see of one collection, as arrays side by side: one row a slot.

``seen`` is what may be scored; ``through`` is what of it the filters let through, so that a score
never depends on a filter. Nothing in it changes while it is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.index.bm25 import Bm25, Weights
from recollect.index.keyword_index import Rows
from recollect.index.place_table import Mask
from recollect.index.surroundings import RowNeighbours
from recollect.index.vector_index import Codes


@dataclass(frozen=True, slots=True)
class CollectionView:
    """One collection as one question meets it."""

    collection: str
    slots: NDArray[np.int64]
    seen: Mask
    through: Mask
    lengths: NDArray[np.int32]
    bm25: Bm25
    average_length: float
    postings: Mapping[str, tuple[Rows, Weights]]
    beside: RowNeighbours | None
    codes: Codes | None

    @property
    def live(self) -> int:
        """How many rows count in how rare a term is."""
        return self.bm25.live

    def __len__(self) -> int:
        return len(self.slots)
