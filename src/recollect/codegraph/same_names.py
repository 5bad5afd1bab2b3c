"""Calls by a name that few bear, whatever they are called on.

Methods are meant first. Where no class has a method of that name, what it is called on may be a
module that was handed on, and a function is meant.
"""

from typing import Final

import numpy as np

from recollect.codegraph.bundles import Bundle
from recollect.codegraph.parts import Floats, Numbers, number_of_way

#: A name that more bear than this says too little.
NAMESAKES: Final = 12


def by_name(stored: Bundle, loose: Numbers) -> tuple[Numbers, Numbers, Floats]:
    """Which stored edges are such calls (each as often as it fits), whom they fit, how surely."""
    called = (stored.there < 0) & (stored.here >= 0)
    called &= stored.edges.hows == number_of_way("name")
    rows = np.flatnonzero(called)
    rows = rows[np.argsort(stored.edges.targets[rows], kind="stable")]
    wanted = stored.edges.targets[rows]
    methods, first, many = _bearers(loose, wanted)
    functions, other, more = _bearers(-loose, wanted)
    bearers = np.append(methods, functions)
    none = many == 0
    first, many = np.where(none, other + len(methods), first), np.where(none, more, many)
    few = (many > 0) & (many <= NAMESAKES)
    rows, first, many = rows[few], first[few], many[few]
    steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    fitting = bearers[np.repeat(first, many) + steps]
    return np.repeat(rows, many), fitting, np.repeat(0.6 / np.sqrt(many), many).astype(np.float32)


def _bearers(loose: Numbers, wanted: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Who has a name, in the order of the names; for each wanted one the first, and how many."""
    places = np.flatnonzero(loose > 0)
    places = places[np.argsort(loose[places], kind="stable")]
    numbers = loose[places]
    first = np.searchsorted(numbers, wanted, "left")
    return places, first, np.searchsorted(numbers, wanted, "right") - first
