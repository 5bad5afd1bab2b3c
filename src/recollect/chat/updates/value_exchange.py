"""Exchanges one value of a statement for another of its kind that is said right after it.

People take a value back in any words, or in none: "argh 38", "he says it's the 21st", "I keep
saying Utrecht, it's Eindhoven". What they have in common is the value: the statement holds one of
the same kind, or in the same place of the sentence. The rest of the statement stays as it was.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from recollect.chat.language.concepts import is_common_word
from recollect.chat.language.sentence_subject import names_in
from recollect.chat.language.value_patterns import NUMBER_WORD, VALUES

_DATES, _HOURS, _DAYS, _ORDINALS = VALUES[0], VALUES[1], VALUES[2], VALUES[3]
_HOUR: Final = re.compile(
    rf"{_HOURS.pattern}|\b(?:[01]?\d|2[0-4])\.[0-5]\d\b|(?<=\bat )\d{{1,2}}\b(?![.,:]?\d)"
    r"|(?<=\bà )\d{1,2}\b(?![.,:]?\d)",
    re.IGNORECASE,
)
_HALF_OF_DAY: Final = re.compile(r" ?[ap]m$", re.IGNORECASE)
_ON_TWELVE: Final = re.compile(r"(?:1[0-2]|[1-9])(?:[:.][0-5]\d)?")
_CODE: Final = re.compile(r"\b(?:\d{1,4}[A-Za-z]|[A-Z]{1,2}\d{1,4})\b")
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])(?:\d[\d.,]{{0,9}}\d|\d|one|un|une|{NUMBER_WORD})(?![\w%])", re.I
)
#: Kinds of value, the most specific first; a later kind does not see what an earlier one took.
_KINDS: Final = (
    ("date", _DATES),
    ("hour", _HOUR),
    ("day", _DAYS),
    ("ordinal", _ORDINALS),
    ("code", _CODE),
    ("number", _NUMBER),
)
_DAY_OF_MONTH: Final = re.compile(r"\b(?:le|the|au) (\d{1,2})\b(?![.,:h]?\d)", re.IGNORECASE)
_DATE_BESIDE: Final = re.compile(r" \([^()]{0,30}\d{4}\)")
_NAME: Final = re.compile(r"[A-ZÀ-Þ][\w-]{1,30}")
_TITLES: Final = frozenset("Mr Mrs Ms Dr Prof Mme Mlle".split())
_SENTENCE: Final = re.compile(r"(?<!Mr)(?<!Mrs)(?<!Dr)[.!?;:\n]\W*")
_WORD_BEFORE: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]{1,30})\W{1,2}$")
_WORD_AFTER: Final = re.compile(r"[ -]?([^\W\d_]{1,30})")
#: Words after a number that are no unit of it.
_NO_UNITS: Final = frozenset(
    """
    now not instead sorry actually and but or then since from at on in as by of already with without
    for per the is was if so lol haha i it pas maintenant finalement pardon désolé désolée et mais
    depuis dès à en le la déjà avec sans pour par mdr
    """.split()
)
_UNITS: Final = {
    one: line.split()[0]
    for line in (
        "kilo kilos kg kgs", "euro euros eur", "pound pounds quid", "dollar dollars bucks",
        "year years yr yrs an ans année années", "month months mois", "week weeks semaine semaines",
        "day days jour jours", "hour hours hrs heure heures", "minute minutes min mins",
        "mg milligram milligrams", "ml", "cm", "km kilometres", "person people persons personnes",
    )
    for one in line.split()
}  # fmt: skip
_ONES: Final = frozenset("one un une".split())  # they seldom count
_LEAST, _MOST = 0.34, 3.0  # how far a number may lie from the one that it takes the place of
#: A value that is all that a clause says, or nearly: "argh 38", "it's the 21st", "mum says 1936".
_FRAME: Final = (
    r"(?:[\w'\u2019]{1,12} (?:says?|said|reckons|texted|thinks|dit) )?"
    r"(?:(?:(?:he|she|it|they)(?:'s|'ll be| is| was| will be)|ça fait|it|that|its|that's|c'est|is"
    r"|was|make it|rather|plutôt|non|no|nope|argh|ugh|oh|god|wait|so|well|the|at|on|in|le|la|à|au"
    r"|rue|year|size|number|room|class|grade|level|taille|numéro),? ){0,3}"
)
_FRAMED: Final = re.compile(rf"(?:^|[.,:;!] ?|\b(?:argh|ugh|god|oh) ){_FRAME}$", re.IGNORECASE)
_BARE_END: Final = re.compile(r"(?: [\w'\u2019]{1,10}){0,3}(?=\s*(?:[.,;:!)]|$|\s-))")
#: Words that say that the value which is named is not the right one.
_CONTRASTS: Final = re.compile(
    r"\b(?:it's|its|it is|it was|c'est|c'était|not|pas|rather|actually|plutôt|but|mais|left|said"
    r"|saying|dit|meant)\b",
    re.IGNORECASE,
)
_ADDS: Final = re.compile(r"\W*(?:and|also|plus|then|another|et|aussi|puis)\b", re.IGNORECASE)
_BESIDE: Final = 40  # characters between words of change and the value that they are about
_LONGEST: Final = 30  # words of a message that gives another value
_AT_ONCE: Final = 14  # words of one that does so without saying that the first was wrong
_PLACE: Final = re.compile(
    r"\b(at|in|to|from|with|by|chez|dans|avec|sur) "
    r"((?:the |my |our |his |her |le |la |les |mon |ma )?[a-zà-ÿ'-]{3,20}(?: [a-zà-ÿ'-]{3,20})?)"
    r"(?=[.,;!]|$)"
)


#: What something is after all, in two words.
_IT_IS: Final = re.compile(
    r"\b(?:it's|its|it is|c'est) (?:an? |the |un |une |le |la )?(\w{1,20}) (\w{4,20})"
    r"\b",
    re.IGNORECASE,
)
_SMALL_WORDS: Final = frozenset(
    """
    a an the my our his her their is are was of in on at to from with for and or so but not that
    this un une le la les mon ma est de du des en au avec pour dans et ou mais pas que qui
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Value:
    kind: str
    text: str
    start: int
    end: int
    before: str  # the word before it
    after: str  # the word behind it

    @property
    def key(self) -> str:
        return self.text.lower().rstrip("s") if self.kind == "day" else self.text.lower()


