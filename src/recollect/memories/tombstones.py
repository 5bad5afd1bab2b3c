"""What is left of something forgotten: a digest that knows what is near it, and holds no words.

The digest has the SimHash, the words as salted hashes, and the signs of the text's vector. It can
tell whether another text says the same, which is what it is for; whoever could read it could try
guesses against it for the day that it stands, and no longer.
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

from recollect.memories.near_duplicates import TextClaim, read
from recollect.memories.normalise import NEAR_BITS, distance, simhash
from recollect.storage.database import Transaction
from recollect.storage.memories.simhashes import signed, unsigned
from recollect.storage.memories.tombstones import Tombstone, standing_tombstones
from recollect.vocabulary.audiences import Access
from recollect.vocabulary.errors import RecentlyForgotten
from recollect.vocabulary.ids import TOMBSTONE, new_id

STANDS: Final = timedelta(hours=24)
#: How much of the words two texts share before one counts as the other, and with a like vector.
_SHARED: Final = 0.6
_SHARED_OF_LIKE: Final = 0.34
#: Signs that agree between vectors at a cosine of about 0.8.
_AGREEING: Final = 0.79
_WORD: Final = 5
#: Whoever is named so is somebody else than the person who speaks.
_PEOPLE: Final = """
    brother sister mother father mum mom dad wife husband son daughter friend girlfriend boyfriend
    partner boss colleague neighbour neighbor uncle aunt cousin nephew niece grandmother
    grandfather child kid baby frère soeur sœur mère père maman papa femme mari fils fille ami amie
    copain copine collègue voisin voisine oncle tante cousine neveu nièce enfant bébé
"""


def tombstone_of(text: str, vector: NDArray[np.float32] | None, now: datetime) -> Tombstone:
    """The digest of a text, which stands for a day."""
    salt = urandom(8).hex()
    one = read(text)
    digest: dict[str, Any] = {
        "salt": salt,
        "words": _hashed(one.stems | one.light, salt),
        "telling": _hashed(one.stems | one.numbers, salt),
        "signs": _signs(vector),
    }
    return Tombstone(
        new_id(TOMBSTONE, now), signed(simhash(text)), json.dumps(digest), now + STANDS
    )


def lies_near(stone: Tombstone, text: str, vector: NDArray[np.float32] | None) -> bool:
    """Whether a text says what was forgotten, in whatever words."""
    hashed = simhash(text)
    if hashed and distance(unsigned(stone.simhash), hashed) <= NEAR_BITS:
        return True
    digest: dict[str, Any] = json.loads(stone.digest)
    one: TextClaim = read(text)
    shared = _overlap(digest["telling"], _hashed(one.stems | one.numbers, digest["salt"]))
    if _of_somebody_else(one, digest):
        return False
    if shared >= _SHARED:
        return True
    like = _agreement(digest["signs"], _signs(vector))
    words = _overlap(digest["words"], _hashed(one.stems | one.light, digest["salt"]))
    return like >= _AGREEING and max(shared, words) >= _SHARED_OF_LIKE


def _of_somebody_else(one: TextClaim, digest: dict[str, Any]) -> bool:
    """Whether a text is about a relative or friend of whom the forgotten one did not speak."""
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
    """The viewer's tombstones that a text lies near."""
    if not access.forgot:
        return []
    standing = standing_tombstones(transaction, access, now)
    return [stone for stone in standing if lies_near(stone, text, vector)]


def refuse_forgotten(
    transaction: Transaction,
    access: Access,
    text: str,
    vector: NDArray[np.float32] | None,
    now: datetime,
) -> None:
    """Nothing, when the viewer forgot nothing near this lately; otherwise an error."""
    near = near_tombstones(transaction, access, text, vector, now)
    if near:
        refuse_until(max(stone.expires_at for stone in near))


def refuse_until(until: datetime) -> NoReturn:
    """Say that something was forgotten, and from when on it may be learned again."""
    raise RecentlyForgotten(
        "Nothing was kept: you had something very near to this forgotten.",
        hint=f"It is not learned again before {until:%Y-%m-%d %H:%M} UTC, unless you say so.",
    )


def _hashed(words: Iterable[str], salt: str) -> list[str]:
    key = salt.encode()
    return sorted(
        blake2b(word.encode(), digest_size=_WORD, key=key).hexdigest() for word in set(words)
    )


def _overlap(one: list[str], other: list[str]) -> float:
    """The shared part of the larger of two sets."""
    return len(set(one) & set(other)) / max(len(one), len(other), 1)


def _signs(vector: NDArray[np.float32] | None) -> str:
    if vector is None or not np.any(vector):
        return ""
    return np.packbits(vector > 0).tobytes().hex()


def _agreement(one: str, other: str) -> float:
    """The share of signs that two vectors have in common."""
    if not one or len(one) != len(other):
        return 0.0
    differing = int(one, 16) ^ int(other, 16)
    return 1 - differing.bit_count() / (4 * len(one))
