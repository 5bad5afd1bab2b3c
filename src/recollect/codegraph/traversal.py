"""Graph traversal: the nodes reached, how certainly, and by which edge."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.codegraph.file_subgraph import Floats, Numbers
from recollect.codegraph.graph import Graph, Rows


class Reached(NamedTuple):
    """Result of a walk: each node's depth (-1: never), score, and the edge that led to it."""

    depths: NDArray[np.int16]
    scores: Floats
    came_by: Numbers


def walk(
    graph: Graph,
    seeds: Sequence[int],
    rows: Rows,
    *,
    depth: int,
    least: float = 0.01,
    without: Collection[str] = (),
) -> Reached:
    """Walk from seeds, level by level, keeping the most certain path to each node.

    The edges of the files ``without`` are skipped, because they may be out of date.
    """
    weights = _without(graph, without) if without else graph.weights
    count = len(graph.nodes)
    depths = np.full(count, -1, np.int16)
    scores = np.zeros(count, np.float32)
    came_by = np.full(count, -1, np.int64)
    frontier = np.unique(np.array(seeds, np.int64))
    depths[frontier], scores[frontier] = 0, 1.0
    for level in range(1, depth + 1):
        if not len(frontier):
            break
        lengths = rows.starts[frontier + 1] - rows.starts[frontier]
        total = int(lengths.sum())
        if not total:
            break
        first = np.repeat(rows.starts[frontier] - np.cumsum(lengths) + lengths, lengths)
        spots = first + np.arange(total)
        edges, others = rows.edges[spots], rows.others[spots]
        value = np.repeat(scores[frontier], lengths) * weights[edges]
        fresh = (depths[others] < 0) & (value >= least)
        edges, others, value = edges[fresh], others[fresh], value[fresh]
        if not len(others):
            break
        order = np.lexsort((edges, -value, others))
        edges, others, value = edges[order], others[order], value[order]
        best = np.ones(len(others), np.bool_)
        best[1:] = others[1:] != others[:-1]
        edges, others, value = edges[best], others[best], value[best]
        depths[others], scores[others], came_by[others] = level, value, edges
        frontier = others[~graph.ends_here[edges]]
    return Reached(depths, scores, came_by)


def _without(graph: Graph, paths: Collection[str]) -> Floats:
    """Weights of edges, with zero for those that begin in some files."""
    begins = np.zeros(len(graph.nodes), np.bool_)
    for path in paths:
        begins[list(graph.in_file.get(path, ()))] = True
        place = graph.number(path, "")
        if place is not None:
            begins[place] = True
    return np.where(begins[graph.sources], np.float32(0), graph.weights)
