"""Seals a text under a key that is kept elsewhere, so that what is stored says nothing without it.

The seal is AES-GCM of the library ``cryptography``: a key that does not fit, a sealed text that was
changed, or one that was sealed for something else opens nothing. A sealed text tells its length and
no more. A key is a part of the code that is given to whoever may open the seal. The code has a
shape of its own, by which captured text is rid of it (``secret_rules.py``).
"""

import base64
import os
import secrets
from typing import Final

_KEY: Final = 16  # bytes
_NONCE: Final = 12


def new_key() -> str:
    """A key that nobody can guess, short enough to be copied by hand."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY)).decode().rstrip("=")


def seal(text: str, key: str, purpose: str) -> str:
    """The text as it may lie in a store; it opens for the same purpose only."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    data = text.encode("utf-8", "surrogatepass")
    return base64.b64encode(
        nonce + AESGCM(_bytes_of(key)).encrypt(nonce, data, purpose.encode())
    ).decode()


def unseal(sealed: str, key: str, purpose: str) -> str | None:
    """The text again; None when the key does not fit."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        kept = base64.b64decode(sealed, validate=True)
        nonce, covered = kept[:_NONCE], kept[_NONCE:]
        data = AESGCM(_bytes_of(key)).decrypt(nonce, covered, purpose.encode())
    except (ValueError, InvalidTag):
        return None
    return data.decode("utf-8", "surrogatepass")


def _bytes_of(key: str) -> bytes:
    """The bytes of a key; ``ValueError`` for what is none."""
    try:
        data = base64.urlsafe_b64decode(key.encode("ascii") + b"==")
    except UnicodeEncodeError as error:
        raise ValueError("no key") from error
    if len(data) != _KEY or base64.urlsafe_b64encode(data).decode().rstrip("=") != key:
        raise ValueError("no key")
    return data
