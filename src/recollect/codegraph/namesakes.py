"""Calls by a name that few methods bear, whatever they are called on."""

from typing import Final

import numpy as np

from recollect.codegraph.bundles import Bundle
from recollect.codegraph.parts import Floats, Numbers, number_of_way

#: A name that more methods bear than this says too little.
NAMESAKES: Final = 12


def by_name(stored: Bundle, loose: Numbers) -> tuple[Numbers, Numbers, Floats]:
    """Which stored edges are such calls (each as often as it fits), whom they fit, how surely."""
    called = (stored.there < 0) & (stored.here >= 0)
    called &= stored.edges.hows == number_of_way("name")
    rows = np.flatnonzero(called)
    methods = np.flatnonzero(loose)
    methods = methods[np.argsort(loose[methods], kind="stable")]
    numbers = loose[methods]
    rows = rows[np.argsort(stored.edges.targets[rows], kind="stable")]
    wanted = stored.edges.targets[rows]
    first = np.searchsorted(numbers, wanted, "left")
    many = np.searchsorted(numbers, wanted, "right") - first
    few = (many > 0) & (many <= NAMESAKES)
    rows, first, many = rows[few], first[few], many[few]
    steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
    fitting = methods[np.repeat(first, many) + steps]
    return np.repeat(rows, many), fitting, np.repeat(0.6 / np.sqrt(many), many).astype(np.float32)
