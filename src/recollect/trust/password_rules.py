"""Passwords as people write them: a word that says password, a sign or a verb, and a value.

``password: ...``, ``DB_PASS=...``, ``mot de passe : ...``, ``the key for staging is ...``. The word
alone proves nothing: a policy, a form or a type may follow it. So the value is judged too, by how
it is written and by what it is made of.

Words are found by plain search, and what follows each is matched at that place with bounded
patterns that a linear engine takes as well (no look-around, no back-references). A run of
characters is measured once, however many words stand in it, so the time grows with the length of
the text and with nothing else.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from recollect.trust.secret_values import (
    JUDGED,
    Secret,
    is_bare_word,
    is_code,
    is_literal,
    is_long_random,
    is_password,
    is_phrase,
    is_random,
    is_told,
)

ASSIGNED: Final = "assigned secret"
SPOKEN: Final = "spoken password"
LONGEST: Final = 4_096

#: Words that say password, in the languages people keep them in, by a part that is looked for
#: first. Written small.
_PASSWORDS: Final[dict[str, tuple[str, ...]]] = {
    "passw": ("password", "passwort", "passwd", "passwrd"),
    "pass": (
        "passphrase", "passcode", "pass word", "pass_word", "pass-word", "passord",
        "mot de passe", "mot_de_passe", "motdepasse", "parola d'ordine",
    ),
    **{
        word: (word,)
        for word in (
            "contrasena", "senha", "kennwort", "wachtwoord", "salasana", "adgangskode", "heslo",
            "contraseña", "lösenord", "hasło", "şifre", "jelszó", "пароль", "密码", "密碼",
            "パスワード", "비밀번호", "phrase secrète", "palavra-passe", "palavra passe", "lozinka",
            "slaptažodis", "parolă", "adgangsord", "κωδικός", "סיסמה", "كلمة المرور",
        )
    },
}  # fmt: skip
#: The short ones: a word of their own, or a part that an underscore or a capital sets apart.
_SHORT: Final[dict[str, tuple[str, ...]]] = {
    "pw": ("pwd", "pw"),
    "psw": ("pswd", "psw"),
    **{word: (word,) for word in ("pass", "mdp", "clave", "parola")},
}
#: Codes of digits: what opens a door, a telephone or an account.
_CODES: Final[dict[str, tuple[str, ...]]] = {
    "pin": ("pin code", "pin-code", "code pin", "código pin", "pin"),
    " code": tuple(
        f"{what} code"
        for what in ("door", "alarm", "gate", "entry", "lock", "safe", "unlock", "access")
    ),
    **{word: (word,) for word in ("puk", "digicode", "geheimzahl", "code secret", "code d'accès")},
    "code d": (
        "code de l'alarme",
        "code d'alarme",
        "code de la porte",
        "code du portail",
        "code d'entrée",
        "code de l'immeuble",
        "code du coffre",
    ),
}
#: Words that also name ordinary things; their value must look random.
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    **{word: (word,) for word in ("secret", "token", "credential", "clé api", "clé d'api")},
    **{
        word: (word,)
        for word in ("jeton d'accès", "jeton", "clé d'accès", "clé secrète", "zugangstoken")
    },
    **{word: (word,) for word in ("clave api", "api-schlüssel", "chiave api")},
    "key": ("key",),
    " code": ("recovery code", "backup code"),
}
_KINDS_OF_KEY: Final = re.compile(
    r"(?i)(?:api|access|account|private|client|encryption|signing|secret|master|app|session|licen[sc]e"
    r"|shared|subscription|instrumentation|webhook|deploy|recovery|storage|auth|service)[ _-]?$"
)
#: Every word that is looked for.
WORDS: Final = tuple(
    word
    for groups in (_PASSWORDS, _SHORT, _CODES, _KEYS)
    for words in groups.values()
    for word in words
)

# Signs of other scripts are written by their numbers: an editor shows them like those of English.
_SPACE: Final = "[\\s\u00a0\u202f\u3000]"
_SIGN: Final = "(?::=|=>|===?|=|->|\u2192|::?|\uff1a)"
_VERB: Final = (
    r"(?i:is now|is still|is currently|is going to be|is|was|are|were|will be|should be|shall be"
    r"|has been set to|has been changed to|was changed to|set to|changed to|change to|reset to"
    r"|updated to|to be|equals|est maintenant|est désormais|est|était|sera|es ahora|es|era"
    r"|será|ist jetzt|ist|lautet|war|wird|é|è|jest|to jest|är|er|c'est|c'était|became|becomes"
    r"|devient)"
)
_OPENS: Final = r"[*_]{0,3}(?:</?\w{1,8}>){0,2}"
_PLACE: Final = (
    r"(?i:for|of|to|on|at|in|from|de|du|des|d'|pour|sur|für|von|zum|vom|para|del|da|do|voor|per)"
)


@cache
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written)


_SUFFIX: Final = r"(?P<suffix>[A-Za-z0-9_-]{0,24})"
_CLOSE: Final = (
    rf"\\{{0,3}}[\"'`]?\]?[*_]{{0,3}}(?:</\w{{1,8}}>){{0,2}}"
    rf"(?:[ \t]{{4,24}}|[ \t]{{1,3}}(?:string|String|str)[ \t]{{1,3}}|{_SPACE}{{0,3}})"
)
#: password = ..., "password": ..., password => ..., Password (staging): ...
_AFTER_SIGN: Final = (
    rf"{_SUFFIX}{_CLOSE}(?:\([^()\n]{{1,40}}\){_SPACE}{{0,2}})?"
    rf"{_SIGN}{_OPENS}{_SPACE}{{0,4}}{_OPENS}"
)
#: The password for the staging server: ...; the same with a verb.
_AFTER_PLACE: Final = (
    rf"s?{_SPACE}{{1,2}}{_PLACE}{_SPACE}{{1,2}}[\w .,'@/#&-]{{1,48}}?"
    rf"(?:{_SPACE}?{_SIGN}|{_SPACE}{_VERB}{_SPACE}{{0,2}}:?){_OPENS}{_SPACE}{{1,4}}{_OPENS}"
)
#: My password is ...; changed the password to ...
_AFTER_VERB: Final = (
    rf"s?[*_]{{0,3}},?{_SPACE}{{1,3}}{_VERB}{_SPACE}{{0,2}}:?{_OPENS}{_SPACE}{{1,4}}"
)
#: Changed the password to ...; what was done to it stands before the word.
_AFTER_TO: Final = (
    rf"{_SPACE}{{1,2}}(?i:to|into|back to|en|à|a|por|auf|zu){_SPACE}{{1,2}}:?{_SPACE}{{0,2}}"
)
_CHANGED: Final = re.compile(
    r"(?i)\b(?:set|sets|setting|chang|reset|updat|switch|rotat|chose|pick|put|made|rename"
    r"|remis|mis|défini|modifi|cambi|puse|geänder|setz|ändere)"
)
#: ... is the password; use ... as the root password
_BEFORE: Final = re.compile(
    r"(?i)[ \t](?:is|was|est|ist|es|as)[ \t](?:the|my|our|your|his|her|their|le|mon|notre|das|mein"
    r"|unser|la|mi|nuestra|a|an|new|root|admin)(?:[ \t][\w-]{1,20}){0,3}[ \t]?$"
    r"|[ \t](?:for|when (?:it|you are|you're) ask(?:s|ed) for)[ \t](?:the|a|its)[ \t]?$"
)
#: What a password may have; then it is not the password that is spoken of.
_THING: Final = re.compile(
    r"(?i)[ -](?:manager|policy|field|reset|generator|prompt|store|hash|column|form|box|file|page"
    r"|input|option|flag|parameter|rule|check|variable|provider|strength|length|hint|less|protect|auth)"
)
#: The same in scripts that set no space between words.
_AFTER_PARTICLE: Final = (
    rf"{_SPACE}{{0,2}}(?:\u662f|\u4e3a|\u70ba|\u306f|\uc740|\ub294){_SPACE}{{0,3}}"
)
#: A row of a table
_AFTER_BAR: Final = r"[ \t*`]{0,20}\|[ \t]{0,20}"
#: Log in with password ...
_AFTER_SPACE: Final = rf"{_SPACE}{{1,2}}"
#: define("DB_PASSWORD", "..."), put("password", "..."), set_password("...")
_AFTER_QUOTE: Final = r"(?P<suffix>[A-Za-z0-9_]{0,16})(?:\\{0,3}[\"'`]\s{0,3},\s{0,3}|\()"
#: name: DB_PASSWORD / value: ...  as deployments list what a program finds around it
_AFTER_NAME: Final = (
    r"(?P<suffix>[A-Za-z0-9_]{0,16})[\"']?\s{0,2},?\s{1,40}[\"']?(?i:value)[\"']?\s{0,2}[:=]\s{0,4}"
    r"|(?P<other>[A-Za-z0-9_]{0,16})[\"'],[\"'](?i:value)[\"']:"
    r"|[\"']\s{0,2}\{\s{0,40}(?:\w{1,20}\s{0,8}=\s{0,2}[^\s=]{1,60}\s{1,40}){0,3}default\s{0,8}=\s{0,2}"
)
_WRAPPED: Final = re.compile(
    "(?:[bru]|SecretStr\\(|Secret\\(|bytes\\.fromhex\\(|unhexlify\\(|(?:base64\\.)?b64decode\\(|Buffer\\.from\\()"
    "(?=[\"'])"
)
_ACCOUNT: Final = re.compile(
    r"(?i)\b(?:user(?:name)?|login|account|admin|root|ssh|usuario|utilisateur)\b"
)
_QUOTE: Final = re.compile("\\\\{0,3}[\"'`\u201c\u201d\u00ab\u2018]")
_CLOSING: Final = {"\u201c": "\u201d", "\u00ab": "\u00bb", "\u2018": "\u2019"}
_RUN: Final = re.compile("[^\\s\"'`<>\u201c\u201d\u00ab\u00bb\u00a0\u3000]+")
_NEXT: Final = re.compile(r"[,;&|](?:$|[\"']?[A-Za-z_][\w.-]{0,30}[\"']?[:=])")
_TRAILING: Final = ".,;:!?)]}>*_\u3002\u3001\uff0c"

#: Ends of names that say something about a secret and do not hold it.
_ABOUT: Final = re.compile(
    r"(?i)^s?[_-]?(?:secret|key|token|password)?[_-]?(?:name|names|ref|refs|id|ids|type|policy|policies|hash|hashed|digest|salt|count"
    r"|counts|length|len|limit|limits|size|path|file|filename|files|url|uri|link|field|fields"
    r"|label|manager|arn|version|expiry|expires|expiration|ttl|age|at|in|usage|used|placeholder"
    r"|hint|reset|strength|score|rule|rules|regex|pattern|input|box|prompt|store|provider|class"
    r"|selector|env|var|variable|izer?|ized?|izers|ization|ise[rd]?|isation|less|icated?|ary|ive"
    r"|kind|format|scheme|required|enabled|protected|set|changed|message|error|title|text|help"
    r"|description|index|position|offset|budget|budgets|window|rate|total|cost|price|per|map"
    r"|model|column|col|location|dir|folder|mount|volume|engine|backend|keyref|name_?prefix"
    r"|confirmation_?label|encoder|hasher|validator|validators|generator|checker|grant)"
    r"(?:[_-]?[A-Za-z]{0,12})$"
)
#: What stands before a token that is no secret: a page's mark, a count, a word of a parser.
_COUNTED: Final = re.compile(
    r"(?i)(?:next|prev|previous|page|paging|pagination|continuation|cont|sync|cursor|resume|delta"
    r"|start|end|stop|pad|bos|eos|unk|mask|sep|cls|special|first|last|max|min|num|total|prompt"
    r"|completion|input|output|cached|reasoning|cancellation|cancel|lex|parse|keyword|operator"
    r"|design|color|colour|public|publickey)[ _-]?$"
)


#: What stands before the word in its own name, as a file of settings has it.
_NAMED: Final = re.compile(r"^[A-Za-z][\w.-]{0,40}$")


class ReadValue(NamedTuple):
    """What stands at a place: its first characters, where it begins and ends, whether in quotes."""

    text: str
    start: int
    end: int
    quoted: bool


class Runs:
    """The values of one text. A run of characters is measured once, whoever asks."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = -1
        self._quotes: dict[str, int] = {}

    def value(self, at: int) -> ReadValue:
        """The value at a place, without the quotes or what ends a list or a sentence."""
        wrapped = _WRAPPED.match(self._text, at)
        opening = _QUOTE.match(self._text, wrapped.end() if wrapped else at)
        if opening is not None:
            at = opening.end()
            closing = self._closing(opening.group(), at)
            if closing is not None:
                return self._quoted(opening.group(), at, closing)
        end = self._run(at)
        value = self._text[at : min(end, at + JUDGED)]
        cut = _NEXT.search(value)
        if cut is None and end - at > JUDGED:
            return ReadValue(value, at, end, quoted=False)
        value = value[: cut.start()] if cut else value
        if not is_code(value):
            stripped = value.rstrip(_TRAILING)
            # A sign at the end of a password is part of it; a full stop ends the sentence.
            value = value if value[len(stripped) :] in ("!", "?", "*") else stripped
        return ReadValue(value, at, at + len(value), quoted=False)

    def _quoted(self, opening: str, at: int, closing: int) -> ReadValue:
        """The value between quotes; French ones have a space on their inner side."""
        if opening == "\u00ab":
            at += self._text[at : at + 1].isspace()
            closing -= closing > at and self._text[closing - 1].isspace()
        return ReadValue(self._text[at : min(closing, at + JUDGED)], at, closing, quoted=True)

    def _run(self, at: int) -> int:
        if not self._start <= at < self._end:
            run = _RUN.match(self._text, at)
            self._start, self._end = at, run.end() if run else at
        return self._end

    def _closing(self, opening: str, begins: int) -> int | None:
        """Where the quotation ends: on the same line, and not too far off."""
        closes = _CLOSING.get(opening[-1], opening)
        known = self._quotes.get(closes, -1)
        if known < begins:
            known = self._text.find(closes, begins)
            self._quotes[closes] = known = len(self._text) if known < 0 else known
        if known >= min(len(self._text), begins + LONGEST):
            return None
        return None if "\n" in self._text[begins:known] else known


