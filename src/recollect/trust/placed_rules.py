"""Passwords known by their place: credential files, markup, SQL, connection strings.

Each rule is a list of words of which a text must contain one, and a bounded pattern that a linear
engine accepts as well. The group ``secret`` is the value; its characters are judged in code.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from recollect.trust.account_rules import ACCOUNTS
from recollect.trust.secret_rules import by_need, due_places
from recollect.trust.secret_values import (
    PlacedRule,
    Secret,
    is_literal,
    is_long_random,
    is_password,
    is_plausible_after_word,
    is_random,
    is_random_looking,
    is_varied,
)
from recollect.vocabulary.linear_patterns import FoldedText, LinearPattern


def _is_given(value: str) -> bool:
    """Whether a value is a literal for a device: any word but a placeholder."""
    return (
        is_literal(value)
        and value[-1] not in ".,"
        and value.lower() not in ("generate", "rsa", "ssh", "https")
    )


def _is_key(value: str) -> bool:
    """Whether a URL parameter named key contains one: random, and not a page token."""
    return is_random(value) and sum(map(str.isdigit, value)) > 1


def _is_marked_up(value: str) -> bool:
    """Whether the text of an element is a password: it is one word; a label has several."""
    return " " not in value.strip() and is_literal(value.strip())


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
            "password = n'",
            "password =n'",
        ),
        r"(?i:identified (?:with [\w']{1,40} )?by(?: password)?|password(?:[ \t]?[=(])?"
        r"|set password for [^\s=]{1,80}[ \t]?=(?:[ \t]?password\()?)"
        r"[ \t]{0,3}[EeNn]?'(?P<secret>[^'\n]{3,200})'",
    ),
    PlacedRule(
        "password in SQL",
        ("identified by",),
        r"(?i:identified by(?: values)?)[ \t]{1,3}\"(?P<secret>[^\"\n]{3,200})\"",
    ),
    PlacedRule(
        "password in SQL",
        ("identified by",),
        r"(?i:\b(?:user|role|connect to|grant)\b[^\n;]{1,120}?identified by)[ \t]{1,3}"
        r"(?P<secret>[^\s\"';:]{3,120})(?:[ \t]{0,3}(?:;|$)|[ \t]{1,3}(?i:default|account|replace"
        r"|quota|profile|using|container|temporary|password)\b)",
    ),
    PlacedRule(
        "password in SQL",
        ("sp_addlogin", "sp_password", "gen_salt("),
        r"(?i:sp_(?:addlogin|password)[ \t]{1,3}(?:@\w{1,20}[ \t]?=[ \t]?)?N?'[^'\n]{0,80}',"
        r"[ \t]{0,3}(?:@\w{1,20}[ \t]?=[ \t]?)?N?|crypt\([ \t]{0,2})'(?P<secret>[^'\n]{4,200})'",
    ),
    PlacedRule(
        "password in SQL",
        ("pragma ",),
        r"(?i:\bpragma (?:key|rekey))[ \t]?=[ \t]?['\"](?P<secret>[^'\"\n]{4,200})['\"]",
    ),
    PlacedRule(
        "password in the environment",
        ("pass=",),
        r"\b[A-Z][A-Z0-9_]{1,40}PASS=[\"']?(?P<secret>[^\s\"']{4,200})",
    ),
    PlacedRule(
        "password written to a file",
        ("echo ", "printf "),
        r"\b(?:echo|printf)[ \t](?:-[neE]{1,3}[ \t])?[\"']?(?P<secret>[^\s\"'|<>]{5,200})[\"']?"
        r"[ \t]{0,3}>{1,2}[ \t]{0,3}[^\s;|]{0,80}(?i:pass|secret|token|cred)",
        is_password,
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
        is_varied,
    ),
    PlacedRule(
        _FILE,
        ('"auth"', '"_auth"', "client-key-data", "identitytoken"),
        r"(?:\"_?auth\"\s{0,3}:\s{0,3}\"|client-key-data:\s{1,3}|\"identitytoken\"\s{0,3}:\s{0,3}\")"
        r"(?P<secret>[A-Za-z0-9+/=_.-]{12,4000})",
        is_varied,
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
        ('password"', "password'", 'pwd"', 'passwd"', 'passphrase"'),
        r"(?i:(?:name|key|id)\s?=\s?[\"'][\w.:-]{0,40}(?:password|passwd|passphrase|pwd)[\"'])"
        r"[^<>\n]{0,60}>\s{0,8}(?:<value>\s{0,8})?(?P<secret>[^<>\s]{3,200})\s{0,8}</",
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
        is_varied,
    ),
    PlacedRule(
        "password of an account",
        (
            "basic auth",
            "cred",
            "login",
            "log in",
            "sign in",
            "zugang",
            "accès",
            "acceso",
            "accesso",
            "identifiants",
            "wifi",
            "wi-fi",
            "wlan",
        ),
        r"(?i:\b(?:credentials?|creds?|basic auth|credenciales|logins?|log ?in(?: with| as| using)?"
        r"|sign ?in(?: with| as| using)?|zugangsdaten|zugang|acc\u00e8s|acceso|accesso|identifiants"
        r"|wi-?fi|wlan))"
        r"(?:[ \t](?i:for|of|to|on|pour|für|para|de)(?:[ \t][\w.-]{1,30}){1,3}?)?"
        r"(?:[ \t](?i:are|is|sont|sind|son))?(?:[ \t]{0,2}(?:[:=-]|->|\u2192)[ \t]{0,3}|[ \t]{1,3})"
        r"[\"'`(]?[\w.@+-]{2,60}(?:[ \t]?/[ \t]?|:|[ \t](?i:with|and|mit|und|avec|et|con|y|e)[ \t])"
        r"(?P<secret>[^\s\"'`,;<>()]{5,120})",
        is_password,
    ),
    PlacedRule(
        "password of an account",
        (
            "log in with",
            "login with",
            "log in using",
            "sign in with",
            "sign in using",
            "logged in with",
            "connecte-toi avec",
            "connectez-vous avec",
            "connecter avec",
            "melde dich mit",
            "anmelden mit",
            "einloggen mit",
            "entra con",
            "accedi con",
            "entrar com",
            "inloggen met",
            "logga in med",
        ),
        r"(?i:\b(?:(?:log|logged|sign)[ -]?in (?:with|using)|connect(?:e-toi|ez-vous|er) avec"
        r"|melde dich mit|(?:anmelden|einloggen) mit|entra con|accedi con|entrar com|inloggen met"
        r"|logga in med))[ \t]{1,3}[\"'`]?(?P<secret>[^\s\"'`,;<>()]{6,120})",
        is_random_looking,
    ),
    PlacedRule(
        "password of an account",
        ("root / ", "admin / ", "administrator / "),
        r"(?i:\b(?:root|admin|administrator) / )[\"'`]?(?P<secret>[^\s\"'`,;<>()]{5,120})",
        is_plausible_after_word,
    ),
    PlacedRule(
        "password in a call",
        ("credentials = (", "credentials=(", "creds = (", "creds=(", "login = (", "login=("),
        r"(?i:\b\w{0,24}(?:credentials|creds|login)[ \t]?=[ \t]?\()[ \t]{0,3}"
        r"[\"'][^\"'\n]{1,80}[\"'],[ \t]{0,3}[\"'](?P<secret>[^\"'\n]{4,200})[\"']",
        is_password,
    ),
    PlacedRule(
        "password in a call",
        (
            "auth=(",
            "auth = (",
            "login(",
            ".begin(",
            "auth(",
            "connect(",
            "connection(",
            "pdo(",
            "credential(",
            "credentials(",
            "authentication(",
        ),
        r"(?:\bauth ?= ?\(|\b\w{0,24}(?i:login|auth|connect|connection|pdo|credentials?"
        r"|authentication)\(|\.begin\()[ \t]{0,3}"
        r"(?:(?:[^\"'(),\n]{1,40}|[\"'][^\"'\n]{1,80}[\"']),[ \t]{0,3}){0,1}"
        r"[\"'][^\"'\n]{1,80}[\"'],[ \t]{0,3}[\"'](?P<secret>[^\"'\n]{4,200})[\"']",
        is_password,
    ),
    PlacedRule(
        "password in a call",
        ("bcrypt", "hashpw(", "password_hash(", "make_password(", "argon2", "pbkdf2"),
        r"\b(?i:bcrypt\.\w{1,24}|hashpw|(?:generate_)?password_hash|make_password|argon2\.\w{1,24}"
        r"|pbkdf2\w{0,16})\([ \t]{0,3}b?[\"'](?P<secret>[^\"'\n]{4,200})[\"']",
        is_password,
    ),
    PlacedRule(
        "password in a connection string",
        ("@tcp(", "@unix("),
        r"\b[\w.-]{1,60}:(?P<secret>[^\s@\"'/]{3,120})@(?:tcp|unix)\(",
    ),
    PlacedRule(
        "credentials of a request",
        ("authoriz",),
        r"(?i:\bauthorization[\"']?[ \t]?[:=][ \t]?[\"']?)(?P<secret>[A-Za-z0-9+/=_.~-]{20,400})",
        is_long_random,
    ),
    PlacedRule(
        "key in an address",
        ("key=", "token=", "appid=", "auth=", "secret=", "sid="),
        r"[?&](?i:[\w-]{0,20}(?:key|token|appid|auth|secret|sid))="
        r"(?P<secret>[A-Za-z0-9%._~+/:-]{16,400})",
        _is_key,
    ),
    PlacedRule(
        "token of an account",
        ('"ac', "'ac"),
        r"[\"']AC[0-9a-f]{32}[\"'],\s{0,4}[\"'](?P<secret>[0-9a-f]{32})[\"']",
        is_varied,
    ),
    PlacedRule(
        "password in a connection string",
        ("jdbc:oracle:",),
        r"jdbc:oracle:\w{2,5}:[\w.$-]{1,60}/(?P<secret>[^\s@\"'/]{3,120})@",
    ),
    PlacedRule(
        "cookie of a session",
        ("cookie",),
        r"(?:^|[;,\s\"'])(?i:sess\w{0,12}|sid|auth\w{0,12}|connect\.sid|jsessionid|phpsessid"
        r"|remember\w{0,20}|[\w-]{0,12}token)=(?P<secret>[A-Za-z0-9%._~+/=:-]{12,400})",
        is_random,
    ),
)


#: How a value is written in the configuration of a router, a switch or a firewall: its kind comes
#: before it, as a digit or a word.
_FORM: Final = (
    r"(?:(?:[0-9]|ascii-text|ascii|hexadecimal|hex|cipher|irreversible-cipher|simple|plain-text|clear"
    r"|cleartext|text|plaintext|encrypted|md5|sha|sha1|sha256|hmac-sha-256|local|remote|ENC|wpa2?"
    r"|read|write|ro|rw)[ \t]{1,3}){0,3}"
)
_SET: Final = r"(?P<secret>[^\s\"';<>|]{4,120})[\"']?[;)]?"
_ENDS: Final = (
    r"(?:[ \t]{0,4}$|[ \t]{1,3}(?i:ro|rw|view|address|hostname|privilege|level|role|group"
    r"|service-type|class|authentication|authorization|encryption|priv|timeout|port|ipv4|ipv6)\b)"
)
_DEVICE: Final = "password of a device"
DEVICES: Final[tuple[PlacedRule, ...]] = (
    PlacedRule(
        _DEVICE,
        (
            "secret ",
            "password ",
            "passwd ",
            "community ",
            "passphrase ",
            "pre-shared-",
            "-value ",
            "-key ",
        ),
        r"(?i:^|[>#$][ \t]?|[ \t])(?:enable|username|local-user|user|neighbor|peer|set|config"
        r"|ppp (?:chap|pap))\b[^\n\"':=]{0,80}?[ \t-](?i:secret|password|passwd|psksecret"
        r"|password-value|passphrase|community|pre-shared-(?:key|secret)|authentication-key)"
        rf"[ \t]{{1,3}}(?:level[ \t]\d{{1,2}}[ \t])?{_FORM}[\"']?{_SET}{_ENDS}",
        is_password,
    ),
    PlacedRule(
        _DEVICE,
        ("enable secret", "enable password", "username ", "set passwd", "neighbor ", "local-user "),
        r"(?i:^[ \t]{0,8}(?:[\w.()-]{1,60}[>#$][ \t]?)?(?:enable (?:secret|password)|set passwd"
        r"|username \S{1,40}(?: privilege \d{1,2})? (?:secret|password)|neighbor \S{1,60} password"
        rf"|local-user \S{{1,40}} password))[ \t]{{1,3}}{_FORM}{_SET}[ \t]{{0,4}}$",
        _is_given,
    ),
    PlacedRule(
        _DEVICE,
        ("community", "key-string", "pre-shared-key", "message-digest-key", "authentication-key"),
        r"(?i:\b(?:snmp-server|snmp-agent|snmp)[ \t]community|\br[ow]community"
        r"|\bkey-string|\bpre-shared-key|\bmessage-digest-key[ \t]\d{1,3}"
        r"|\bauthentication-key[ \t]\d{1,10})"
        rf"[ \t]{{1,3}}{_FORM}[\"']?{_SET}{_ENDS}",
        _is_given,
    ),
    PlacedRule(
        _DEVICE,
        ("tacacs", "radius", "isakmp", "ikev2", "key chain", "wpa-psk", "aaa-server"),
        r"(?i:\b(?:tacacs|radius|aaa-server)[\w+-]{0,12}[^\n]{0,80}?[ \t]key"
        r"|\b(?:isakmp|ikev2)[ \t]key|\bwpa2?-psk"
        r"|^[ \t]{1,8}(?:shared-secret|server-key|server-private-key|key))"
        rf"[ \t]{{1,3}}{_FORM}[\"']?{_SET}{_ENDS}",
        _is_given,
    ),
    PlacedRule(
        _DEVICE,
        ("auth sha", "auth md5", "priv aes", "priv des", "priv 3des"),
        r"(?i:\b(?:auth (?:sha|md5)[\w-]{0,8}|priv (?:aes|3?des)(?:[ -](?:128|192|256))?))"
        r"[ \t]{1,3}(?P<secret>[^\s\"']{6,120})",
        is_password,
    ),
    PlacedRule(
        _DEVICE,
        ("option key", "option password", "option psk", "option wpakey"),
        r"\boption (?:key|password|psk|wpakey)[ \t]{1,3}[\"'](?P<secret>[^\"'\n]{4,120})[\"']",
    ),
    PlacedRule(
        "password of a dialogue",
        ("assword",),
        r"(?i:assword[^\n]{0,40}\s{0,8}[^\n]{0,60}?send(?:line|_line)?[ \t(]{1,3})[\"']"
        r"(?P<secret>[^\"'\\\n]{4,120})",
    ),
    PlacedRule(
        "password in the environment",
        ("setenv ", "set -x ", "set -gx ", "set -ux ", "setx "),
        r"(?i:\b(?:setenv|setx|set -[gux]{1,3})[ \t]{1,3}\w{0,40}"
        r"(?:pass|password|pwd|pw|secret|passphrase))[ \t]{1,3}[\"']?(?P<secret>[^\s\"']{4,200})",
    ),
    PlacedRule(
        _DEVICE,
        ("vty", "line con", "line aux"),
        rf"^[ \t]{{1,8}}password[ \t]{{1,3}}{_FORM}{_SET}[ \t]{{0,4}}$",
        _is_given,
    ),
    PlacedRule(
        _DEVICE,
        (": psk", "wifi:"),
        r"(?::[ \t]{0,3}PSK[ \t]{1,4}\"|WIFI:[^\n]{0,120}?;P:)(?P<secret>[^\n\";]{4,120})[\";]",
    ),
)


#: Every word that a rule here needs.
WORDS: Final = tuple(need for place in (*PLACES, *ACCOUNTS, *DEVICES) for need in place.needs)

_RULES: Final = (*PLACES, *ACCOUNTS, *DEVICES)
_NEEDING: Final = by_need([rule.needs for rule in _RULES])


@cache
def _compiled(written: str) -> LinearPattern:
    return LinearPattern(written, re.MULTILINE, group="secret")


def find_placed(reading: FoldedText, present: frozenset[str]) -> Iterator[Secret]:
    """Every password in a text that is known by its place; ``present`` are the words in it."""
    for number in due_places(_NEEDING, present):
        place = _RULES[number]
        for start, end in _compiled(place.written).spans(reading):
            if place.judge(reading.text[start:end].rstrip()):
                yield Secret(place.kind, start, end)
