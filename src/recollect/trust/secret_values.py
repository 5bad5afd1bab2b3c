"""Classifies a value found at a suspicious place: password, random, name in code, or placeholder.

The caller has found a place where a secret may be, and passes the value there. Only the first
characters of a long value are judged, so that the time is bounded.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple

from recollect.vocabulary.lazy_patterns import lazy_pattern

JUDGED: Final = 256


class Secret(NamedTuple):
    """One secret in a text: its kind and its position."""

    kind: str
    start: int
    end: int


#: Parts of placeholders for a value that is elsewhere, or does not exist. In lower case.
_STAND_INS: Final = (
    "xxxx", "***", "...", "\u2026", "\u2022", "\u25cf", "____", "example", "placeholder",
    "changeme", "change_me", "change-me", "redacted", "undefined", "process.env", "os.environ",
    "getenv", "env.", "import.meta", "secret.", "secrets.", "vault:", "op://", "arn:",
    "keyring", "${", "$(", "{{", "%{", "#{", "<%", "password", "passwort", "passwd",
    "passphrase", "mot de passe", "motdepasse", "mot_de_passe", "contrase", "secret here",
    "secret_here", "secret-here", "private_key", "privatekey", "api_key", "apikey",
    "access_key", "accesskey", "secret_key", "secretkey", "token_here", "token-here",
    "key_here", "key-here", "goes_here", "goes-here", "required", "optional", "my_secret",
    "my-secret", "mysecret", "yourpass", "yourtoken", "yoursecret", "yourkey",
    "[secret removed",
)  # fmt: skip
#: Words that mean the same if they are whole words there.
_NO_LETTERS: Final = lazy_pattern(r"[^a-z]+")
_STAND_IN_WORDS: Final = frozenset(
    "your dummy sample insert replace todo tbd none null true false hidden masked removed unset"
    " empty blank unknown".split()
)
_BEGINS: Final = lazy_pattern(
    r"^(?:https?://|s3://|file:|[./~\\]|[A-Za-z]:\\|<|\[|\{|\(|%\w|@|&|\*|!(?:\w|$)|--|\|)"
)
_SLASHED: Final = lazy_pattern(r"^/[A-Za-z0-9+/]{20,255}={0,2}$")
_VARIABLE: Final = lazy_pattern(r"^\$[A-Za-z_]\w{0,60}$|^\$[A-Z_]{2}|^#[a-z-]{1,40}$")
_NAME: Final = lazy_pattern(
    r"^[A-Za-z_$][\w$-]{0,80}(?:(?:\.|::|->)[A-Za-z_$][\w$]{0,80}){0,8}[?!]?$"
)
_CALL: Final = lazy_pattern(r"^[A-Za-z_$@][\w$.:>!?-]{0,80}[(\[<{]")
_MAIL: Final = lazy_pattern(r"^[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{2,60}$")
_DATE: Final = lazy_pattern(
    r"^(?:\d{4}-\d{1,2}-\d{1,2}(?:[T ][\d:.+Z-]{1,30})?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"|\d{1,2}:\d\d(?::\d\d)?|v?\d{1,4}(?:\.\d{1,5}){1,3}(?:[-+.]?[a-z]{1,8}\.?\d{0,4})?)$"
)
_MEASURE: Final = lazy_pattern(
    "(?i)^[0-9]{1,6}(?:[.][0-9]{1,3})?[+]?[-\u2013]?(?:[0-9]{1,4})?[-\u2013]?"
    r"(?:chars?|characters?|letters?|digits?|days?|d"
    r"|h|hours?|hrs?|m|min|mins|minutes?|s|sec|secs|seconds?|ms|months?|weeks?|years?|x|th|st|nd|rd"
    r"|bits?|bytes?|kb|mb|gb|k|%|px|em|rem|words?|times|attempts?|steps?|of|signs?|zeichen"
    r"|caract[eè]res?|caracteres|tekens?|users?)$"
)
_TYPE: Final = lazy_pattern(
    r"(?i)^(?:u?int|float|double|varchar|nvarchar|char|text|string|str|bytes?|sha|sha3|md|base|utf"
    r"|blake|latin|iso|cp|ascii|hmac|aes|rsa|ed|bcrypt|argon|scrypt|pbkdf|oauth|http|hs|rs|es|ps|ntlm|ssha|v|step|line"
    r"|test|tests|field|arg|param|var|value|val|foo|bar|baz|data|user|users|token|key|input|node|item"
    r"|obj|result|res|tmp|temp|self|config|cfg|conf|settings|row|col|column|table|figure|fig|section"
    r"|chapter|page|part|level|tier|type|option|opt|case|issue|bug|ticket|pr|phase|week|day|q|p|x|s"
    r"|t|a|b|c|d|e|f|i|j|k|n|m|u|y|z|log|s3|ec|k8s?|i18n|l10n|a11y|x509|x86|k3s|server|host|box"
    r"|stage|prod|dev|env|group|class|method|func|form|client|app|db|node|web|area|round)"
    r"[-_:/]?[\d.]{1,6}(?:-?[a-z]{0,4}|[-_]\d{1,4})$"
)
_DIGIT: Final = lazy_pattern(r"[0-9]")
_LETTER: Final = lazy_pattern(r"[^\W\d_]")
_MARKS: Final = lazy_pattern(r"[!@#$%^&*?~§€£+=|\\]")
_MIXED: Final = lazy_pattern(r"[A-Za-z][0-9]{1,6}[A-Za-z]|[0-9][A-Za-z]{2}|[A-Za-z][0-9]{2}")
_INNER: Final = lazy_pattern(r"(?s).[!@#$%^&*?~§€£]")
_WORD: Final = lazy_pattern(r"^[A-Za-z]{2,12}$")
_PARTS: Final = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LONGEST_PART: Final = 2.3
_CONSONANTS: Final = lazy_pattern(r"(?i)[bcdfghjklmnpqrstvwxz]{5,}")
_ORDINARY: Final = frozenset(
    [
        "the", "your", "must", "enter", "is", "a", "an", "and", "or", "to", "of", "for", "please",
        "not", "be", "should", "with", "at", "in", "on", "new", "old", "this", "that", "it", "you",
        "can", "will", "are", "was", "from", "has", "have",
    ]
)  # fmt: skip
#: Words said about a password, or about where it is stored.
_SAID_OF_ONE: Final = (
    "word words code codes fine good okay works broken failed fails ready same safe unsafe sure "
    "maybe later soon today tomorrow yesterday never enough wiki vault keychain keepass bitwarden "
    "attached below above inside outside nobody everyone somebody someone somewhere nowhere "
    "nothing anything something everything following varchar integer number boolean "
    "array list dict tuple object buffer sensitive internal external local global remote shared "
    "account accounts credential credentials unknown pending active inactive valid stale lost "
    "found gone leak leaked kept open closed many more less most least read write only lowercase "
    "uppercase characters letters digits symbols bits rule rules next previous current first last "
    "main alias ldap saml basic digest kerberos oauth argon scrypt voir faux vrai obligatoire "
    "absent perdu vide nouveau ancien même falsch leer siehe neu alt ungültig mots correct right "
    "easy hard simple complex mandatory temporary permanent dead weird crap bad worse worst "
    "better best great nice terrible awful stupid silly dumb mine ours yours theirs hers secure "
    "insecure compromised strange obvious trivial identical equal similar unique random null nil "
    "zero clear cleartext plain stuck down here there everywhere elsewhere online offline "
    "personal common generic custom manual automatic static dynamic fresh actual real true fake "
    "foolproof bulletproof useless pointless annoying sacred holy taboo ascii base hexadecimal "
    "early daily weekly monthly likely directly history important essential critical crucial fun "
    "tricky long alone stronger weaker longer shorter older newer public secret forgotten "
    "unneeded case due dated over overdue up out in off void legit final free full half split "
    "joined abgelaufen anders geheim kurz lang unbekannt richtig gleich schwach stark sicher "
    "unsicher secreto secreta corta larga facile difficile lunga segreta corto oculta curta longa "
    "errada forkert utløpt feil fel kort lång hemlig samma verkeerd fout zelfde partout ailleurs "
    "faible fort sûr connu bizarre celui celle bon bonne mauvais mauvaise court courte longue "
    "complexe valide invalide identique unique pareil robuste solide temporaire privé là ici "
    "nécessaire inutile sensible lisible introuvable encore toujours jamais déjà affiché caché "
    "gültig leer einfach weg dort hier dasselbe derselbe nötig notwendig pflicht lesbar sichtbar "
    "schlecht noch nicht schon nirgends überall segura débil fuerte vacía nueva vieja buena mala "
    "igual misma temporal fácil difícil válida inválida breve vuota debole forte nuova vecchia "
    "buona uguale fraca vazia velha igual rätt svag gammal giltig ogiltig "
    "small big large tiny huge little short tall wide narrow high low deep shallow heavy light "
    "quick slow fast late cheap expensive pretty ugly clean dirty loud quiet warm cold hot cool "
    "wrong funny sad happy angry lame cute clever smart sick tired crazy insane ridiculous absurd "
    "reasonable decent perfect poor rich solid fragile brittle robust rubbish garbage nonsense "
    "trash junk tough rough smooth sharp blunt round flat thin thick strict loose safer easier "
    "harder simpler sticky messy sloppy lazy clumsy handy rare unusual usual normal standard "
    "original odd even blah meh whatever anyway though already still almost nearly exactly "
    "approximately roughly usually petit petite grand grande gros grosse vieux vieille joli jolie "
    "beau belle nul nulle drôle triste simple facile difficile klein groß gross kurz dumm blöd "
    "schön hässlich alt schwer leicht pequeña pequeño grande bonito feo tonto malo bueno piccolo "
    "piccola brutto bello stupido liten stor dålig bra lille dårlig god mały duży słaby "
).split()
#: Words in the place of a password, in forms, schemas and commands.
_NO_PASSWORD: Final = frozenset(
    [
        "string", "text", "required", "optional", "char", "varchar", "boolean", "secret", "field",
        "input", "hash", "hashed", "encrypted", "plain", "plaintext", "bcrypt", "stdin", "prompt",
        "file", "env", "auto", "yes", "no", "on", "off", "reset", "forgot", "change", "new", "old",
        "confirm", "confirmation", "policy", "manager", "here", "value", "the", "and", "or", "not",
        "is", "are", "was", "obligatoire", "requis", "oublié", "incorrect", "invalid", "wrong",
        "missing", "expired", "min", "max", "minimum", "maximum", "length", "see", "ask", "use",
        "enter", "type", "any", "default", "public", "private", "any_", "self", "this", "request",
        "response", "user", "admin", "root", "str", "int", "bytes", "object", "function", "method",
        "variable", "param", "parameter", "argument", "option", "flag", "hint", "label", "email",
        "username", "login", "name", "host", "port", "localhost", "test", "data", "url", "path",
        "nil", "void", "var", "let", "const", "return", "if", "else", "for", "in", "with", "from",
        "to", "by", "a", "an", "it", "that", "which", "who", "what", "when", "where", "how", "why",
        "strong", "weak", "long", "short", "same", "different", "other", "another", "all", "some",
        "at", "least", "should", "must", "can", "may", "will", "would", "could", "have", "has",
        "had", "be", "been", "being", "do", "does", "did", "done", "only", "also", "too", "very",
        "never", "always", "often", "again", "once", "twice", "then", "than", "so", "as", "but",
        "pass", "pwd", "pw", "passwd", "stored", "saved", "sent", "set", "unchanged", "rotated",
        "authentication", "auth", "protected", "protection", "based", "grant", "flow", "dialog",
        "form", "page", "screen", "button", "visible", "invisible", "show", "hide", "toggle",
        *_SAID_OF_ONE,
        "told", "held", "known", "shown", "made", "sold", "built",
        "obligatorio", "olvidada", "erforderlich", "vergessen", "pflichtfeld", "token", "key",
    ]
)  # fmt: skip
_SHOWN: Final = lazy_pattern(
    r"(?i)x{6,}|your[_-]?|example|placeholder|redacted|dummy|0{8,}|goes.?here"
)
#: A word and a number with a separator, or a capitalised word with a number of two or more digits.
_HUMAN: Final = lazy_pattern(
    r"^(?:[A-Z][a-z]{3,14}[0-9]{2,4}[!#*$%&?@+-]{0,2}|[A-Za-z]{4,14}[0-9]{1,4}[!#*$%&@]{1,2})$"
)
#: Commits, tickets, standards, and names of machines or tests with a number.
_NAMED_THING: Final = lazy_pattern(
    r"^(?:[0-9a-f]{6,}|[0-9a-f]{8}-[0-9a-f-]{20,}|[A-Z]{2,10}-?[0-9]{1,6}|CVE-[0-9-]{4,16}"
    r"|(?:Windows|Server|Office|Outlook|Chrome|Firefox|Safari|Edge|Android|Exchange|Python|Ubuntu|Debian|Fedora|Sprint|Version|Release|Build|Room)[0-9]{1,4}"
    r"|#?[0-9]{1,9}(?:st|nd|rd|th)?|[\w.-]{1,60}\.(?:[a-z]{2,4}|[a-z]{1,3}[0-9]))$"
)
_OF_ADDRESSES: Final = ("/", "://", "::", "()", "->")
#: Beginnings of names in code that refer to a value elsewhere.
_ROOTS: Final = frozenset(
    "var local locals module data config cfg conf settings self this options opts args params ctx "
    "context env values props state input inputs output outputs request req app vars each".split()
)
_JOINED: Final = re.compile(r"^[A-Za-z]{3,12}(?:[-_.][A-Za-z]{3,12}){1,4}[-_.]?[0-9]{2,4}[!?]?$")
_FEWEST_SIGNS: Final = 3
_LONG: Final = 20
_BARE_WORD: Final = lazy_pattern(r"^[a-z\u00df-\u00ff]{4,24}[0-9]{0,4}$")
#: Endings of words for a state or a quality.
_STATE: Final = lazy_pattern(
    r"(?:ed|en|ing|able|ible|ional|ally|ately|tory|ory|less|ful|ous|ive|ent|ant|ic|\u00e9e?s?|oire|toire|ires?|lich|eut"
    r"|ecta|ecto|etta|etto|ada|ado|idos?|idas?|ria|rio|ato|ata|uto|uta|ten|tet|lt|rt|field|type|string|text|only|here)$"
)


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text contains one of the words. Called very often: a loop is faster than a
    generator.
    """
    for word in words:  # noqa: SIM110
        if word in text:
            return True
    return False