#: What reads the value after a word that stands at a place.
_Reads = Callable[[str, int, int, Runs], Secret | None]


def find_passwords(text: str, low: str, present: frozenset[str]) -> Iterator[Secret]:
    """Every password and key in a text that a word tells of; ``low`` is the text in small letters,
    character for character, ``present`` the words that stand in it."""
    if present.isdisjoint(WORDS):
        return
    runs = Runs(text)
    for groups, reads in (
        (_PASSWORDS, _password),
        (_SHORT, _short),
        (_CODES, _code),
        (_KEYS, _key),
    ):
        for words in groups.values():
            for word in words:
                if word in present:
                    yield from _after(text, low, word, reads, runs)


def _after(text: str, low: str, word: str, reads: _Reads, runs: Runs) -> Iterator[Secret]:
    """What stands after each place where a word does."""
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        found = reads(text, at, end, runs)
        if found is not None:
            yield found
            end = max(end, found.end)
        at = low.find(word, end)


def _stands_alone(text: str, at: int, end: int) -> bool:
    """Whether a short word is one, and no part of another."""
    before, first = text[at - 1 : at], text[at]
    apart = not before.isalpha() or (before.islower() and first.isupper())
    after = text[end : end + 1]
    camel = text[end - 1].islower() and after.isupper()
    return apart and (not after.isalpha() or camel)


