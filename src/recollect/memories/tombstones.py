"""Tombstones of forgotten texts: digests that recognise similar texts and contain no words.

A digest has the SimHash, the words as salted hashes, and the signs of the text's vector, which is
enough to tell whether another text says the same. Anyone who could read the digest could test
guesses against it, but only for the day that it exists.
"""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from hashlib import blake2b
from os import urandom
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from recollect.memories.text_comparison import NEAR_BITS, TextClaim, distance, read, simhash
from recollect.storage.database import Transaction
from recollect.storage.memories.rows import signed, unsigned
from recollect.storage.memories.tombstones import Tombstone, unexpired_tombstones
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import RecentlyForgotten
from recollect.vocabulary.ids import TOMBSTONE, new_id

LIFETIME: Final = timedelta(hours=24)
#: Share of common words at which two texts count as the same, alone and with a similar vector.
_SHARED: Final = 0.6
_SHARED_OF_LIKE: Final = 0.34
#: Share of equal signs between vectors with a cosine of about 0.8.
_AGREEING: Final = 0.79
_WORD: Final = 5
#: Words for people other than the speaker.
_PEOPLE: Final = """
    brother sister mother father mum mom dad wife husband son daughter friend girlfriend boyfriend
    partner boss colleague neighbour neighbor uncle aunt cousin nephew niece grandmother
    grandfather child kid baby frère soeur sœur mère père maman papa femme mari fils fille ami amie
    copain copine collègue voisin voisine oncle tante cousine neveu nièce enfant bébé
"""


def tombstone_of(text: str, vector: NDArray[np.float32] | None, now: datetime) -> Tombstone:
    """Digest of a text, valid for a day."""
    salt = urandom(8).hex()
    one = read(text)
    digest: dict[str, Any] = {
        "salt": salt,
        "words": _hashed(one.stems | one.light, salt),
        "telling": _hashed(one.stems | one.numbers, salt),
        "signs": _sign_bits(vector),
    }
    return Tombstone(
        new_id(TOMBSTONE, now), signed(simhash(text)), json.dumps(digest), now + LIFETIME
    )


def is_near(tombstone: Tombstone, text: str, vector: NDArray[np.float32] | None) -> bool:
    """Whether a text says the same as the forgotten one, in whatever words."""
    hashed = simhash(text)
    if hashed and distance(unsigned(tombstone.simhash), hashed) <= NEAR_BITS:
        return True
    digest: dict[str, Any] = json.loads(tombstone.digest)
    one: TextClaim = read(text)
    shared = _overlap(digest["telling"], _hashed(one.stems | one.numbers, digest["salt"]))
    if _of_somebody_else(one, digest):
        return False
    if shared >= _SHARED:
        return True
    like = _agreement(digest["signs"], _sign_bits(vector))
    words = _overlap(digest["words"], _hashed(one.stems | one.light, digest["salt"]))
    return like >= _AGREEING and max(shared, words) >= _SHARED_OF_LIKE


def _of_somebody_else(one: TextClaim, digest: dict[str, Any]) -> bool:
    """Whether a text is about a relative or friend whom the forgotten text does not mention."""
    people = frozenset(stem for stem in one.stems if stem in _people())
    return not set(_hashed(people, digest["salt"])) <= set(digest["words"])


@cache
def _people() -> frozenset[str]:
    return frozenset(stem for word in _PEOPLE.split() for stem in read(word).stems)


def near_tombstones(
    transaction: Transaction,
    access: Access,
    text: str,
    vector: NDArray[np.float32] | None,
    now: datetime,
) -> list[Tombstone]:
    """The viewer's tombstones that match a text."""
    if not access.forgot:
        return []
    unexpired = unexpired_tombstones(transaction, access, now)
    return [tombstone for tombstone in unexpired if is_near(tombstone, text, vector)]


def refuse_forgotten(
    transaction: Transaction,
    access: Access,
    text: str,
    vector: NDArray[np.float32] | None,
    now: datetime,
) -> None:
    """Refuse a text similar to one that the viewer forgot lately."""
    near = near_tombstones(transaction, access, text, vector, now)
    if near:
        refuse_until(max(tombstone.expires_at for tombstone in near))


def refuse_until(until: datetime) -> NoReturn:
    """Raise the error that a text was forgotten, with the time when it may be learned again."""
    raise RecentlyForgotten(
        "Nothing was kept: you recently had something very similar forgotten.",
        hint=f"It is not learned again before {until:%Y-%m-%d %H:%M} UTC, unless you say so.",
    )


def _hashed(words: Iterable[str], salt: str) -> list[str]:
    key = salt.encode()
    return sorted(
        blake2b(word.encode(), digest_size=_WORD, key=key).hexdigest() for word in set(words)
    )


def _overlap(one: list[str], other: list[str]) -> float:
    """Size of the overlap as a share of the larger of two sets."""
    return len(set(one) & set(other)) / max(len(one), len(other), 1)


def _sign_bits(vector: NDArray[np.float32] | None) -> str:
    if vector is None or not np.any(vector):
        return ""
    return np.packbits(vector > 0).tobytes().hex()


def _agreement(one: str, other: str) -> float:
    """Share of signs that two vectors have in common."""
    if not one or len(one) != len(other):
        return 0.0
    differing = int(one, 16) ^ int(other, 16)
    return 1 - differing.bit_count() / (4 * len(one))