def is_placeholder(value: str) -> bool:
    """Whether a value is a placeholder: a variable, stars, "your password"."""
    value = value[:JUDGED]
    return (
        _stands_for(value)
        or (_BEGINS.match(value) is not None and not _is_encoded(value))
        or _VARIABLE.match(value) is not None
        or len(set(value)) < _FEWEST_SIGNS
    )


def _is_encoded(value: str) -> bool:
    """Whether a value that looks like a path is a base64 key that happens to begin with a slash."""
    return _SLASHED.match(value) is not None and (value[-1] == "=" or _is_drawn(value))


def _stands_for(value: str) -> bool:
    low = value.lower()
    if holds_any(low, _STAND_INS):
        return True
    return not _STAND_IN_WORDS.isdisjoint(_NO_LETTERS.split(low))


def is_made_up(token: str) -> bool:
    """Whether a token of a known format is an example from documentation, like ``sk-xxxx``."""
    token = token[:JUDGED]
    return _SHOWN.search(token) is not None or len(set(token[-16:])) < _FEWEST_SIGNS


def is_named(value: str) -> bool:
    """Whether a value in a URL only names its place: ``user:pass@host``."""
    return value.lower() in _NO_PASSWORD or _stands_for(value[:JUDGED])


def is_code(value: str) -> bool:
    """Whether a value is an expression: a call, an index, a type with parameters."""
    return _CALL.match(value[:JUDGED]) is not None or "={" in value or "=(" in value


