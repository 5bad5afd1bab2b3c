"""Edges grouped by owner, with the places of their ends, updated as nodes move.

An edge with a missing end is kept: it counts as soon as the node exists.
"""

from collections.abc import Collection, Mapping
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np

from recollect.codegraph.file_subgraph import (
    Edges,
    Flags,
    Numbers,
    edges_of,
    select_edges,
    side_by_side,
)
from recollect.codegraph.node_numbers import Moved


class Bundle(NamedTuple):
    """Edges, the number of each edge's owner, and the places of its ends (-1: missing)."""

    owners: Numbers
    edges: Edges
    source_places: Numbers
    target_places: Numbers

    @property
    def known(self) -> Flags:
        """The edges of which both ends exist."""
        return (self.source_places >= 0) & (self.target_places >= 0)

    def followed(
        self,
        moved: Moved,
        place: Mapping[int, int],
        dropped: Collection[int],
        fresh: tuple[Numbers, Edges],
    ) -> "Bundle":
        """The edges after nodes have moved, without those of some owners, and with new ones."""
        kept = ~np.isin(self.owners, np.fromiter(dropped, np.int64, len(dropped)))
        edges = select_edges(self.edges, kept)
        came = np.fromiter(moved.came, np.int64, len(moved.came))
        owners, added = fresh
        source_places, target_places = (
            np.append(
                _arrived(moved.to[old[kept]], numbers, came, place), _places(fresh_numbers, place)
            )
            for old, numbers, fresh_numbers in (
                (self.source_places, edges.sources, added.sources),
                (self.target_places, edges.targets, added.targets),
            )
        )
        both = side_by_side([edges, added])
        return Bundle(np.append(self.owners[kept], owners), both, source_places, target_places)


NO_EDGES: Final = Bundle(
    np.zeros(0, np.int64), edges_of([]), np.zeros(0, np.int64), np.zeros(0, np.int64)
)


def _arrived(places: Numbers, numbers: Numbers, came: Numbers, place: Mapping[int, int]) -> Numbers:
    """Set the places of missing ends whose nodes exist by now."""
    missing = np.flatnonzero(places < 0)
    missing = missing[np.isin(numbers[missing], came)]
    places[missing] = _places(numbers[missing], place)
    return places


def _places(numbers: Numbers, place: Mapping[int, int]) -> Numbers:
    return np.fromiter(map(place.get, numbers.tolist(), repeat(-1)), np.int64, len(numbers))
