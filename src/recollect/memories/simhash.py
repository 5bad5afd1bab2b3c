"""SimHash-64: a number for a text, in which texts that are nearly the same differ by few bits.

Each stem and each pair of neighbouring stems votes on every bit; the majority sets it.
"""

from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np

from recollect.index.analyser import analyse
from recollect.memories.normalise import normalised, telling_words, words_of

BITS: Final = 64
NEAR: Final = 3
_STEM_WEIGHT: Final = 2
_LANE: Final = 4  # bytes in which the votes for one bit are counted


def simhash(text: str) -> int:
    """The hash of a text as it is compared."""
    stems = [stem(word) for word in telling_words(words_of(normalised(text)))]
    if not stems:
        return 0
    votes = _STEM_WEIGHT * sum(map(_votes, stems))
    votes += sum(_votes(f"{first} {second}") for first, second in pairwise(stems))
    most = _STEM_WEIGHT * len(stems) + len(stems) - 1
    tally = np.frombuffer(votes.to_bytes(BITS * _LANE, "big"), f">u{_LANE}")
    return int.from_bytes(np.packbits(tally * 2 > most).tobytes(), "big")


@lru_cache(16_384)
def stem(word: str) -> str:
    """A word as search knows it."""
    return " ".join(analyse(word)) or word


def distance(one: int, other: int) -> int:
    """In how many bits two hashes differ."""
    return (one ^ other).bit_count()


@lru_cache(16_384)
def _votes(feature: str) -> int:
    """One feature's vote for every bit, each in a lane of its own: numbers add up faster so."""
    digest = blake2b(feature.encode(), digest_size=BITS // 8).digest()
    bits = np.unpackbits(np.frombuffer(digest, np.uint8))
    return int.from_bytes(bits.astype(f">u{_LANE}").tobytes(), "big")