def exchanged_value(old: str, said: str, *, taken_back: bool) -> str | None:
    """The old statement with the values that a message gives in place of its own; None when it
    gives none. ``taken_back``: the message says that something was wrong; otherwise it must give
    the value alone, or name the wrong one beside it.
    """
    if len(said.split()) > _LONGEST or (not taken_back and not _is_at_once(said)):
        return None
    mine, theirs = list(_values(said)), list(_values(old))
    exchanges: list[tuple[_Value, str]] = []
    for kind in dict.fromkeys(one.kind for one in mine):
        given = [one for one in mine if one.kind == kind]
        known = [one for one in theirs if one.kind == kind]
        pair = _pair(given, known, said, taken_back=taken_back)
        if pair is not None:
            exchanges.append(pair)
    if not any(one.kind in ("date", "ordinal") for one, _ in exchanges):
        exchanges += _day_of_month(said, theirs, taken_back=taken_back)
    if not exchanges and taken_back:
        return _other_place(old, said) or _other_word(old, said)
    return _with(old, exchanges)


def moved_to(old: str, said: str, moved: re.Match[str]) -> str | None:
    """The old statement with the day, the hour or the amount that a message says it was moved to;
    ``moved`` are the words that say so, beside which the value must stand.

    None where the message gives no such value, would leave a date beside another day of the week,
    or names somebody or something else before the value: then more than the value changed.
    """
    near = [one for one in _values(said) if _is_beside(one, moved)]
    theirs = list(_values(old))
    exchanges: list[tuple[_Value, str]] = []
    for kind in ("date", "hour", "day", "number"):
        given = [one for one in near if one.kind == kind]
        known = [one for one in theirs if one.kind == kind]
        if kind == "number":
            given = [one for one in given if any(_of_one_unit(one, other) for other in known)]
        pair = _pair(given, known, said, taken_back=True)
        if pair is not None:
            exchanges.append(pair)
    if not any(one.kind == "date" for one, _ in exchanges):
        exchanges += _day_of_month(said, theirs, taken_back=True)
    kinds, dated = {one.kind for one, _ in exchanges}, {one.kind for one in theirs}
    if {"date", "day"} <= dated and len(kinds & {"date", "day"}) == 1:
        return None
    values = [one.start for one in near if one.kind != "name"] or [len(said)]
    named = {one.key for one in _values(said) if one.kind == "name" and one.start < values[0]}
    return None if named - {one.key for one in theirs} else _with(old, exchanges)


