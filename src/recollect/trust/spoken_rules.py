"""Passwords stated in a sentence, in any language: by a verb, by position, or by proximity.

``The password for staging is ...``, ``use ... as the password``, ``Passwort ... wurde auf ...
geändert``. Where a verb or a preposition leads to the value, anything that could be a password is
one, and a plain word is one if the clause ends with it (``the password is swordfish.``). Without
such a lead, only a value that is unusual in sentences is taken: mixed letters, digits and
punctuation, in the same clause as the word for password. This needs no knowledge of the language's
verbs.

All patterns are matched at one offset, or in a window of bounded length.
"""

import re
from functools import cache
from typing import Final

from recollect.trust.password_words import DOUBTFUL, THING
from recollect.trust.read_values import ReadValue, Runs
from recollect.trust.secret_values import (
    Secret,
    holds_any,
    is_bare_word,
    is_password,
    is_phrase,
    is_plausible_after_word,
    is_random_looking,
    is_unusual,
)
from recollect.vocabulary.lazy_patterns import lazy_pattern

SPOKEN: Final = "spoken password"

# Characters of other scripts are escaped: an editor may show them like English ones.
SPACE: Final = "[\\s\u00a0\u202f\u3000]"
SIGN: Final = "(?::=|=>|===?|=|->|\u2192|::?|\uff1a)"
OPENS: Final = r"[*_]{0,3}(?:</?\w{1,8}>){0,2}"
#: Verbs that describe a thing as often as they give its value.
_IS: Final = (
    r"is now|is still|is currently|is going to be|is|was|are|were|will be|should be|shall be"
    r"|would be|has been set to|has been changed to|was changed to|was set to|set to|changed to"
    r"|change to|reset to|updated to|to be|equals|being|remains|stays|became|becomes"
    r"|est maintenant|est désormais|est|était|sera|devient|reste|es ahora|es|era|será|sigue siendo"
    r"|ist jetzt|ist|war|wird|bleibt|é|è|sarà|jest|to jest|będzie|är|er|blir|bliver|is nu|je"
    r"|este|va fi|olacak|είναι|\u0435\u0441\u0442\u044c|\u0431\u0443\u0434\u0435\u0442"
    r"|\u044d\u0442\u043e|\u0446\u0435|\u0647\u064a|\u0647\u0648|\u05d4\u05d9\u05d0|\u05d4\u05d5\u05d0"
    r"|là|adalah"
)
#: Verbs that give its value: after them a plain word is the value.
_IS_CALLED: Final = r"lautet jetzt|lautet|heißt|heisst|c'est|c\u2019est|c'était|brzmi|reads"
_ADVERB: Final = (
    r"now|still|also|currently|nun|jetzt|neu|neuerdings|maintenant|désormais|ahora|ora|adesso|agora"
    r"|nu|teraz|nyt"
)
_VERB: Final = rf"(?i:(?:{_IS_CALLED}|{_IS})(?:{SPACE}(?:{_ADVERB}))?)"
_PLACE: Final = (
    r"(?i:for|of|to|on|at|in|from|between|behind|de|du|des|d'|pour|sur|entre|für|von|zum|zur|vom"
    r"|zwischen|para|del|da|do|della|voor|van|per|till|til|för|dla|k|ke|pro"
    r"|\u043e\u0442|\u0434\u043b\u044f|\u0434\u043e|\u0432\u0456\u0434|we|I|he|she|they|you|vous|tu|ihr)"
)
#: The password for the staging server: ...; the same with a verb.
AFTER_PLACE: Final = (
    rf"\w{{0,4}}{SPACE}{{1,2}}{_PLACE}{SPACE}{{1,2}}[\w .,'@/#&-]{{1,48}}?(?:\([^()\n]{{1,40}}\))?"
    rf"(?:{SPACE}?{SIGN}|{SPACE}{_VERB}{SPACE}{{0,2}}:?){OPENS}{SPACE}{{1,4}}{OPENS}"
)
#: My password is ...; an ending of the word itself, as northern languages have it
AFTER_VERB: Final = (
    rf"(?P<suffix>\w{{0,5}})[*_]{{0,3}},?(?:{SPACE}{{1,3}}{_VERB}{SPACE}{{0,2}}:?|['\u2019]s"
    rf"(?: now| still)?){OPENS}{SPACE}{{1,4}}"
)
#: The password, in case you need it, is ...
_ASIDE: Final = rf"(?:,[^,\n.!?]{{1,48}},|{SPACE}\([^()\n]{{1,48}}\),?)"
AFTER_ASIDE: Final = rf"\w{{0,4}}{_ASIDE}{SPACE}{_VERB}{SPACE}{{0,2}}:?{SPACE}{{1,3}}"
#: Changed the password to ...; the verb comes before the word.
AFTER_TO: Final = (
    rf"{SPACE}{{1,2}}(?i:to|into|back to|en|à|a|por|auf|zu|in|till|til|na|naar){SPACE}{{1,2}}:?"
    rf"{SPACE}{{0,2}}"
)
#: The same in scripts that set no space between words.
AFTER_PARTICLE: Final = (
    rf"{SPACE}{{0,2}}(?:\u662f|\u4e3a|\u70ba|\u306f|\uc740|\ub294|\u4e3a\uff1a){SPACE}{{0,3}}"
)
#: A row of a table
AFTER_BAR: Final = r"[ \t*`]{0,20}\|[ \t]{0,20}"
#: Password root -> ...; mot de passe provisoire : ...; la contraseña nueva del correo es ...
AFTER_WORDS: Final = (
    rf"\w{{0,4}}(?:{SPACE}{{1,2}}[\w@./'-]{{1,24}}){{1,6}}?"
    rf"(?:{SPACE}?(?:\([^()\n]{{1,40}}\){SPACE}?)?{SIGN}|{SPACE}(?:{_VERB}|(?i:to|auf|à)){SPACE}{{0,2}}:?)"
    rf"{OPENS}{SPACE}{{1,4}}{OPENS}"
)
#: The code of the garage changed, it's ...; die PIN der Karte ist ...; le digicode, c'est le ...
AFTER_CODE: Final = (
    rf"(?P<suffix>)[^\n.!?;:=0-9]{{0,40}}?(?:{SPACE}(?:{_VERB}|(?i:to|now|it's|it\u2019s|à|auf|a))|:)"
    rf"{SPACE}{{1,2}}(?i:(?:now|the|le|la|die|der|el|il|o|a){SPACE})?"
)
#: It opens with code ...
WITH_CODE: Final = lazy_pattern(
    r"(?i)\b(?:with|using|by|avec|mit|con|com|met|med)[ \t](?:the[ \t])?\w{3,12}$"
)
#: What is the password? It's ...; the password of that box? ...
AFTER_ASKED: Final = (
    rf"(?:{SPACE}[\w '-]{{1,40}})?{SPACE}?\?[\"'\u201d]?{SPACE}{{1,3}}[\"'\u201c]?"
    r"(?i:(?:it's|it is|it\u2019s|c'est|es ist) )?"
)
#: Password - ...; password (...)
AFTER_DASH: Final = rf"{SPACE}{{1,2}}(?:[-\u2013\u2014]{{1,2}}{SPACE}{{1,2}}|\()"
#: Verbs with another meaning beside a word of another language.
_OWN_VERBS: Final = {
    "hasło": rf"[^\n.!?]{{0,40}}?{SPACE}to{SPACE}{{1,2}}",
    "salasana": rf"[^\n.!?]{{0,40}}?{SPACE}on{SPACE}{{1,2}}",
}
#: Log in with password ...
AFTER_SPACE: Final = rf"{SPACE}{{1,2}}"
_AFTER: Final = (
    AFTER_VERB,
    AFTER_PARTICLE,
    AFTER_PLACE,
    AFTER_ASIDE,
    AFTER_TO,
    AFTER_WORDS,
    AFTER_BAR,
    AFTER_ASKED,
    AFTER_DASH,
    AFTER_SPACE,
)
_CHANGED: Final = lazy_pattern(
    r"(?i)\b(?:set|sets|setting|chang|reset|updat|switch|rotat|chose|pick|put|made|rename"
    r"|remis|mis|défini|modifi|cambi|puse|pon|geänder|setz|ändere|alter|impost|mudei|zmieni|byt"
    r"|änd|gewijzigd)"
)
_NAMES: Final = lazy_pattern(
    rf"(?i){SPACE}(?:{_IS_CALLED}|is|is still|is now|was|will be|remains|stays|to){SPACE}"
)
_ENDS: Final = lazy_pattern(
    r"[.,;!)]{1,2}(?:\s|$)|[ \t]{0,3}(?:$|\n)|\s(?:for now|btw|by the way)\b"
)
#: ... is the password; ... - that's the wifi password
_IS_ONE: Final = lazy_pattern(
    r"(?i)(?:[ \t](?:is|was|est|ist|es|é|è|är|er|jest)(?:[ \t](?:now|still|also|maintenant|jetzt"
    r"|ahora))?|[ \t]?[-,:(\u2013\u2014][ \t]?"
    r"(?:that(?:'s| is| was)|c'est|das ist))[ \t]"
    r"(?:the|my|our|your|his|her|their|le|mon|notre|das|mein|unser|la|mi|nuestra|a|an|new|root"
    r"|admin|o|det|mitt|a minha|het)(?:[ \t][\w-]{1,20}){0,3}[ \t]?$"
    r"|[ \t](?:for|when (?:it|you are|you're) (?:ask|prompt)(?:s|ed) for)[ \t](?:the|a|its)[ \t]?$"
    r"|[ \t]?(?:<-{1,2}|\u2190|<=)[ \t]?(?:[\w-]{1,20}[ \t]){0,2}$"
)
#: use ... as the root password
_AS_ONE: Final = lazy_pattern(
    r"(?i)[ \t](?:as|als|como|come|comme|som|jako|olarak|ca|\u043a\u0430\u043a)[ \t]"
    r"(?:(?:the|my|our|your|a|an|le|mon|notre|das|mein|neues|la|mi|o|il|de|het|din|ditt)[ \t])?"
    r"(?:[\w-]{1,20}[ \t-]){0,2}$"
)
#: One of these is between the value and the word; they are looked for first.
_LEADS: Final = (
    " is ", " was ", " as ", " for ", " est ", " ist ", " es ", " é ", " è ", " är ", " er ",
    " jest ", "that", "c'est", "das ist", " als ", " como ", " come ", " comme ", " som ", " jako ",
    " olarak ", " ca ", " \u043a\u0430\u043a ", "<-", "<=", "\u2190", " Is ", " As ",
)  # fmt: skip
_USES: Final = lazy_pattern(
    r"(?i)\b(?:use|using|take|pick|put|try|with|with [\w.@-]{1,40} and|nimm|nehmt|nehmen|verwende"
    r"|benutze|utilise|utilisez|prends|mets|usa|usar|use|utiliza|usi|gebruik|använd|brug|bruk|käytä|użyj|použij)"
    r"[ \t][\"'`]?$"
)
_ACCOUNT: Final = lazy_pattern(
    r"(?i)\b(?:user(?:name)?|login|account|admin|root|ssh|usuario|usu\u00e1rio|utilisateur|utilizator|utente|benutzer\w{0,4}|wi-?fi|wlan|server"
    r"\w{0,4})\b"
)
_NEAR_CHARACTERS: Final = 64
_FAR: Final = 120
_WORDS_NEAR: Final = 9
_CLAUSE: Final = lazy_pattern(r"[.?](?:\s|$)|\n|\(|=|\u3002")
_ASKED: Final = lazy_pattern(r"[\w '-]{0,40}\?[\"'\u201d]?")
_DIGIT: Final = lazy_pattern(r"[0-9]")
_RUN: Final = lazy_pattern("[^\\s\"'`<>()\u201c\u201d\u201e\u00ab\u00bb\u00a0\u3000]{5,80}")


