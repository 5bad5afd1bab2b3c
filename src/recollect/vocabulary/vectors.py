"""Vector models, as the index and the databases name them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model of the vectors of an index; the codes use ``scanned`` of its dimensions.

    If those are fewer than ``dims``, the top rows must be scored again.
    """

    id: str
    dims: int
    scanned: int
