"""Features of how well each word of a question is met by an entry, compared with all others.

"Which instrument is my daughter learning?" shares no word with "Isla started playing the bassoon".
But of all entries that one has the word nearest to "instrument", and it is about the daughter. So
each word of the question is compared with each word of each entry; what counts is by how much the
nearest word of an entry stands out from those of the other entries, above all the entries that are
about the same person.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.chat.answers.shared_readings import SharedReadings

_BY_CONCEPT: Final = 0.75  # how near two words of one concept are
_STANDS_OUT: Final = 4.0  # standard deviations
_SPREAD: Final = 0.05  # a spread below this tells nothing

Matrix = NDArray[np.float64]


def aligned(
    readings: SharedReadings,
    terms: Sequence[str],
    texts: Sequence[str],
    same: Matrix,
    like: Matrix,
) -> Matrix:
    """How near the nearest word of each text comes to each word of a question: 1 for the same word.

    ``same`` and ``like`` say for each text and word whether the text holds the word, or one of its
    concept.
    """
    near = readings.nearest_words(tuple(terms), texts).astype(np.float64)
    near = np.clip(near, 0.0, 1.0)
    near = np.maximum(near, np.where(like > 0.0, _BY_CONCEPT, 0.0))
    return np.where(same > 0.0, 1.0, near)


def alignment_features(
    near: Matrix, weights: Sequence[float], things: Sequence[bool]
) -> list[dict[str, float]]:
    """Features of each text. ``weights`` are the rarities of the words; ``things`` says which of
    them name no person.
    """
    count, terms = near.shape
    if not terms:
        return [{} for _ in range(count)]
    rarity = np.array(weights)
    spread = np.maximum(near.std(axis=0), _SPREAD)
    away = np.clip((near - near.mean(axis=0)) / spread / _STANDS_OUT, -1.0, 1.0)
    found: list[dict[str, float]] = [{} for _ in range(count)]
    for name, columns in (("whole", np.ones(terms, bool)), ("thing", np.array(things, bool))):
        if not columns.any():
            continue
        weight = rarity[columns]
        whole = float(weight.sum()) or 1.0
        out = away[:, columns] @ weight / whole
        order = np.sort(out)
        second = order[-2] if count > 1 else 0.0
        values = {
            f"align_{name}_away": out,
            f"align_{name}_behind": order[-1] - out,
            f"align_{name}_ahead": np.maximum(0.0, out - second),
        }
        for key, column in values.items():
            for row, value in zip(found, column.tolist(), strict=True):
                row[key] = value
    return found


_OF_THEM: Final = ("named", "related", "introduced")


def with_siblings(rows: Sequence[dict[str, float]]) -> None:
    """Add how each entry compares with the others that are about the person in the question."""
    theirs = [row for row in rows if _is_theirs(row)]
    if not theirs:
        return
    alone = float(len(theirs) == 1)
    for row in rows:
        if _is_theirs(row):
            row["sibling_alone"] = alone
            row["sibling_away"] = row.get("align_thing_away", 0.0)
        else:
            row["sibling_not"] = 1.0


def _is_theirs(row: Mapping[str, float]) -> bool:
    return any(row.get(name) for name in _OF_THEM)
