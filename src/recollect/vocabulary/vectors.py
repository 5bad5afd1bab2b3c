"""Vector models, as the index and the databases name them."""

from dataclasses import dataclass, replace
from typing import Final

_SUMMARIES: Final = "#summary"


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model of the vectors of an index; the codes use ``scanned`` of its dimensions.

    If those are fewer than ``dims``, the top rows must be scored again.
    """

    id: str
    dims: int
    scanned: int

    @property
    def of_summaries(self) -> "VectorModel":
        """The same model under the name by which the vectors of summaries are kept, beside those
        of the whole texts."""
        return replace(self, id=f"{self.id}{_SUMMARIES}")
