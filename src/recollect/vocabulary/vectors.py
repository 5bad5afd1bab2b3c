"""A model of vectors, as the index and the databases name it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model whose vectors an index holds; ``scanned`` of its dimensions make the codes.

    Where those are fewer than ``dims``, what leads must be scored again.
    """

    id: str
    dims: int
    scanned: int