def _is_beside(value: _Value, moved: re.Match[str]) -> bool:
    return -_BESIDE <= value.start - moved.end() <= _BESIDE


def _of_one_unit(new: _Value, old: _Value) -> bool:
    """Whether two numbers have a unit, and the same."""
    unit, other = _UNITS.get(new.after, new.after), _UNITS.get(old.after, old.after)
    return bool(unit) and unit not in _NO_UNITS and unit.rstrip("s") == other.rstrip("s")


def _with(old: str, exchanges: list[tuple[_Value, str]]) -> str | None:
    """The old statement with other values; None when that changes nothing."""
    whole = old
    for was, now in sorted(exchanges, key=lambda pair: -pair[0].start):
        rest = whole[was.end :]
        beside = _DATE_BESIDE.match(rest)
        whole = f"{whole[: was.start]}{now}{rest[beside.end() :] if beside else rest}"
    return whole if whole != old else None


def gives_a_value(said: str) -> bool:
    """Whether a message may give a value anew without saying that the first was wrong."""
    if not _is_at_once(said):
        return False
    values = list(_values(said))
    return bool(values and _CONTRASTS.search(said)) or any(
        one.kind != "name" and _is_bare(one, said) for one in values
    )


def _is_at_once(said: str) -> bool:
    return len(said.split()) <= _AT_ONCE and "?" not in said and not _ADDS.match(said)


def _pair(
    given: list[_Value], known: list[_Value], said: str, *, taken_back: bool
) -> tuple[_Value, str] | None:
    """The value of the statement that is meant, and what takes its place."""
    keys = {one.key for one in known}
    anew = [one for one in given if one.key not in keys]
    named = [one for one in known if one.key in {other.key for other in given}]
    if len({one.key for one in anew}) != 1 or not known:
        return None
    new = anew[0]
    if not taken_back and not (
        (named and _CONTRASTS.search(said)) or (_stands_alone(new, known) and _is_bare(new, said))
    ):
        return None
    fitting = named or _fitting(new, known)
    if len({one.key for one in fitting}) != 1:
        return None
    return fitting[0], _as_told(new, fitting[0])


def _as_told(new: _Value, old: _Value) -> str:
    """A value in words that keep its meaning: "5:30" in place of "5pm" is "5:30pm"."""
    half = _HALF_OF_DAY.search(old.text)
    if new.kind != "hour" or half is None or not _ON_TWELVE.fullmatch(new.text):
        return new.text
    return f"{new.text}{half[0]}"


def _stands_alone(new: _Value, known: list[_Value]) -> bool:
    """Whether a value means one of those that are known without a word of correction: a day, an
    hour, a figure, or a number in words with its unit; a name does not.
    """
    if new.kind != "number" or new.text[0].isdigit():
        return new.kind != "name"
    return any(new.after in _UNITS and _same_measure(new, one) for one in known)


def _fitting(new: _Value, known: list[_Value]) -> list[_Value]:
    """The values whose place a new one can take: one behind the same word, or all of its kind."""
    if new.kind == "number":
        known = [one for one in known if _same_measure(new, one)]
    if new.kind == "name":
        alike = [one for one in known if _spelled_alike(new.text, one.text)]
        if alike:
            return alike
    behind = [one for one in known if new.before and one.before == new.before]
    return behind or known