@cache
def pattern(written: str) -> re.Pattern[str]:
    """A pattern, compiled at first use."""
    return lazy_pattern(written)


def stated_after(text: str, at: int, end: int, runs: Runs) -> Secret | None:
    """The password that a sentence states after the word for it."""
    own = _OWN_VERBS.get(text[at:end].lower())
    for written in (*_AFTER, own) if own else _AFTER:
        if written is AFTER_WORDS and not may_follow(text, end):
            continue
        tail = pattern(written).match(text, end)
        if tail is None or not _may_lead(written, text, at, end):
            continue
        value = runs.value(tail.end())
        judge = (
            is_plausible_after_word
            if written in (AFTER_SPACE, AFTER_DASH, AFTER_WORDS, AFTER_ASKED)
            else is_password
        )
        if judge(value.text) or is_phrase(value.text, value.quoted):
            return Secret(SPOKEN, value.start, value.end)
        if written in (AFTER_VERB, AFTER_PLACE, AFTER_TO) and _is_named(text, tail, value):
            return Secret(SPOKEN, value.start, value.end)
    return None


def may_follow(text: str, end: int) -> bool:
    """Whether a value with a digit may follow a word after some other words: fast, and ordinary
    sentences have none.
    """
    return _DIGIT.search(text, end, end + _FAR) is not None and THING.match(text, end) is None


