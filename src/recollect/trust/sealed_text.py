"""Encrypts a text with a key stored elsewhere, so that the stored form alone reveals nothing.

AES-GCM of the library ``cryptography``: a wrong key, a changed ciphertext, or one sealed for
another purpose does not open. A sealed text reveals its length only. The key is part of the code
that is given to the person who may open it. The code has a format of its own, by which it is
removed from captured text (``secret_rules.py``).
"""

import base64
import os
import secrets
from typing import Final

_KEY: Final = 16  # bytes
_NONCE: Final = 12


def new_key() -> str:
    """A random key, short enough to be copied by hand."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY)).decode().rstrip("=")


def seal(text: str, key: str, purpose: str) -> str:
    """Encrypt a text for storage; it opens for the same purpose only."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    data = text.encode("utf-8", "surrogatepass")
    return base64.b64encode(
        nonce + AESGCM(_bytes_of(key)).encrypt(nonce, data, purpose.encode())
    ).decode()


def unseal(sealed: str, key: str, purpose: str) -> str | None:
    """Decrypt a text; None if the key does not fit."""
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
    """The bytes of a key; ``ValueError`` if it is not one."""
    try:
        data = base64.urlsafe_b64decode(key.encode("ascii") + b"==")
    except UnicodeEncodeError as error:
        raise ValueError("no key") from error
    if len(data) != _KEY or base64.urlsafe_b64encode(data).decode().rstrip("=") != key:
        raise ValueError("no key")
    return data