def _same_measure(new: _Value, old: _Value) -> bool:
    """Whether two numbers count the same, as far as their units and sizes tell."""
    unit, other = _UNITS.get(new.after, new.after), _UNITS.get(old.after, old.after)
    if {new.key, old.key} & _ONES and (not unit or unit.rstrip("s") != other.rstrip("s")):
        return False
    if unit and unit not in _NO_UNITS and unit.rstrip("s") != other.rstrip("s"):
        return False
    one, two = _amount(new.text), _amount(old.text)
    if one is None or two is None or new.after in _UNITS or len(new.text) == len(old.text):
        return True
    return _LEAST <= one / max(two, 0.01) <= _MOST


def _amount(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _spelled_alike(one: str, other: str) -> bool:
    return one[:2].lower() == other[:2].lower() or one[-3:] == other[-3:]


def _is_bare(value: _Value, said: str) -> bool:
    """Whether a value is all that its clause says."""
    return bool(_FRAMED.search(said[: value.start]) and _BARE_END.match(said, value.end))


def _values(text: str) -> Iterator[_Value]:
    """The values of a text, each once, by their kinds."""
    masked = _DATE_BESIDE.sub(lambda found: " " * len(found[0]), text)
    for kind, pattern in _KINDS:
        for found in list(pattern.finditer(masked)):
            one = _value(kind, text, found.start(), found.end())
            if one.key not in _ONES or (one.after and one.after not in _NO_UNITS):
                yield one
            masked = f"{masked[: found.start()]}{' ' * len(found[0])}{masked[found.end() :]}"
    begins = {0, *(found.end() for found in _SENTENCE.finditer(text))}
    names = names_in(f" {text}")
    for found in _NAME.finditer(masked):
        if (
            found[0] in names - _TITLES
            and found.start() not in begins
            and not is_common_word(found[0])
        ):
            yield _value("name", text, found.start(), found.end())


def _value(kind: str, text: str, start: int, end: int) -> _Value:
    before = _WORD_BEFORE.search(text[max(0, start - 30) : start])
    after = _WORD_AFTER.match(text[end : end + 30])
    return _Value(
        kind,
        text[start:end],
        start,
        end,
        before[1].lower() if before else "",
        after[1].lower() if after else "",
    )


def _day_of_month(said: str, known: list[_Value], *, taken_back: bool) -> list[tuple[_Value, str]]:
    """A date of the statement with another day: "the 15th" for "14 April"."""
    found = _ORDINALS.search(said) or _DAY_OF_MONTH.search(said)
    dates = [one for one in known if one.kind == "date"]
    if found is None or len(dates) != 1:
        return []
    day = found[0] if found.re is _ORDINALS else found[1]
    if not taken_back and not _is_bare(_value("ordinal", said, *found.span()), said):
        return []
    now = re.sub(r"\d{1,2}(?:st|nd|rd|th)?", day, dates[0].text, count=1)
    return [(dates[0], now)] if now != dates[0].text else []


def _other_place(old: str, said: str) -> str | None:
    """The statement with another place or company behind the same small word: "at the tower"."""
    given, known = list(_PLACE.finditer(said)), list(_PLACE.finditer(old))
    for new in given:
        same = [one for one in known if one[1].lower() == new[1].lower()]
        if len(same) == 1 and same[0][2] != new[2]:
            return f"{old[: same[0].start(2)]}{new[2]}{old[same[0].end(2) :]}"
    return None


def _other_word(old: str, said: str) -> str | None:
    """The statement with another word before one that both have: "it's O negative"."""
    for new in _IT_IS.finditer(said):
        same = list(re.finditer(rf"\b(\w{{1,20}}) {re.escape(new[2])}\b", old, re.IGNORECASE))
        if new[2].lower() in _SMALL_WORDS or len(same) != 1:
            continue
        if same[0][1] not in (new[1], *_SMALL_WORDS):
            return f"{old[: same[0].start(1)]}{new[1]}{old[same[0].end(1) :]}"
    return None