def _may_lead(written: str, text: str, at: int, end: int) -> bool:
    """Whether a pattern really leads to a value here."""
    if written in (AFTER_SPACE, AFTER_DASH, AFTER_BAR, AFTER_WORDS):
        return not _is_doubtful(text, at, end)
    return written != AFTER_TO or _CHANGED.search(text, max(0, at - 60), at) is not None


def _is_named(text: str, tail: re.Match[str], value: ReadValue) -> bool:
    """Whether a plain word is the value: it is quoted, or its clause ends with it."""
    if not is_bare_word(value.text.rstrip("!?")):
        return False
    if value.quoted:
        return True
    named = _NAMES.search(tail.group()) is not None or tail.group().startswith(("'s", "\u2019s"))
    return named and _ENDS.match(text, value.end) is not None


def _is_doubtful(text: str, at: int, end: int) -> bool:
    """Whether an ambiguous word is used without an account before it."""
    if text[at:end].lower() not in DOUBTFUL or text[at - 1 : at] == "_":
        return False
    return _ACCOUNT.search(text, max(0, at - 40), end + 24) is None


def stated_near(text: str, at: int, end: int) -> Secret | None:
    """An unusual value in the same clause after the word."""
    if THING.match(text, end) or _is_doubtful(text, at, end):
        return None
    phrased = "phrase" in text[at:end].lower()
    asked = _ASKED.match(text, end)
    end = asked.end() if asked else end
    clause = _CLAUSE.search(text, end, end + _NEAR_CHARACTERS)
    ends = clause.start() if clause else end + _NEAR_CHARACTERS
    for count, word in enumerate(_RUN.finditer(text, end, ends)):
        if count == _WORDS_NEAR:
            break
        value = word.group().rstrip(".,;:?")
        whole = word.end() < end + _NEAR_CHARACTERS or text[word.end() : word.end() + 1].isspace()
        if not whole or word.start() < end + 1 - bool(asked):
            continue
        if is_unusual(value) or (phrased and is_phrase(value, quoted=False)):
            return Secret(SPOKEN, word.start(), word.start() + len(value))
    return None


