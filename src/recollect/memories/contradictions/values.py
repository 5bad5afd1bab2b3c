"""Extracts the values in a text: dates, times, durations, sizes, versions, addresses, counts.

Each value has a dimension and is stored in the base unit of that dimension, so that "2 minutes" and
"120 s" are one value and "2 s" and "200 ms" are two. A number without a unit is compared with every
value that it could mean.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from recollect.memories.synonyms import NUMBERS
from recollect.memories.text_comparison import IDLE, stem

_READ: Final = 2_000
Value = float | str

_MONTHS: Final = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "jan feb mar apr may jun jul aug sep oct nov dec",
    )
    for number, name in enumerate(names.split(), 1)
}
_DAYS: Final = {
    name: number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    )
    for number, name in enumerate(names.split(), 1)
}
_WORDED: Final = {
    **{word: float(value) for word, value in NUMBERS.items() if word not in ("second", "half")},
    **{"sixty": 60.0, "seventy": 70.0, "eighty": 80.0, "ninety": 90.0, "dozen": 12.0},
    **{"vingt": 20.0, "trente": 30.0, "quarante": 40.0, "cinquante": 50.0, "soixante": 60.0},
    **{"cent": 100.0, "mille": 1000.0, "one": 1.0, "une": 1.0, "thrice": 3.0},
}
_SCALES: Final[dict[str, dict[str, float]]] = {
    "duration": {
        "ms millisecond milliseconds milliseconde millisecondes": 0.001,
        "s sec secs second seconds seconde secondes": 1,
        "min mins minute minutes": 60,
        "h hr hrs hour hours heure heures": 3_600,
        "day days jour jours": 86_400,
        "week weeks semaine semaines": 604_800,
        "fortnight fortnights": 1_209_600,
        "month months mois": 2_592_000,
        "quarter quarters trimestre trimestres": 7_776_000,
        "year years an ans année années": 31_536_000,
    },
    "size": {
        "byte bytes octet octets": 1,
        "kb ko": 1e3,
        "mb mo": 1e6,
        "gb go": 1e9,
        "tb to": 1e12,
        "kib": 2**10,
        "mib": 2**20,
        "gib": 2**30,
        "tib": 2**40,
    },
    "length": {
        "mm": 0.001,
        "cm centimetres centimeters": 0.01,
        "m metre metres meter meters mètre mètres": 1,
        "km kilometres kilometers kilomètres": 1_000,
        "mile miles": 1_609.3,
        "feet ft foot": 0.3048,
    },
    "mass": {"g grams grammes": 1, "kg kilo kilos": 1_000},
    "money": {"eur euro euros": 1, "usd dollar dollars": 1, "gbp pounds": 1},
    "share": {"percent pct": 0.01},
}
_UNITS: Final = {
    name: (dimension, scale)
    for dimension, table in _SCALES.items()
    for names, scale in table.items()
    for name in names.split()
}
_SUFFIXES: Final = {
    "ms": ("duration", 0.001),
    "s": ("duration", 1.0),
    "sec": ("duration", 1.0),
    "seconds": ("duration", 1.0),
    "minutes": ("duration", 60.0),
    "min": ("duration", 60.0),
    "hours": ("duration", 3_600.0),
    "days": ("duration", 86_400.0),
    "bytes": ("size", 1.0),
    "kb": ("size", 1e3),
    "mb": ("size", 1e6),
    "gb": ("size", 1e9),
    "percent": ("share", 0.01),
}
_NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,6})?"
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_UNIT: Final = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{1,30}")
_PATH: Final = re.compile(r"(?<![\w/.])(?:/[\w.-]{2,40}){1,6}(?![\w/])")
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_DAY_FIRST: Final = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er)? (?:of )?({_MONTH})\b\.?(?: (\d{{4}}))?", re.I
)
_MONTH_FIRST: Final = re.compile(
    rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (\d{{4}}))?", re.I
)
_MONTHDAY: Final = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)(?: day)?,?(?: of)? (?:each|every|the|a)(?: \w{2,9})? months?"
    r"|monthly on the (\d{1,2})(?:st|nd|rd|th)"
    r"|le (\d{1,2})(?:er)? (?:de chaque|du|tous les) mois)\b",
    re.I,
)
_CLOCK: Final = re.compile(
    r"\b(\d{1,2}):(\d{2})(?: ?(am|pm))?\b|\b(\d{1,2}) ?(am|pm)\b"
    r"|(?:\b(?:at|à|by|from|until|till|before|after|à partir de|dès|to) )(\d{1,2}) ?h ?(\d{2})?\b"
    r"|\b(noon|midnight|midi|minuit)\b",
    re.I,
)
_PORT: Final = re.compile(r"\bports? (\d{2,5})\b|(?<=[a-z0-9]):(\d{4,5})\b", re.I)
_NAMED: Final = re.compile(
    rf"\b\w{{0,60}}?_({'|'.join(_SUFFIXES)})\b`?(?: ?[=:] ?| is | equals | of | to ){{1,2}}`?"
    rf"({_NUMBER})",
    re.I,
)
_MEASURED: Final = re.compile(
    rf"(?<![\w.,])({_NUMBER}|[a-zéû]{{3,9}})[ -]?({_UNIT}|%|€|\$|per ?cent|pour ?cent)(?![\w])",
    re.I,
)
_HALF: Final = re.compile(r"\bhalf an hour\b|\bdemi-heure\b", re.I)
_MONEY: Final = re.compile(rf"[$€£] ?({_NUMBER})", re.I)
_VERSION: Final = re.compile(r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,5}){1,3})(?![\w.]*\d)", re.I)
_HEAD: Final = re.compile(
    r"^(?:(?:the|le|la|les|les) )?([a-zà-ÿ]{2,12}) (\d{1,6}|[A-Z])(?= )", re.I
)
_NUMBERED: Final = re.compile(
    r"\b([a-zà-ÿ]{2,12}) (?:number|numéro|no\.?|nr\.?|n°|#) ?(\d{1,6}|[A-Z])(?![\w.:%])", re.I
)
_LABEL: Final = re.compile(
    r"(?<![\w./-])(?:(?:the|a|from|to|in|on|of|for|le|la|du|de|au|les) "
    r"([a-zà-ÿ]{2,12}) (\d{1,6}|[A-Z])|([a-z]{1,12})-?(\d{1,6}))(?![\w.:%])"
)
_COUNT: Final = re.compile(
    rf"(?<![\w.:-])({_NUMBER}|{'|'.join(_WORDED)}) ((?:[a-zéèêàâôûç-]{{2,20}} ){{0,2}})?"
    r"([a-zéèêàâôûç-]{3,25})",
    re.I,
)
_BARE: Final = re.compile(
    r"(?<![\w.:-])(\d{1,12}(?:\.\d{1,6})?|0,\d{1,6})[kmg]?(?![\w:]|[.,]\d)", re.I
)
_PLAIN_WORD: Final = re.compile(r"[a-zéû]{3,9}")
_SEVERAL: Final = frozenset(word for word, value in _WORDED.items() if value > 1)
_WEEKDAY: Final = re.compile(rf"\b({'|'.join(_DAYS)})\b", re.I)
_YEAR: Final = re.compile(r"\b(19\d\d|20\d\d)\b")
_SPACED: Final = re.compile(r"(?<=\d)[ \u00a0\u202f](?=\d{3}\b)")
_RELATIVE: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Values:
    """Values of a text by dimension, and its numbers of no known dimension."""

    known: dict[str, frozenset[Value]]
    bare: frozenset[float]

    def differing(self, other: "Values") -> tuple[str, ...]:
        """Dimensions in which both texts have values and share none."""
        return tuple(
            name
            for name, mine in self.known.items()
            if name in other.known and not _meet(name, mine, other.known[name])
        )

    def agreeing(self, other: "Values") -> tuple[str, ...]:
        """Dimensions in which both texts have the same values."""
        same = [
            name
            for name, mine in self.known.items()
            if name in other.known and _meet(name, mine, other.known[name])
        ]
        if self._could_mean(other) or other._could_mean(self):
            same.append("number")
        return tuple(same)

    def loose(self, other: "Values") -> bool:
        """Whether a number without a unit on one side is compared with a number on the other."""
        mine, theirs = self._counted(), other._counted()
        apart = not mine & theirs and not self.agreeing(other)
        return bool(mine and theirs and apart and (self.bare or other.bare))

    def _counted(self) -> frozenset[float]:
        counts = [
            one
            for name, one in self.known.items()
            if name.split()[0] in ("count", "size", "duration", "share", "money")
        ]
        return self.bare.union(*(_numbers(one) for one in counts))

    def _could_mean(self, other: "Values") -> bool:
        """Whether a number without a unit equals a value of the other text in some unit."""
        scales = {
            "duration": (1, 0.001, 60, 3_600, 86_400),
            "size": (1, 1e3, 1e6, 2**10, 2**20),
            "share": (1, 0.01),
        }
        return any(
            _near(number * scale, value)
            for name, tried in scales.items()
            for value in _numbers(other.known.get(name, frozenset()))
            for number in self.bare
            for scale in tried
        )


Reader = Callable[[re.Match[str]], tuple[str, Value] | None]


@lru_cache(4_096)
def values_of(text: str) -> Values:
    """Extract the values of a text."""
    found: dict[str, set[Value]] = {}
    rest = _measured(_SPACED.sub("", text[:_READ]), found)
    for pattern, read in _AFTER_UNITS:
        rest = _taken(rest, pattern, read, found)
    bare = {float(match[1].replace(",", ".")) for match in _BARE.finditer(rest)}
    bare |= {_WORDED[word] for word in _PLAIN_WORD.findall(rest.lower()) if word in _SEVERAL}
    return Values({name: frozenset(one) for name, one in found.items()}, frozenset(bare))


def _taken(text: str, pattern: re.Pattern[str], read: Reader, found: dict[str, set[Value]]) -> str:
    """The text without the matches of a pattern, so that no later pattern matches them again."""

    def one(match: re.Match[str]) -> str:
        given = read(match)
        if given is None:
            return match[0]
        found.setdefault(given[0], set()).add(given[1])
        return " § "

    return pattern.sub(one, text)


def _measured(text: str, found: dict[str, set[Value]]) -> str:
    """Extract dates, times and numbers with units; "1 h 45 min" is one duration."""
    for pattern, read in _BEFORE_UNITS:
        text = _taken(text, pattern, read, found)
    pieces: list[str] = []
    at = 0
    last: tuple[str, float] | None = None
    for match in _MEASURED.finditer(text):
        given = _with_unit(match)
        if given is None:
            continue
        between = text[at : match.start()]
        if last and last[0] == given[0] == "duration" and not between.strip():
            found["duration"].discard(last[1])
            given = ("duration", last[1] + given[1])
        found.setdefault(given[0], set()).add(given[1])
        pieces += [between, " § "]
        at, last = match.end(), given
    return "".join([*pieces, text[at:]])


def _with_unit(match: re.Match[str]) -> tuple[str, float] | None:
    number = _number(match[1])
    unit = match[2].lower()
    if number is None:
        return None
    if unit in ("%", "per cent", "percent", "pour cent"):
        return "share", number / 100
    if unit in ("€", "$"):
        return "money", number
    if unit in ("m", "to", "go", "mo", "g") and match[0][len(match[1])] not in " \u00a0":
        return None  # "10m" is no length, it is a setting
    dimension, scale = _UNITS[unit]
    return dimension, number * scale


def _number(word: str) -> float | None:
    if word[0].isdigit():
        return float(word.replace(",", ".")) if word.count(",") + word.count(".") < 2 else None
    return _WORDED.get(word.lower())


def _date(day: str, month: str, year: str | None) -> tuple[str, Value]:
    number = _MONTHS.get(month.lower()) or int(month)
    return "date", f"{number:02}-{int(day):02}-{year or ''}"


def _clock(match: re.Match[str]) -> tuple[str, Value]:
    if match[8]:
        return "time", 720.0 if match[8].lower() in ("noon", "midi") else 0.0
    hour = int(match[1] or match[4] or match[6])
    late = (match[3] or match[5] or "").lower()
    hour = hour % 12 + (12 if late == "pm" else 0) if late else hour
    return "time", float(hour * 60 + int(match[2] or match[7] or 0))


def _named(match: re.Match[str]) -> tuple[str, Value] | None:
    dimension, scale = _SUFFIXES[match[1].lower()]
    number = _number(match[2])
    return None if number is None else (dimension, number * scale)


def _version(match: re.Match[str]) -> tuple[str, Value] | None:
    """A number with dots as a version; a fraction such as 0.5 stays a number."""
    return None if match[1].startswith("0.") and match[1].count(".") == 1 else ("version", match[1])


def _labelled(match: re.Match[str]) -> tuple[str, Value] | None:
    """A numbered thing such as "queue 7" or "v2"; not a preposition followed by a count."""
    parts = [one for one in match.groups() if one]
    label = parts[0].lower()
    if label in IDLE or label in _WORDED or label in _NO_LABEL:
        return None
    return f"label {stem(label)}", parts[1]


_NO_LABEL: Final = frozenset(
    "to of at is are least most above below under over than only up about around exactly now"
    " minimum maximum set has have had be by with counts seats equals raised cut"
    " version port phone telephone fax the and but there".split()
)


_PEOPLE: Final = frozenset(
    map(
        stem,
        "people person persons member engineer employee developer colleague staff seat player"
        " student volunteer personne membre employé ingénieur".split(),
    )
)


def _count(match: re.Match[str]) -> tuple[str, Value] | None:
    """A count of something; the thing counted is the last word that is not a stop word."""
    number = _number(match[1])
    if number is None:
        return None
    words = [*(match[2] or "").split(), match[3]]
    if words[0].lower() in IDLE:
        return None
    nouns = []
    for word in words:
        if word.lower() in IDLE or word.lower() in _WORDED:
            break
        nouns.append(word)
    if not nouns:  # "two three": a number that counts nothing
        return None
    noun = stem(nouns[0].lower())
    return f"count {'people' if noun in _PEOPLE else noun}", number


_BEFORE_UNITS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (_ADDRESS, lambda match: ("address", match[0].lower())),
    (_PATH, lambda match: ("path", match[0].lower().rstrip("./"))),
    (_ISO, lambda match: _date(match[3], match[2], match[1])),
    (_DAY_FIRST, lambda match: _date(match[1], match[2], match[3])),
    (_MONTH_FIRST, lambda match: _date(match[2], match[1], match[3])),
    (_MONTHDAY, lambda match: ("monthday", float(match[1] or match[2] or match[3]))),
    (_HALF, lambda _: ("duration", 1_800.0)),
    (_CLOCK, _clock),
    (_NUMBERED, _labelled),
    (_HEAD, _labelled),
    (_PORT, lambda match: ("port", match[1] or match[2])),
    (_NAMED, _named),
)
_AFTER_UNITS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (_MONEY, lambda match: ("money", _number(match[1]) or 0.0)),
    (_VERSION, _version),
    (_WEEKDAY, lambda match: ("weekday", float(_DAYS[match[1].lower()]))),
    (_YEAR, lambda match: ("year", float(match[1]))),
    (_LABEL, _labelled),
    (_COUNT, _count),
)


def _meet(name: str, one: Iterable[Value], other: Iterable[Value]) -> bool:
    """Whether two sets have a value in common."""
    if name == "date":
        return any(_same_date(str(left), str(right)) for left in one for right in other)
    if name == "version":
        return any(_same_version(str(left), str(right)) for left in one for right in other)
    return any(
        left == right
        or (isinstance(left, float) and isinstance(right, float) and _near(left, right))
        for left in one
        for right in other
    )


def _same_date(one: str, other: str) -> bool:
    """Whether two dates are the same; a date without a year matches any year."""
    return one[:5] == other[:5] and (not one[6:] or not other[6:] or one[6:] == other[6:])


def _same_version(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= _RELATIVE * max(abs(one), abs(other))


def _numbers(values: Iterable[Value]) -> frozenset[float]:
    return frozenset(value for value in values if isinstance(value, float))
