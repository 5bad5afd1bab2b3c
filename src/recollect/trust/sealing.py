"""Seals a text under a key that is kept elsewhere, so that what is stored says nothing without it.

A key seals a few texts and is never used again. The text is covered by a stream of SHAKE-256 over
the key and a nonce, and a keyed BLAKE2b of the result says whether a key fits and nothing was
changed. A sealed text tells its length and no more.
"""

import base64
import hashlib
import hmac
import secrets
from typing import Final

_KEY: Final = 16  # bytes
_NONCE: Final = 16
_MARK: Final = 16


def new_key() -> str:
    """A key that nobody can guess, short enough to be copied by hand."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY)).decode().rstrip("=")


def seal(text: str, key: str) -> str:
    """The text as it may lie in a store."""
    nonce = secrets.token_bytes(_NONCE)
    covered = _covered(text.encode("utf-8", "surrogatepass"), key, nonce)
    return base64.b64encode(nonce + _mark(covered, key, nonce) + covered).decode()


def unseal(sealed: str, key: str) -> str | None:
    """The text again; None when the key does not fit."""
    try:
        kept = base64.b64decode(sealed, validate=True)
    except ValueError:
        return None
    nonce, mark, covered = kept[:_NONCE], kept[_NONCE : _NONCE + _MARK], kept[_NONCE + _MARK :]
    if not hmac.compare_digest(mark, _mark(covered, key, nonce)):
        return None
    return _covered(covered, key, nonce).decode("utf-8", "surrogatepass")


def _covered(data: bytes, key: str, nonce: bytes) -> bytes:
    """The data under the stream, or out from under it: the two are the same."""
    stream = hashlib.shake_256(b"cover" + _secret(key) + nonce).digest(len(data))
    mixed = int.from_bytes(data) ^ int.from_bytes(stream)
    return mixed.to_bytes(len(data))


def _mark(covered: bytes, key: str, nonce: bytes) -> bytes:
    return hashlib.blake2b(nonce + covered, key=_secret(key), digest_size=_MARK).digest()


def _secret(key: str) -> bytes:
    """32 bytes of any key; what is no key of ours fits nothing."""
    return hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=32).digest()