def is_password(value: str) -> bool:
    """Whether a value after a word for password could be one."""
    value = value[:JUDGED]
    if len(value) < 5 or " " in value or is_placeholder(value) or is_code(value):
        return False
    if _is_ordinary(value):
        return False
    if value.isdigit():
        return len(value) >= 6
    bare = value.rstrip(".,;:!?*")
    if _DIGIT.search(bare):
        return _LETTER.search(bare) is not None or _MARKS.search(bare) is not None
    return _INNER.search(bare) is not None or _is_scrambled(bare)


def is_literal(value: str) -> bool:
    """Whether a value could be a password where only one can be: any word but a placeholder."""
    value = value[:JUDGED]
    if len(value) < 4 or is_placeholder(value) or is_code(value) or _is_reference(value):
        return False
    return value.lower() not in _NO_PASSWORD and not _DATE.match(value)


def _is_reference(value: str) -> bool:
    """Whether a value refers to the real one: ``var.db_password``, ``config.db.entry``."""
    first, dot, rest = value.partition(".")
    if not dot or _NAME.match(value) is None:
        return False
    return first.lower() in _ROOTS or ("_" in rest and not any(map(str.isdigit, value)))


def is_random(value: str) -> bool:
    """Whether a value is long and mixed enough to be random."""
    value = value[:JUDGED]
    if len(value) < 8 or is_placeholder(value) or is_code(value) or _is_ordinary(value):
        return False
    if not _LETTER.search(value):
        return False
    digits = len(_DIGIT.findall(value))
    if _NAME.match(value) and (digits < 3 or _is_wordy(value)):
        if "." in value:
            return False
        return (len(value) >= 12 and _is_scrambled(value)) or _is_drawn(value)
    return digits > 0 or _INNER.search(value) is not None


