"""Normal form, stems and SimHash of a text, for comparing texts.

The normal form ignores case, links, punctuation and white space: two texts that differ only in
those are one text. Negations and numbers are never dropped, because they tell two claims apart. The
SimHash is a 64-bit number in which nearly equal texts differ by few bits: each stem and each pair
of neighbouring stems votes on every bit, and the majority sets it.
"""

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np

from recollect.index.analyser import analyse
from recollect.vocabulary.stopwords import STOP_WORDS

_LINK: Final = re.compile(r"(?:https?://|www\.)\S+|\]\([^()]*+\)", re.IGNORECASE)
_CITATION: Final = re.compile(r"\[\d+(?:\s*[,;-]\s*\d+)*\]|【[^【】]*+】|\[\^[^\[\]]*+\]")
_FENCE: Final = re.compile(r"[*_`~#>|]+")
_APOSTROPHE: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'"})
_SPACE: Final = re.compile(r"\s+")
_SHORTENED: Final = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"'s\b"), ""),
)
_WORD: Final = re.compile(r"\d+(?:[.:,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)

NEGATIONS: Final = frozenset(
    "not no never none nothing neither nor without pas jamais aucun aucune rien sans ni".split()
)
_FRENCH: Final = frozenset(
    """
    le la les l un une des du de d et ou mais que qui quoi je j tu il elle on nous vous ils elles
    me m te t se s mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces
    c est suis es sommes êtes sont ai as a avons avez ont être avoir en y à au aux dans par pour sur
    avec ne n très plus
    """.split()
)
#: Stop words. Negations are not among them.
IDLE: Final = (STOP_WORDS | _FRENCH | {"please", "really", "actually", "also", "just"}) - NEGATIONS


BITS: Final = 64
NEAR_BITS: Final = 3
_STEM_WEIGHT: Final = 2


@lru_cache(64)  # one write asks for the same text three times
def normalised(text: str) -> str:
    """Normal form of a text."""
    plain = text
    if not plain.isascii():
        plain = unicodedata.normalize("NFKC", plain).translate(_APOSTROPHE)
    if "/" in plain or "." in plain or "(" in plain:
        plain = _LINK.sub(" ", plain)
    if "[" in plain or "\u3010" in plain:
        plain = _CITATION.sub(" ", plain)
    plain = _FENCE.sub(" ", plain).casefold()
    if "'" in plain or "cannot" in plain:
        for pattern, words in _SHORTENED:
            plain = pattern.sub(words, plain)
    return _SPACE.sub(" ", plain).strip()


def words_of(plain: str) -> list[str]:
    """The words and numbers of a normalised text, in order."""
    return _WORD.findall(plain)


def content_words(words: list[str]) -> list[str]:
    """The meaningful words; all words where none is meaningful."""
    return [word for word in words if word not in IDLE] or words


def simhash(text: str) -> int:
    """SimHash of a text's normal form."""
    stems = [stem(word) for word in content_words(words_of(normalised(text)))]
    if not stems:
        return 0
    features = [*stems, *(f"{first} {second}" for first, second in pairwise(stems))]
    digests = b"".join(blake2b(one.encode(), digest_size=BITS // 8).digest() for one in features)
    bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(len(features), BITS)
    votes = np.add.reduce(bits, 0, np.int64)
    votes += (_STEM_WEIGHT - 1) * np.add.reduce(bits[: len(stems)], 0, np.int64)
    most = _STEM_WEIGHT * len(stems) + len(stems) - 1
    return int.from_bytes(np.packbits(votes * 2 > most).tobytes(), "big")


@lru_cache(16_384)
def stem(word: str) -> str:
    """Stem of a word, as search uses it."""
    return " ".join(analyse(word)) or word


def distance(one: int, other: int) -> int:
    """Number of bits in which two hashes differ."""
    return (one ^ other).bit_count()
