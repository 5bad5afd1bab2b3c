"""Parses and validates the answer of an embeddings server.

Invariant: the result has one row of finite numbers for each text, in the order of the texts.
Otherwise a ValueError says in plain words what is wrong, ready to follow a colon.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.inference.endpoint import Reply


def vectors_in(reply: Reply, count: int) -> NDArray[np.float64]:
    """The vectors of an answer of the shape {"data": [{"index": 0, "embedding": [...]}, ...]}."""
    rows = [_numbers(item) for item in _in_order(_items(reply), count)]
    if len({len(row) for row in rows}) != 1:
        raise ValueError("its embeddings differ in length")
    try:
        vectors = np.asarray(rows, dtype=np.float64)
    except OverflowError:
        raise ValueError("it holds numbers too large to use") from None
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all():
        raise ValueError("it holds numbers that are not finite")
    return vectors


def _items(reply: Reply) -> list[dict[str, Any]]:
    try:
        answer = reply.json()
    except ValueError:
        raise ValueError("it is not JSON") from None
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError("there is no list of embeddings in it")
    return items


def _in_order(items: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """The items by their index; if a server omits all indexes, its order is trusted."""
    if len(items) != count:
        raise ValueError(f"it has {len(items)} embeddings for {count} texts")
    if all("index" not in item for item in items):
        return items
    placed = {item.get("index"): item for item in items if type(item.get("index")) is int}
    if set(placed) != set(range(count)):
        raise ValueError("its embeddings do not say which text they belong to")
    return [placed[place] for place in range(count)]


def _numbers(item: dict[str, Any]) -> list[float]:
    numbers = item.get("embedding")
    if not isinstance(numbers, list) or not numbers or not set(map(type, numbers)) <= {float, int}:
        raise ValueError("an embedding is not a list of numbers")
    return numbers
