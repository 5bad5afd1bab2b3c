"""Who is at the browser: a login by access token, and the mark that every form must bring back.

A login is a token of its own that ends by itself, with the token it was made from, or when its
person logs out; the browser keeps it where no script reads it. A form's mark is a random value that
the page and a cookie both hold: a page of another site can send the cookie along but not read it.
"""

import hmac
import json
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import quote, unquote

from recollect.vocabulary.errors import NotAllowed

LOGIN: Final = "recollect_login"
FORM: Final = "recollect_form"
SPACE: Final = "recollect_space"
LANGUAGE: Final = "recollect_language"
NOTICE: Final = "recollect_notice"
LOGIN_HOURS: Final = 12.0
_YEAR: Final = 31_536_000
_LONGEST_NOTICE: Final = 400  # characters


def cookies_of(header: str | None) -> dict[str, str]:
    """The cookies of a request; those that cannot be read are as good as none."""
    if not header:
        return {}
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def login_cookie(secret: str, *, secure: bool) -> str:
    """The header that keeps a login in the browser; without a secret, the one that ends it."""
    age = int(LOGIN_HOURS * 3_600) if secret else 0
    return _cookie(LOGIN, secret, age, secure=secure, strict=True)


def choice_cookie(name: str, value: str, *, secure: bool) -> str:
    """The header that keeps a choice of the visitor's: a space, a language."""
    return _cookie(name, value, _YEAR, secure=secure, strict=False)


def form_cookie(value: str, *, secure: bool) -> str:
    """The header that keeps the mark of this browser's forms."""
    return _cookie(FORM, value, int(LOGIN_HOURS * 3_600), secure=secure, strict=True)


def notice_cookie(done: str, undo: str, *, secure: bool) -> str:
    """The header that takes a sentence, and what undoes it, to the next page; empty, it goes."""
    value = quote(json.dumps([done[:_LONGEST_NOTICE], undo])) if done else ""
    return _cookie(NOTICE, value, 60 if done else 0, secure=secure, strict=True)


def notice_of(cookie: str) -> tuple[str, str]:
    """The sentence and the path of a notice; two empty ones for what is no notice."""
    try:
        done, undo = json.loads(unquote(cookie))
    except ValueError:
        return "", ""
    return str(done), str(undo) if str(undo).startswith("/panel/") else ""


def new_form_token() -> str:
    """A mark for the forms of one browser."""
    return secrets.token_urlsafe(24)


def require_form_token(kept: str, brought: str) -> None:
    """An error when a form does not bring back the mark that its browser keeps."""
    if not kept or not hmac.compare_digest(kept.encode(), brought.encode()):
        raise NotAllowed(
            "This form was not sent from a page of the panel, or the page is too old. "
            "Nothing was done.",
            hint="Load the page again and repeat it.",
        )


def _cookie(name: str, value: str, age: int, *, secure: bool, strict: bool) -> str:
    site = "Strict" if strict else "Lax"
    told = f"{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite={site}"
    return f"{told}; Secure" if secure else told
