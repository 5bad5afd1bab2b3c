"""Passwords and keys announced by a word: the word, a separator, and a value.

``password: ...``, ``DB_PASS=...``, ``mot de passe : ...``, ``define("DB_PASSWORD", "...")``. The
word alone proves nothing: a policy, a form or a type may follow it. So the value is judged too, by
how it is written and by its characters. Sentences are handled by ``spoken_rules``.

Words are found by plain search, and the text after each is matched at that offset with bounded
patterns that a linear engine accepts as well (no look-around, no back-references).
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from recollect.trust.password_words import (
    ABOUT,
    CODES,
    COUNTED,
    DOORS,
    KEYS,
    KINDS_OF_KEY,
    NETWORKS,
    OPENERS,
    OPENING,
    PASSWORDS,
    SHORT,
    WORDS,
)
from recollect.trust.read_values import ReadValue, Runs
from recollect.trust.secret_values import (
    Secret,
    holds_any,
    is_bare_word,
    is_literal,
    is_long_random,
    is_password,
    is_phrase,
    is_plausible_after_word,
    is_random,
    is_random_looking,
)
from recollect.trust.spoken_rules import (
    AFTER_BAR,
    AFTER_CODE,
    AFTER_PLACE,
    AFTER_SPACE,
    AFTER_TO,
    AFTER_VERB,
    AFTER_WORDS,
    OPENS,
    SIGN,
    SPACE,
    SPOKEN,
    WITH_CODE,
    announced_before,
    announced_near_before,
    may_follow,
    pattern,
    stated_after,
    stated_near,
)

ASSIGNED: Final = "assigned secret"
#: Maximum distance in characters between a locked thing and the word for what opens it.
_BESIDE: Final = 32

_SUFFIX: Final = r"(?P<suffix>[A-Za-z0-9_-]{0,24})"
_CLOSE: Final = (
    rf"!?\\{{0,3}}[\"'`]?\]?[*_]{{0,3}}(?:</\w{{1,8}}>){{0,2}}"
    rf"(?:[ \t]{{4,24}}|[ \t]{{1,3}}(?:string|String|str)[ \t]{{1,3}}|{SPACE}{{0,3}})"
)
#: password = ..., "password": ..., password => ..., Password (staging): ...
_AFTER_SIGN: Final = (
    rf"{_SUFFIX}{_CLOSE}(?:\([^()\n]{{1,40}}\){SPACE}{{0,2}}|\.(?:value|text|default)[ \t]{{0,2}}"
    rf"|:[ \t]?[A-Za-z][\w.<>*?]{{0,20}}[ \t]{{0,2}}(?==[ \t]))?{SIGN}{OPENS}{SPACE}{{0,4}}{OPENS}"
)
#: define("DB_PASSWORD", "..."), put("password", "..."), set_password("..."), the field's
#: ("password").type("...")
_AFTER_QUOTE: Final = (
    r"(?P<suffix>[A-Za-z0-9_]{0,16})(?:\\{0,3}[\"'`]\s{0,3},\s{0,3}|\("
    r"|[\"'`\])]{1,4}\.(?:send_keys|sendKeys|type|fill|set|setValue|set_value|clear_and_type)\()"
)
#: name: DB_PASSWORD / value: ... as deployments list environment variables
_AFTER_NAME: Final = (
    r"(?P<suffix>[A-Za-z0-9_]{0,16})[\"']?\s{0,2},?\s{1,40}[\"']?(?i:value)[\"']?\s{0,2}[:=]\s{0,4}"
    r"|(?P<other>[A-Za-z0-9_]{0,16})[\"'],[\"'](?i:value)[\"']:"
    r"|[\"']\s{0,2}\{\s{0,40}(?:\w{1,20}\s{0,8}=\s{0,2}[^\s=]{1,60}\s{1,40}){0,3}default\s{0,8}=\s{0,2}"
)
#: PIN de la tarjeta 8821; nothing follows the digits.
_AFTER_CARD: Final = (
    rf"{SPACE}(?i:of|for|de|del|der|du|von|vom|da|do|della|van|til)(?:{SPACE}[\w'-]{{1,16}}){{1,3}}?{SPACE}"
    r"(?=[0-9]{4,8}[ \t]{0,2}(?:[.,;!)\n]|$))"
)
#: Things that have a PIN of their own.
_CARDS: Final = ("sim", "card", "phone", "bank", "debit", "credit", "voicemail", "handy", "tablet")
_COMBINATIONS: Final = ("combo", "combination", "kombination", "combinaison", "combinazione")
#: Prefix of the word in its own name, as in a settings file.
_NAMED: Final = re.compile(r"^[A-Za-z][\w.-]{0,40}$")


#: Reads the value after a word at an offset.
_Reads = Callable[[str, int, int, Runs], Secret | None]
_WORDS: Final = frozenset(WORDS)


def find_passwords(text: str, low: str, present: frozenset[str]) -> Iterator[Secret]:
    """Every password and key in a text that a word announces; ``low`` is the text in lower case,
    character for character, ``present`` the words in it.
    """
    there = present & _WORDS
    if not there:
        return
    runs = Runs(text)
    for words, its_words, reads in _READERS:
        if not its_words.isdisjoint(there):
            for word in words:
                if word in there:
                    yield from _after(text, low, word, reads, runs)


def _after(text: str, low: str, word: str, reads: _Reads, runs: Runs) -> Iterator[Secret]:
    """The values after each occurrence of a word."""
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        found = reads(text, at, end, runs)
        while found is not None:
            yield found
            end = max(end, found.end)
            found = stated_near(text, at, end) if found.kind == SPOKEN else None
        at = low.find(word, end)


def _stands_alone(text: str, at: int, end: int) -> bool:
    """Whether a short word is a whole word, and not part of another."""
    before, first = text[at - 1 : at], text[at]
    apart = not before.isalpha() or (before.islower() and first.isupper())
    after = text[end : end + 1]
    camel = text[end - 1].islower() and after.isupper()
    return apart and (not after.isalpha() or camel)


def _short(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    return _password(text, at, end, runs) if _stands_alone(text, at, end) else None


def _password(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    for written, judge in (
        (_AFTER_SIGN, is_password),
        (_AFTER_QUOTE, is_password),
        (_AFTER_NAME, is_literal),
    ):
        tail = pattern(written).match(text, end)
        if tail is None or _speaks_about(tail):
            continue
        value = runs.value(tail.end())
        if (written == _AFTER_QUOTE and not value.quoted) or _is_report(text, at, tail, value.text):
            continue
        if (
            judge(value.text)
            or is_phrase(value.text, value.quoted)
            or _is_set(text, at, end, tail, value)
            or (written == _AFTER_SIGN and _is_bare(text, tail, value))
        ):
            return Secret(ASSIGNED, value.start, value.end)
        if written == _AFTER_SIGN and (phrase := _phrase(text, at, end, value)) is not None:
            return phrase
    return _spoken(text, at, end, runs)


def _phrase(text: str, at: int, end: int, value: ReadValue) -> Secret | None:
    """A phrase of plain words up to the end of the line, where the word asks for one."""
    if value.quoted:
        return None
    rest = text[value.start : value.start + 100].partition("\n")[0].rstrip(" .\r")
    words = rest.split()
    most = 12 if "phrase" in text[at:end].lower() else 6
    plain = all(len(word) > 3 and is_bare_word(word) for word in words)
    is_one = plain and 4 <= len(words) <= most
    return Secret(ASSIGNED, value.start, value.start + len(rest)) if is_one else None


def _spoken(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    return (
        stated_after(text, at, end, runs)
        or announced_before(text, at, end)
        or stated_near(text, at, end)
        or announced_near_before(text, at, end)
    )


def _network(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    """The key of a wireless network, whichever of the two words comes first."""
    last = _opener(text, at, end)
    if last is None or text[at - 1 : at].isalnum():
        return None
    for written, judge in (
        (_AFTER_SIGN, is_password),
        (AFTER_VERB, is_password),
        (AFTER_SPACE, is_plausible_after_word),
    ):
        tail = pattern(written).match(text, last)
        value = runs.value(tail.end()) if tail is not None else None
        if value is not None and judge(value.text):
            return Secret(SPOKEN, value.start, value.end)
    return stated_near(text, at, last)


def _door(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    """The code of a door or a safe."""
    last = _opener(text, at, end)
    if last is None:
        return None
    ways: tuple[str, ...] = (_AFTER_SIGN, AFTER_VERB, AFTER_CODE)
    if WITH_CODE.search(text, end, last) or text[at:last].lower().endswith(_COMBINATIONS):
        ways += (AFTER_SPACE,)
    return _digits(text, last, runs, ways)


def _opener(text: str, at: int, end: int) -> int | None:
    """The end of a locked thing and the word for what opens it, if they are adjacent."""
    if not holds_any(text[max(0, at - 24) : end + _BESIDE].lower(), OPENING):
        return None
    key = OPENERS.search(text, max(0, at - 24), end + _BESIDE)
    if key is None or "\n" in text[min(at, key.start()) : key.end()]:
        return None
    return max(end, key.end())


def _is_bare(text: str, tail: re.Match[str], value: ReadValue) -> bool:
    """Whether any plain word is the password here: it is alone after the separator, to the end of
    the line or of its quotation.
    """
    if not is_bare_word(value.text) or value.text in WORDS:
        return False
    sign = tail.group().strip("\"'`]*_ \t")
    if value.quoted:
        return sign in (":", "=", ":=", "=>")
    return sign in (":", "\uff1a") and text[value.end : value.end + 2].strip(".*` ")[:1] in (
        "",
        "\n",
        "\r",
    )


def _is_set(text: str, at: int, end: int, tail: re.Match[str], value: ReadValue) -> bool:
    """Whether this is a line of an environment or of a connection string, where any word after the
    separator is the value: ``DB_PASSWORD=swordfish``.
    """
    if tail.group().strip("\"'`]*_ ") != "=":
        return False
    line = text[max(0, at - 40) : at].rpartition("\n")[2].removeprefix("export ")
    named = not line or _NAMED.match(line) is not None
    alone = at - len(line) in (0, text.rfind("\n", 0, at) + 1) and text[value.end :][:1] in "\r\n"
    shell = named and (text[at:end].isupper() or alone)
    listed = text[value.end : value.end + 1] == ";" or text[at - 1 : at] in (";", "?", "&")
    return (shell or listed) and is_literal(value.text)


def _is_report(text: str, at: int, tail: re.Match[str], value: str) -> bool:
    """Whether ``pass: ...`` is a line of a test's report."""
    word = text[at : tail.start()]
    if word.lower() != "pass" or text[at - 1 : at] == "_" or "=" in tail.group():
        return False
    named = "/" in value or "_" in value or "." in value or "test" in value.lower()
    mixed = any(sign.isalpha() for sign in value) and any(sign.isdigit() for sign in value)
    return word == "PASS" or named or not (mixed or (len(value) > 4 and is_bare_word(value)))