def is_plausible_after_word(value: str) -> bool:
    """Whether a value right after the word, without a separator, could be a password: not one with
    only a number at its end, as names of things have.
    """
    return is_password(value) and (
        is_random(value) or _MIXED.search(value[:JUDGED]) is not None or _is_joined(value[:JUDGED])
    )


def _is_joined(value: str) -> bool:
    """Whether a value is two or more words and a number, joined by punctuation:
    ``fluffy-otter-92``.
    """
    if _JOINED.match(value) is None:
        return False
    return _NO_PASSWORD.isdisjoint(_NO_LETTERS.split(value.lower()))


def is_unusual(value: str) -> bool:
    """Whether a value is unusual in sentences: punctuation and digits among letters, or a
    capitalised word with a number after it. Commits, tickets and names of things do not count.
    """
    value = value[:JUDGED]
    if not is_plausible_alone(value):
        return False
    if _HUMAN.match(value) is not None:
        return True
    return _MIXED.search(value) is not None and (
        _INNER.search(value) is not None
        or (_is_scrambled(value) and (is_random(value) or _is_interleaved(value)))
    )


def is_varied(value: str) -> bool:
    """Whether a value has more different characters than a filler in documentation."""
    return len(set(value)) > 6


def is_random_looking(value: str) -> bool:
    """Whether a value is unusual, and not just a word with a number after it."""
    return is_unusual(value) and _HUMAN.match(value[:JUDGED]) is None