def announced_near_before(text: str, at: int, end: int) -> Secret | None:
    """A random-looking value in the same clause before the word: ``we set it to ..., so that is the
    password``.
    """
    begins = max(0, at - _NEAR_CHARACTERS)
    said = text[begins:at]
    if _DIGIT.search(said) is None or THING.match(text, end) or _is_doubtful(text, at, end):
        return None
    for ended in _CLAUSE.finditer(said.rstrip(" (")):
        begins = at - len(said) + ended.end()
    for word in _RUN.finditer(text, begins, at):
        value = word.group().rstrip(".,;:?")
        whole = text[word.start() - 1 : word.start()] in ("", " ", "\n", '"', "'", "`")
        if whole and word.end() < at and is_random_looking(value):
            return Secret(SPOKEN, word.start(), word.start() + len(value))
    return None


def announced_before(text: str, at: int, end: int) -> Secret | None:
    """The value before the word: ``Tr0ub4dor is the root password``."""
    begins = max(0, at - 80)
    said = text[begins:at]
    if said[-1:] not in (" ", "\t", "-"):
        return None
    if not holds_any(said, _LEADS):
        return None
    is_one = _IS_ONE.search(said)
    used = _AS_ONE.search(said) if is_one is None else None
    verb = is_one or used
    if verb is None or verb.group().lstrip()[:1].isupper():  # "Is the password ...?" asks
        return None
    word = said[: verb.start()].rpartition(" ")[2]
    value = word.strip("\"'`“”„«»,;:()")
    if not value or THING.match(text, end):
        return None
    before = verb.start() - len(word)
    cited = word[0] in "\"'`“„«" or _USES.search(said, 0, before) is not None
    if not is_password(value) and not (used and cited and is_bare_word(value)):
        return None
    start = begins + before + word.index(value)
    return Secret(SPOKEN, start, start + len(value))