def _code(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    if not _stands_alone(text, at, end):
        return None
    ways: tuple[str, ...] = (_AFTER_SIGN, AFTER_VERB, AFTER_PLACE, AFTER_CODE)
    carded = text[max(0, at - 12) : at].lower().rstrip().endswith(_CARDS)
    if text[at:end].isupper() or " " in text[at:end] or carded:
        ways += (AFTER_SPACE,)
    if text[at:end].isupper():
        ways += (_AFTER_CARD,)
    return _digits(text, end, runs, ways)


def _digits(text: str, end: int, runs: Runs, ways: tuple[str, ...]) -> Secret | None:
    """A code of digits that follows in one of the given patterns."""
    for written in ways:
        if written is AFTER_CODE and not may_follow(text, end):
            continue
        tail = pattern(written).match(text, end)
        if tail is None or tail.groupdict().get("suffix"):
            continue
        value = runs.value(tail.end())
        digits = value.text.strip("#*").replace("-", "").replace(" ", "")
        if _is_typed(digits) and not _is_counted(text, value.end):
            return Secret("code", value.start, value.end)
    return None


def _is_typed(value: str) -> bool:
    """Whether this can be typed on a keypad: digits, and on some a letter from A to D."""
    letters = sum(sign in "ABCD" for sign in value)
    digits = sum(map(str.isdigit, value))
    return 4 <= len(value) <= 12 and letters + digits == len(value) and digits > 2 > letters


def _is_counted(text: str, ends: int) -> bool:
    """Whether digits count something: ``the PIN is 1000 digits``."""
    return (
        text[ends : ends + 12]
        .lower()
        .lstrip()
        .startswith(
            ("digit", "pins", "mm", "byte", "ms", "line", "time", "user", "people", "%", "chars")
        )
    )


def _key(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    word = text[at:end].lower()
    before = text[max(0, at - 18) : at].lower()
    before = before[:-1] if before[-1:] in (" ", "_", "-") else before
    if word == "key" and not before.endswith(KINDS_OF_KEY):
        return None
    if word == "token" and before.endswith(COUNTED):
        return None
    for written in (
        _AFTER_SIGN,
        AFTER_VERB,
        _AFTER_QUOTE,
        _AFTER_NAME,
        AFTER_PLACE,
        AFTER_BAR,
        AFTER_TO,
        AFTER_WORDS,
        AFTER_SPACE,
    ):
        if written is AFTER_WORDS and not may_follow(text, end):
            continue
        tail = pattern(written).match(text, end)
        if tail is None or _speaks_about(tail):
            continue
        value = runs.value(tail.end())
        if written == _AFTER_QUOTE and not value.quoted:
            continue
        judge = is_long_random if written in (AFTER_SPACE, AFTER_WORDS, AFTER_TO) else is_random
        is_random_secret = (
            written == AFTER_SPACE and word == "secret" and is_random_looking(value.text)
        )
        if (is_random_secret or judge(value.text)) and " " not in value.text:
            return Secret(ASSIGNED, value.start, value.end)
    found = announced_before(text, at, end)
    return found if found and is_long_random(text[found.start : found.end]) else None


def _speaks_about(tail: re.Match[str]) -> bool:
    """Whether the name continues to something that is no secret: ``secretName``, ``tokenCount``."""
    if "->" in tail.group() and "(" in tail.group():  # a function and its return type
        return True
    given = tail.groupdict()
    suffix = given.get("suffix") or given.get("other") or ""
    return bool(suffix) and ABOUT.match(suffix) is not None


#: Words that announce a value, and what reads it.
_READERS: Final[tuple[tuple[tuple[str, ...], frozenset[str], _Reads], ...]] = tuple(
    (words, frozenset(words), reads)
    for words, reads in (
        (PASSWORDS, _password),
        (SHORT, _short),
        (CODES, _code),
        (KEYS, _key),
        (NETWORKS, _network),
        (DOORS, _door),
    )
)
