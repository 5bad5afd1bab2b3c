"""Time-ordered ids: a prefix that names the kind, then 26 characters that sort by time.

The 26 characters are 128 bits in Crockford's base 32: 48 bits of milliseconds, then 80 bits that
are random, or one more than the last within a millisecond, or a digest where the same source must
give the same id again. Ids never move: they are made once, when the thing is made.
"""

import hashlib
import os
import re
import threading
from datetime import UTC, datetime, timedelta
from typing import Final

SPACE: Final = "spc"
STREAM: Final = "str"
EVENT: Final = "evt"
MEMORY: Final = "mem"
JOB: Final = "job"
RETRIEVAL: Final = "ret"
FEEDBACK: Final = "fbk"
ACCESS_TOKEN: Final = "tok"
AUDIT: Final = "aud"
QUESTION: Final = "que"
TOMBSTONE: Final = "tmb"
SUSPECT: Final = "sus"
CALL: Final = "cal"
CONTRADICTION: Final = "con"
NIGHT: Final = "ngt"
DISPUTE: Final = "dsp"
COMMENT: Final = "cmt"
EXPERIMENT: Final = "exp"
PROPOSAL: Final = "prp"

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = tuple(first + second for first in _ALPHABET for second in _ALPHABET)
_VALUES: Final = {character: value for value, character in enumerate(_ALPHABET)}
_SHAPE: Final = re.compile(
    r"(spc|str|evt|mem|job|ret|fbk|aud|que|tmb|sus|cal|tok|con|ngt|dsp|cmt|exp|prp)_[0-7][0-9a-hjkmnp-tv-z]{25}\Z"
)
_PART: Final = re.compile(r"[a-z]{1,3}\Z|(?:[a-z]{3}_)?[0-9a-hjkmnp-tv-z]{0,26}\Z", re.IGNORECASE)
SHORT: Final = 8
#: The first character of an id, counted from one, that holds no time: what follows is digest.
DIGEST_FROM: Final = 15
_MOST_MILLISECONDS: Final = 2**48 - 1
_HALF_OF_TAIL: Final = 2**40 - 1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_turn: Final = threading.Lock()
_latest = (-1, 0)


def new_id(prefix: str, at: datetime) -> str:
    """A unique id that sorts by ``at``, and after those this process made for it."""
    global _latest  # noqa: PLW0603
    milliseconds = (at - _EPOCH) // _MILLISECOND
    with _turn:
        tail = _latest[1] + 1 if _latest[0] == milliseconds else int.from_bytes(os.urandom(10)) >> 1
        _latest = milliseconds, tail
    return _assemble(prefix, at, tail)


def derived_id(prefix: str, at: datetime, *parts: str) -> str:
    """The same id for the same time and parts, so that writing twice has no effect."""
    named = "".join([f"{len(part)}:{part}" for part in parts])
    digest = hashlib.blake2b(named.encode(), digest_size=10).digest()
    return _assemble(prefix, at, int.from_bytes(digest))


def digest_of(identifier: str) -> str:
    """The part of a derived id that does not depend on its time."""
    return identifier[DIGEST_FROM - 1 :]


def first_id(prefix: str, at: datetime) -> str:
    """The lowest id of that time: ids that were made before it sort before it."""
    return _assemble(prefix, at, 0)


def is_id(text: object, prefix: str) -> bool:
    """Whether the text has the format of an id of this kind."""
    return isinstance(text, str) and text.startswith(prefix) and _SHAPE.match(text) is not None


def short_id(identifier: str) -> str:
    """The end of an id, for short display; every API that takes ids accepts it.

    The beginning of an id is a time, which neighbours share; its end is random.
    """
    return identifier[-SHORT:]


def may_be_id(text: str) -> bool:
    """Whether the text could be an id, or its beginning or end; words and sentences could not."""
    return _PART.match(text) is not None


def time_of(identifier: str) -> datetime:
    """When the item of this id was created, to the millisecond."""
    value = 0
    for character in identifier[4:14]:
        value = value * 32 + _VALUES[character]
    return _EPOCH + value * _MILLISECOND


def _assemble(prefix: str, at: datetime, tail: int) -> str:
    milliseconds = max(0, (at - _EPOCH) // _MILLISECOND) & _MOST_MILLISECONDS
    high, low = tail >> 40, tail & _HALF_OF_TAIL  # small numbers: there are no faster ones
    return (
        f"{prefix}_{_PAIRS[milliseconds >> 40]}{_PAIRS[milliseconds >> 30 & 1023]}"
        f"{_PAIRS[milliseconds >> 20 & 1023]}{_PAIRS[milliseconds >> 10 & 1023]}"
        f"{_PAIRS[milliseconds & 1023]}"
        f"{_PAIRS[high >> 30]}{_PAIRS[high >> 20 & 1023]}"
        f"{_PAIRS[high >> 10 & 1023]}{_PAIRS[high & 1023]}"
        f"{_PAIRS[low >> 30]}{_PAIRS[low >> 20 & 1023]}"
        f"{_PAIRS[low >> 10 & 1023]}{_PAIRS[low & 1023]}"
    )