def is_plausible_alone(value: str) -> bool:
    """Whether a value may be a password without any verb or separator before it."""
    return (
        is_password(value)
        and _NAMED_THING.match(value) is None
        and holds_any(value, _OF_ADDRESSES) is False
    )


def is_phrase(value: str, quoted: bool) -> bool:
    """Whether a value is a phrase of plain words, which some use as a password; in quotes, fewer
    words with a number are one too.
    """
    words = value[:JUDGED].split(" " if quoted and " " in value else "-")
    if quoted and 2 <= len(words) <= 5 and words[-1].isdigit() and len(words[-1]) > 1:
        return all(_WORD.match(word) and not _is_ordinary(word) for word in words[:-1])
    return 4 <= len(words) <= 12 and all(
        _WORD.match(word) and word.islower() and word not in _ORDINARY for word in words
    )


def is_long_random(value: str) -> bool:
    """Whether a value is so long and mixed that no separator or verb is needed before it."""
    if len(value) < _LONG or not is_random(value):
        return False
    return len(_DIGIT.findall(value[:JUDGED])) > 2 or _is_drawn(value[:JUDGED])


def is_bare_word(value: str) -> bool:
    """Whether a value is one plain lower-case word that is no state or kind like ``required`` and
    ``hashed``: where a password is stated, it is the password.
    """
    return (
        _BARE_WORD.match(value) is not None
        and not _STATE.search(value)
        and value not in _NO_PASSWORD
        and not is_placeholder(value)
    )


def _is_ordinary(value: str) -> bool:
    """Whether a value is a date, a version, a measurement, an address or a name of a type."""
    return any(pattern.match(value) is not None for pattern in (_DATE, _MEASURE, _TYPE, _MAIL)) or (
        value.lower().strip(".,;:!?") in _NO_PASSWORD
    )


def _is_wordy(value: str) -> bool:
    """Whether a name is words with underscores or hyphens: ``sha_256_of_2_files``."""
    parts = [part for part in re.split(r"[_.-]", value) if part]
    return len(parts) > 2 and all(part.isalpha() or part.isdigit() for part in parts)


def _is_scrambled(value: str) -> bool:
    """Whether letters and digits look random: they alternate in kind at every second character,
    unlike words in a name, or there is hardly a vowel.
    """
    if len(value) >= _LONG:
        value = value.replace("_", "").replace("-", "")
    if len(value) < 8 or not value.isascii() or not value.isalnum():
        return False
    parts = len(_PARTS.findall(value))
    return parts * _LONGEST_PART > len(value) or _CONSONANTS.search(value) is not None


def _is_interleaved(value: str) -> bool:
    """Whether digits occur among letters at two or more places, which is rare in names."""
    changes = sum(one.isdigit() != other.isdigit() for one, other in pairwise(value))
    return len(value) >= 9 and changes > 3


def _is_drawn(value: str) -> bool:
    """Whether a long value has lower-case and capital letters and digits, and alternates more often
    than names do; it may contain hyphens and underscores.
    """
    kinds = (str.islower, str.isupper, str.isdigit)
    if len(value) < 16 or not all(any(map(kind, value)) for kind in kinds):
        return False
    return len(_PARTS.findall(value)) * 3 > sum(map(str.isalnum, value))


class PlacedRule(NamedTuple):
    """A pattern for a place where only a password can be."""

    kind: str
    needs: tuple[str, ...]
    written: str
    judge: Callable[[str], bool] = is_literal
