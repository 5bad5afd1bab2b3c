"""What a walk reached, told: the nearest and surest first, each with the way to it."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from recollect.codegraph.graph import Graph
from recollect.codegraph.parts import Numbers
from recollect.codegraph.traversal import Reached
from recollect.vocabulary.code import Step, Touched

#: How far a walk goes, and how long a way is told.
DEEPEST: Final = 100


def ordered(reached: Reached, seeds: Sequence[int]) -> Numbers:
    """What was reached, the nearest and surest first; not where the walk began."""
    places = np.flatnonzero(reached.depths > 0)
    places = places[~np.isin(places, np.array(list(seeds), np.int64))]
    return places[np.lexsort((places, -reached.scores[places], reached.depths[places]))]


def touched(
    graph: Graph, reached: Reached, places: Numbers, *, forward: bool = False
) -> list[Touched]:
    """Places with the way to each."""
    found = []
    for place in places.tolist():
        steps: list[Step] = []
        here = place
        while reached.came_by[here] >= 0 and len(steps) < DEEPEST:
            edge = int(reached.came_by[here])
            steps.append(
                Step(
                    graph.nodes[here],
                    graph.kind_of(edge),
                    graph.how_of(edge),
                    round(float(graph.confidences[edge]), 3),
                )
            )
            here = int(graph.sources[edge] if forward else graph.targets[edge])
        found.append(
            Touched(
                graph.nodes[place],
                int(reached.depths[place]),
                round(float(reached.scores[place]), 4),
                tuple(reversed(steps)),
                bool(graph.test[place]),
            )
        )
    return found
