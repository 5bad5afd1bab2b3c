"""A model of vectors, as the index and the databases name it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model whose vectors an index holds; ``scanned`` of its dimensions make the codes."""

    id: str
    dims: int
    scanned: int

    @property
    def scanned_in_part(self) -> bool:
        """Whether the codes leave out dimensions, so that what leads must be scored again."""
        return self.scanned < self.dims
