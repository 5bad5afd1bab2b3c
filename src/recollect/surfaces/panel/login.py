"""Panel login by access token, and CSRF protection of forms.

A login is a separate token. It ends after a time, with the token it was made from, or when its
person logs out; the browser keeps it in a cookie that scripts cannot read. The CSRF token is a
random value in both the page and a cookie: a page of another site can send the cookie but not read
it.
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
    """Cookies of a request; none when they cannot be read."""
    if not header:
        return {}
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}


def login_cookie(secret: str, *, secure: bool) -> str:
    """Header that stores a login in the browser; without a secret, the one that ends it."""
    age = int(LOGIN_HOURS * 3_600) if secret else 0
    return _cookie(LOGIN, secret, age, secure=secure, strict=True)


def choice_cookie(name: str, value: str, *, secure: bool) -> str:
    """Header that stores a choice of the visitor: a space, a language."""
    return _cookie(name, value, _YEAR, secure=secure, strict=False)


def form_cookie(value: str, *, secure: bool) -> str:
    """Header that stores the CSRF token of this browser's forms."""
    return _cookie(FORM, value, int(LOGIN_HOURS * 3_600), secure=secure, strict=True)


def notice_cookie(done: str, undo: str, *, secure: bool) -> str:
    """Header that carries a notice and its undo path to the next page; an empty one clears it."""
    value = quote(json.dumps([done[:_LONGEST_NOTICE], undo])) if done else ""
    return _cookie(NOTICE, value, 60 if done else 0, secure=secure, strict=True)


def notice_of(cookie: str) -> tuple[str, str]:
    """Text and undo path of a notice; two empty texts when it cannot be read."""
    try:
        done, undo = json.loads(unquote(cookie))
    except ValueError:
        return "", ""
    return str(done), str(undo) if str(undo).startswith("/panel/") else ""


def new_form_token() -> str:
    """New CSRF token for the forms of one browser."""
    return secrets.token_urlsafe(24)


def require_form_token(kept: str, brought: str) -> None:
    """Raise an error when a form does not carry the CSRF token of its browser."""
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
