"""Passwords whose place tells of them: files of credentials, markup, SQL, connection strings.

Each rule is the words of which a text must hold one, and a bounded pattern that a linear engine
takes as well. The group ``secret`` is the value; what it is made of is judged in code.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from recollect.trust.secret_values import Secret, is_literal, is_password, is_random
from recollect.vocabulary.linear import FoldedText, LinearPattern


class PlacedRule(NamedTuple):
    """A place where only a password stands."""

    kind: str
    needs: tuple[str, ...]
    written: str
    judge: Callable[[str], bool] = is_literal


def _is_varied(value: str) -> bool:
    return len(set(value)) > 6


def _is_seed(value: str) -> bool:
    """Whether words are those of a wallet: none of them is one that every sentence has."""
    return _COMMON.isdisjoint(value.replace(",", " ").split())


def _is_marked_up(value: str) -> bool:
    """What stands in an element is a password when it is one word; a label has several."""
    return " " not in value.strip() and is_literal(value.strip())


_COMMON: Final = frozenset(
    "the and you your for with that this are was from have not it is of".split()
)
_FILE: Final = "password in a file of credentials"
_MARKUP: Final = "password in markup"

PLACES: Final[tuple[PlacedRule, ...]] = (
    PlacedRule(
        "password in SQL",
        (
            "identified",
            "password '",
            "password e'",
            "password=n'",
            "password = '",
            "password('",
            "set password",
        ),
        r"(?i:identified (?:with [\w']{1,40} )?by(?: password)?|password(?:[ \t]?[=(])?"
        r"|set password for [^\s=]{1,80}[ \t]?=(?:[ \t]?password\()?)"
        r"[ \t]{0,3}[EeNn]?'(?P<secret>[^'\n]{3,200})'",
    ),
    PlacedRule(
        _FILE,
        ("machine ", "machine\n", "default login"),
        r"\b(?:machine\s{1,4}\S{1,200}|default)\s{1,8}(?:login\s{1,4}\S{1,120}\s{1,8})?"
        r"(?:account\s{1,4}\S{1,80}\s{1,8})?password\s{1,4}[\"']?(?P<secret>[^\s\"']{3,200})",
    ),
    PlacedRule(
        _FILE,
        (":5432:", ":*:"),
        r"(?m:^|\s)[\w.*-]{1,200}:(?:5432|\*):[\w.*-]{1,80}:[\w.*-]{1,80}:"
        r"(?P<secret>[^\s:\"']{3,120})",
    ),
    PlacedRule(
        _FILE,
        ("requirepass", "masterauth", "auth-pass"),
        r"\b(?:requirepass|masterauth|auth-pass [\w-]{1,60})[:=]?[ \t]{1,3}[\"']?"
        r"(?P<secret>[^\s\"']{3,200})",
    ),
    PlacedRule(
        _FILE,
        ("_auth", ":_password"),
        r"(?:_auth|:_password)[ \t]?=[ \t]?[\"']?(?P<secret>[A-Za-z0-9+/=]{8,400})",
        _is_varied,
    ),
    PlacedRule(
        _FILE,
        ('"auth"', '"_auth"', "client-key-data", "identitytoken"),
        r"(?:\"_?auth\"\s{0,3}:\s{0,3}\"|client-key-data:\s{1,3}|\"identitytoken\"\s{0,3}:\s{0,3}\")"
        r"(?P<secret>[A-Za-z0-9+/=_.-]{12,4000})",
        _is_varied,
    ),
    PlacedRule(
        _MARKUP,
        ("password>", "passwd>", "passphrase>", "pwd>", "passcode>", "pass>", "password "),
        r"<(?:\w{1,20}:)?[\w.-]{0,30}(?i:password|passwd|passphrase|pwd|passcode|pass)(?:\s[^<>]{0,160})?>"
        r"\s{0,8}(?:<!\[CDATA\[)?(?P<secret>[^<>\n\]]{3,400})(?:\]\]>)?\s{0,8}</",
        _is_marked_up,
    ),
    PlacedRule(
        _MARKUP,
        ("secret>", "token>", "key>"),
        r"<(?:\w{1,20}:)?[\w.-]{0,30}(?i:secret|apikey|api-key|api_key|token|privatekey|secretkey)>"
        r"\s{0,8}(?:<!\[CDATA\[)?(?P<secret>[^<>\s\]]{8,400})(?:\]\]>)?\s{0,8}</",
        is_random,
    ),
    PlacedRule(
        _MARKUP,
        ('value="', "value='", 'value = "'),
        r"(?i:(?:name|key|id)\s?=\s?[\"'][\w.:-]{0,40}(?:password|passwd|passphrase|pwd|secret|apikey)"
        r"[\"']\s{1,8}(?:\w{1,20}=[\"'][^\"'\n]{0,60}[\"']\s{1,4})?value\s?=\s?)"
        r"[\"'](?P<secret>[^\"'\n\s]{3,400})[\"']",
    ),
    PlacedRule(
        _MARKUP,
        ("password=", "passwd=", "pwd="),
        r"<[A-Za-z][^<>\n]{0,300}?\s(?i:[\w-]{0,20}(?:password|passwd|pwd))=[\"'](?P<secret>[^\"'\n\s]{3,200})[\"']",
    ),
    PlacedRule(
        "password in a connection string",
        ("pwd=", "pwd =", "password=", "password =", "accesskey=", "accountkey=", "sharedsecret="),
        r"(?i:(?:password|pwd|sharedaccesskey|accountkey|sharedsecret))[ \t]?=[ \t]?"
        r"(?P<secret>[^;\s\"'<>&{}$]{4,300})(?:;|[\"'](?:[,)\s]|$))",
    ),
    PlacedRule(
        "signature in a link",
        ("sig=", "signature="),
        r"(?:^|[?&;\s\"'6])(?i:sig|signature|x-amz-signature|x-goog-signature)="
        r"(?P<secret>[A-Za-z0-9%/+=_-]{20,})",
        _is_varied,
    ),
    PlacedRule(
        "password of an account",
        (
            "cred",
            "login",
            "log in",
            "sign in",
            "zugangsdaten",
            "identifiants",
            "wifi",
            "wi-fi",
            "wlan",
        ),
        r"(?i:\b(?:credentials?|creds?|credenciales|logins?|log ?in(?: with| as| using)?"
        r"|sign ?in(?: with| as| using)?|zugangsdaten|identifiants|wi-?fi|wlan))"
        r"(?:[ \t](?i:for|of|to|on|pour|für|para|de)(?:[ \t][\w.-]{1,30}){1,3}?)?"
        r"(?:[ \t](?i:are|is|sont|sind|son))?(?:[ \t]{0,2}(?:[:=]|->|\u2192)[ \t]{0,3}|[ \t]{1,3})"
        r"[\"'`(]?[\w.@+-]{2,60}(?:[ \t]?/[ \t]?|:)(?P<secret>[^\s\"'`,;<>()]{5,120})",
        is_password,
    ),
    PlacedRule(
        "password in a call",
        ("auth=(", "auth = (", "login(", ".begin(", "auth("),
        r"(?:\bauth ?= ?\(|\b\w{0,20}(?i:login|auth)\(|\.begin\()[ \t]{0,3}"
        r"[\"'][^\"'\n]{1,80}[\"'],[ \t]{0,3}[\"'](?P<secret>[^\"'\n]{4,200})[\"']",
        is_password,
    ),
    PlacedRule(
        "password in a connection string",
        ("jdbc:oracle:",),
        r"jdbc:oracle:\w{2,5}:[\w.$-]{1,60}/(?P<secret>[^\s@\"'/]{3,120})@",
    ),
    PlacedRule(
        "seed of a wallet",
        ("seed phrase", "recovery phrase", "mnemonic", "backup phrase", "seed words"),
        r"(?i:seed phrase|recovery phrase|mnemonic(?: phrase)?|backup phrase|seed words)"
        r"[\"'`]?(?:[ \t]?[:=]|[ \t](?:is|are))[ \t\n]{0,3}[\"'`]?"
        r"(?P<secret>(?:[a-z]{3,8}[ ,\n]{1,2}){11,23}[a-z]{3,8})",
        _is_seed,
    ),
    PlacedRule(
        "one-time password seed",
        ("totp", "2fa", "authenticator"),
        r"(?i:[?&]secret=|\b(?:totp|2fa|authenticator)(?: (?:secret|seed|key|setup key|code))?"
        r"(?:[ \t]?[:=]|[ \t]is)[ \t]?)(?P<secret>(?:[A-Z2-7]{4}[ -]?){4,16})",
        _is_varied,
    ),
    PlacedRule(
        "cookie of a session",
        ("cookie",),
        r"(?:^|[;,\s\"'])(?i:sess\w{0,12}|sid|auth\w{0,12}|connect\.sid|jsessionid|phpsessid"
        r"|remember\w{0,20}|[\w-]{0,12}token)=(?P<secret>[A-Za-z0-9%._~+/=:-]{12,400})",
        is_random,
    ),
)


#: Every word that a rule here needs.
WORDS: Final = tuple(need for place in PLACES for need in place.needs)


@cache
def _compiled(written: str) -> LinearPattern:
    return LinearPattern(written, re.MULTILINE, group="secret")


def find_placed(reading: FoldedText, present: frozenset[str]) -> Iterator[Secret]:
    """Every password in a text that its place tells of; ``present`` are the words in it."""
    for place in PLACES:
        if not present.isdisjoint(place.needs):
            for start, end in _compiled(place.written).spans(reading):
                if place.judge(reading.text[start:end].rstrip()):
                    yield Secret(place.kind, start, end)
