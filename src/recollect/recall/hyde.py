"""HyDE: where a question finds little, a model imagines the memory that would answer it.

The imagined text is never shown; its vector is joined with the question's, 0.4 to 0.6, and the
search runs once more. Only for questions that a person asked, and only where a model is configured:
any function from a question to such a text will do.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from recollect.index.vector_index import Vector
from recollect.recall.candidates import RecallCandidate
from recollect.vocabulary.spaces import Space

#: Returns a text that would answer a question asked in a space, or None when there is no model or
#: no budget.
Imagine = Callable[[Space, str], str | None]

FEW_RESULTS: Final = 3
SURE: Final = 0.5
_OF_QUESTION: Final = 0.4
_OF_IMAGINED: Final = 0.6


def finds_little(ordered: Sequence[RecallCandidate]) -> bool:
    """Whether too few results are sure enough."""
    return sum(one.score > SURE for one in ordered) < FEW_RESULTS


def ensemble(question: Vector, imagined: Vector) -> Vector:
    """Both vectors joined into one of length one; the question's alone where they cancel out."""
    both = np.float32(_OF_QUESTION) * question + np.float32(_OF_IMAGINED) * imagined
    length = float(np.linalg.norm(both))
    return np.asarray(both / length, np.float32) if length > 1e-6 else question
