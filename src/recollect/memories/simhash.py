"""SimHash-64: a number for a text, in which texts that are nearly the same differ by few bits.

Each stem and each pair of neighbouring stems votes on every bit; the majority sets it.
"""

from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.memories.normalise import normalised, telling_words, words_of
from recollect.storage.analyser import analyse

BITS: Final = 64
NEAR: Final = 3
_STEM_WEIGHT: Final = 2


def simhash(text: str) -> int:
    """The hash of a text as it is compared."""
    stems = [stem(word) for word in telling_words(words_of(normalised(text)))]
    if not stems:
        return 0
    votes = np.zeros(BITS, np.int32)
    for one in stems:
        votes += _STEM_WEIGHT * _votes(one)
    for first, second in pairwise(stems):
        votes += _votes(f"{first} {second}")
    bits = np.packbits(votes > 0)
    return int.from_bytes(bits.tobytes(), "big")


@lru_cache(16_384)
def stem(word: str) -> str:
    """A word as search knows it."""
    return " ".join(analyse(word)) or word


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ."""
    return (one ^ other).bit_count()


@lru_cache(16_384)
def _votes(feature: str) -> NDArray[np.int32]:
    """One feature's vote on every bit: one or minus one."""
    digest = blake2b(feature.encode(), digest_size=BITS // 8).digest()
    return np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.int32) * 2 - 1