def _short(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    return _password(text, at, end, runs) if _stands_alone(text, at, end) else None


def _told_before(text: str, at: int, end: int) -> Secret | None:
    """The value that stands before the word: ``Tr0ub4dor is the root password``."""
    begins = max(0, at - 80)
    said = text[begins:at]
    if not any(
        verb in said for verb in (" is ", " as ", " was ", " est ", " ist ", " es ", " for ")
    ):
        return None
    verb = _BEFORE.search(said)
    if verb is None:
        return None
    word = said[: verb.start()].rpartition(" ")[2]
    value = word.strip("\"'`“”«»,;:()")
    if not is_password(value) or _THING.match(text, end):
        return None
    start = begins + verb.start() - len(word) + word.index(value)
    return Secret(SPOKEN, start, start + len(value))


def _password(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    for written, judge in (
        (_AFTER_SIGN, is_password),
        (_AFTER_QUOTE, is_password),
        (_AFTER_NAME, is_literal),
        (_AFTER_VERB, is_password),
        (_AFTER_PARTICLE, is_password),
        (_AFTER_PLACE, is_password),
        (_AFTER_TO, is_password),
        (_AFTER_BAR, is_password),
        (_AFTER_SPACE, is_told),
    ):
        tail = _pattern(written).match(text, end)
        if tail is None or _speaks_about(tail):
            continue
        if written == _AFTER_SPACE and _is_doubtful(text, at, end):
            continue
        if written == _AFTER_TO and not _CHANGED.search(text, max(0, at - 60), at):
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
            kind = ASSIGNED if written in (_AFTER_SIGN, _AFTER_QUOTE, _AFTER_NAME) else SPOKEN
            return Secret(kind, value.start, value.end)
    return _told_before(text, at, end)


def _is_doubtful(text: str, at: int, end: int) -> bool:
    """Whether a word that also means something else is told without an account before it."""
    if text[at:end].lower() not in ("pass", "clave", "parola"):
        return False
    return _ACCOUNT.search(text, max(0, at - 40), at) is None


def _is_bare(text: str, tail: re.Match[str], value: ReadValue) -> bool:
    """Whether any plain word is the password here: it stands alone after the sign, to the end of
    the line or of its quotation."""
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
    """Whether this is a line of an environment or of a connection string, where any word that
    stands after the sign is the value: ``DB_PASSWORD=swordfish``."""
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
    return word == "PASS" or named or not mixed


def _code(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    if not _stands_alone(text, at, end):
        return None
    for written in (_AFTER_SIGN, _AFTER_VERB, _AFTER_PLACE, _AFTER_SPACE):
        tail = _pattern(written).match(text, end)
        if tail is None or tail.groupdict().get("suffix"):
            continue
        if written == _AFTER_SPACE and not text[at:end].isupper():
            continue
        value = runs.value(tail.end())
        digits = value.text.strip("#*").replace("-", "").replace(" ", "")
        if 4 <= len(digits) <= 12 and digits.isdigit() and not _is_counted(text, value.end):
            return Secret("code", value.start, value.end)
    return None


def _is_counted(text: str, ends: int) -> bool:
    """Whether digits count something: ``the PIN is 1000 digits``."""
    return text[ends : ends + 12].lower().lstrip().startswith(("digit", "pins", "mm", "byte", "ms"))


def _key(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    word = text[at:end].lower()
    if word == "key" and not _KINDS_OF_KEY.search(text, max(0, at - 18), at):
        return None
    if word == "token" and _COUNTED.search(text, max(0, at - 16), at):
        return None
    for written in (
        _AFTER_SIGN,
        _AFTER_VERB,
        _AFTER_QUOTE,
        _AFTER_NAME,
        _AFTER_PLACE,
        _AFTER_BAR,
        _AFTER_SPACE,
    ):
        tail = _pattern(written).match(text, end)
        if tail is None or _speaks_about(tail):
            continue
        value = runs.value(tail.end())
        if written == _AFTER_QUOTE and not value.quoted:
            continue
        judge = is_long_random if written == _AFTER_SPACE else is_random
        if judge(value.text) and " " not in value.text:
            return Secret(ASSIGNED, value.start, value.end)
    return None


def _speaks_about(tail: re.Match[str]) -> bool:
    """Whether the name goes on to something that is no secret: ``secretName``, ``tokenCount``."""
    if "->" in tail.group() and "(" in tail.group():  # a function and what it gives back
        return True
    given = tail.groupdict()
    suffix = given.get("suffix") or given.get("other") or ""
    return bool(suffix) and _ABOUT.match(suffix) is not None
