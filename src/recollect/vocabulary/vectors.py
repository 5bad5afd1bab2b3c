"""A model of vectors, as the index and the databases name it."""

from dataclasses import dataclass, replace
from typing import Final

_SUMMARIES: Final = "#summary"


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model whose vectors an index holds; ``scanned`` of its dimensions make the codes.

    Where those are fewer than ``dims``, what leads must be scored again.
    """

    id: str
    dims: int
    scanned: int

    @property
    def of_summaries(self) -> "VectorModel":
        """The same model under the name by which the vectors of summaries are kept, beside those
        of the whole texts."""
        return replace(self, id=f"{self.id}{_SUMMARIES}")
