"""Adds absolute dates after relative ones: "tomorrow (3 June 2026)".

A sentence keeps the speaker's words; the date that they meant on the day they said it is added
after them, in the language of the words. Full dates are left alone.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import Final

MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_DAYS: Final = {
    "en": "monday tuesday wednesday thursday friday saturday sunday".split(),
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
}
_NUMBERS: Final = {
    **{
        word: number
        for number, word in enumerate(
            "one two three four five six seven eight nine ten eleven twelve".split(), 1
        )
    },
    **{
        word: number
        for number, word in enumerate(
            "un deux trois quatre cinq six sept huit neuf dix onze douze".split(), 1
        )
    },
    **{"a": 1, "an": 1, "une": 1, "couple": 2, "quinze": 15},
}
#: Words for a span of months that ends on the same day of the month.
_TO_THE_DAY: Final = re.compile(r"\bexactly\b|\btoday\b|\bexactement\b|\bjour pour jour\b", re.I)
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SHORT_DAY: Final = rf"({_WEEKDAY}|mon|tues?|weds?|thurs?|thur|fri|sat|sun)"
_FRENCH_WEEKDAY: Final = r"(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_COUNT: Final = (
    r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|a couple of|une?|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|quinze)"
)
_UNIT: Final = r"(days?|weeks?|months?|years?|jours?|semaines?|mois|ans?|années?)"
_LENGTH: Final = {
    "day": "day",
    "jour": "day",
    "week": "week",
    "semaine": "week",
    "month": "month",
    "mois": "month",
    "moi": "month",
    "year": "year",
    "an": "year",
    "année": "year",
}
_NEAR_DAYS: Final = {
    "the day after tomorrow": 2,
    "the day before yesterday": -2,
    "tomorrow": 1,
    "yesterday": -1,
    "today": 0,
    "tonight": 0,
    "après-demain": 2,
    "apres-demain": 2,
    "avant-hier": -2,
    "demain": 1,
    "hier": -1,
    "aujourd'hui": 0,
    "ce soir": 0,
}
_PAST: Final = re.compile(
    r"\b(?:(?!booked|scheduled|invited|supposed|planned|postponed|moved|rescheduled|pushed|need|feed"
    r"|speed)\w{2,20}ed|was|were|did|had|(?<!'ve )(?<!'s )(?<!have )got|went|came|bought|sold|left"
    r"|met|saw|quit|began|broke|won|lost|took|made|told|gave|said|found|born|died|became|fell|flew|drove"
    r"|rode|wrote|spoke|ate|drank|slept|woke|paid|sent|spent|built|caught|taught|brought|felt|kept"
    r"|held|heard|knew|grew|threw|wore|chose|swam|sang|stole|hurt|ran|sat|stood|lent|swore|shot|bit"
    r"|let(?: [\w']{1,12}){1,4} go)\b",
    re.IGNORECASE,
)


def with_dates(text: str, day: date) -> str:
    """The text with an absolute date after each relative one, as seen from a day."""
    for pattern, meant in _READERS:
        text = pattern.sub(partial(_beside, meant, day), text)
    return text


def _beside(
    read: "Callable[[re.Match[str], date, str], str]", day: date, found: re.Match[str]
) -> str:
    if found.string[found.end() : found.end() + 2] == " (":
        return found[0]
    said = read(found, day, found.string)
    return f"{found[0]} ({said})" if said else found[0]


_LASTED: Final = re.compile(
    rf"\b(?:for (?:the (?:past|last) |about |around |almost |nearly |over )?{_COUNT} {_UNIT}"
    rf"|depuis (?:environ |presque )?{_COUNT} {_UNIT})\b(?! (?:later|ago|time)\b)",
    re.IGNORECASE,
)


def with_beginning(text: str, day: date) -> str:
    """The text with a start date after a duration: "for six months (since April 2026)"."""

    def beside(found: re.Match[str]) -> str:
        french = found[3] is not None
        count, unit = (found[3], found[4]) if french else (found[1], found[2])
        began = _moved(count, unit, day, -1, "fr" if french else "en")
        return f"{found[0]} ({'depuis' if french else 'since'} {began})" if began else found[0]

    return _LASTED.sub(beside, text, count=1)


def written(day: date, language: str) -> str:
    """A day in words: 3 June 2026, 11 mars 2026."""
    return f"{day.day} {MONTHS[language].split()[day.month - 1]} {day.year}"


def _month(year: int, month: int, language: str) -> str:
    years, index = divmod(year * 12 + month - 1, 12)
    return f"{MONTHS[language].split()[index]} {years}"


def _near(found: re.Match[str], day: date, _: str) -> str:
    words = found[0].lower().replace("\u2019", "'")
    language = "en" if words.endswith(("tomorrow", "yesterday", "today", "tonight")) else "fr"
    return written(day + timedelta(days=_NEAR_DAYS[words]), language)


def _span(found: re.Match[str], day: date, sign: int, language: str) -> str:
    to_the_day = _TO_THE_DAY.search(found[0]) is not None
    return _moved(found[1], found[2], day, sign, language, to_the_day=to_the_day)


def _moved(
    how_many: str, of_what: str, day: date, sign: int, language: str, *, to_the_day: bool = False
) -> str:
    """The time that lies that many days, weeks, months or years before or after a day."""
    count = _number(how_many)
    unit = _LENGTH.get(of_what.lower().rstrip("s"), "")
    if not count or not unit or count > 200:
        return ""
    if unit in ("day", "week"):
        return written(day + timedelta(days=sign * count * (7 if unit == "week" else 1)), language)
    if unit == "month" and to_the_day:
        return written(_months_on(day, sign * count), language)
    if unit == "month":
        return _month(day.year, day.month + sign * count, language)
    return str(day.year + sign * count)


def _months_on(day: date, months: int) -> date:
    """The same day of another month, or the last day of that month."""
    years, index = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(years, index + 1, min(day.day, monthrange(years, index + 1)[1]))


def _number(word: str) -> int:
    word = word.lower()
    if word.isdigit():
        return int(word)
    return 2 if word.startswith("a couple") else _NUMBERS.get(word, 0)


def _weekday(day: date, name: str, *, back: bool, language: str) -> str:
    wanted = _DAYS[language].index(name)
    if back:
        return written(day - timedelta(days=(day.weekday() - wanted - 1) % 7 + 1), language)
    return written(day + timedelta(days=(wanted - day.weekday() - 1) % 7 + 1), language)


def _day_name(word: str) -> str:
    """The English weekday that a word abbreviates: "tues" is Tuesday."""
    return next((day for day in _DAYS["en"] if day.startswith(word[:3].lower())), "")


def _coming_day(found: re.Match[str], day: date, _: str) -> str:
    return _weekday(day, _day_name(found[1]), back=False, language="en")


def _week_on(found: re.Match[str], day: date, _: str) -> str:
    """A week on Tuesday: the Tuesday after the next one."""
    name = _DAYS["en"].index(_day_name(found[1] or found[2]))
    return written(day + timedelta(days=(name - day.weekday() - 1) % 7 + 8), "en")


def _bare_day(found: re.Match[str], day: date, text: str) -> str:
    """A weekday without a word before it: the next one, or the last one in a sentence about the
    past. In "my Saturday spot" it says which one, not when.
    """
    owned = _OWNED_BEFORE.search(text[max(0, found.start() - 24) : found.start()])
    if owned and _THING_BEHIND.match(text, found.end()):
        return ""
    if _HABITUAL_BEFORE.search(text[max(0, found.start() - 24) : found.start()]):
        return ""
    back = bool(_PAST.search(text[: found.start()]))
    return _weekday(day, found[1].lower(), back=back, language="en")


def _bare_french_day(found: re.Match[str], day: date, text: str) -> str:
    if _FRENCH_HABIT.search(text[max(0, found.start() - 24) : found.start()]):
        return ""
    since = text[max(0, found.start() - 7) : found.start()].lower().endswith("depuis ")
    past = _FRENCH_PAST.search(text) is not None and not found[0].lower().startswith("ce ")
    back = since or past
    return _weekday(day, found[1].lower(), back=back, language="fr")


def _since(said: str, word: str) -> str:
    return f"{word} {said}" if said else ""


def _season(found: re.Match[str], day: date, _: str) -> str:
    """The year of a season: last summer, next spring."""
    which, word = found[1].lower(), found[2].lower()
    begins = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[word]
    step = {"last": -1, "this": 0, "next": 1}[which]
    if step < 0:
        return str(day.year if begins + 2 < day.month else day.year - 1)
    return str(day.year if begins > day.month or step == 0 else day.year + 1)


def _fortnight(found: re.Match[str], day: date, _: str) -> str:
    return written(day + timedelta(days=-14 if "ago" in found[0].lower() else 14), "en")


#: A weekday between an owner and a thing names the thing: "my new Saturday spot".
_OWNED_BEFORE: Final = re.compile(r"\b(?:my|our|his|her|their|a|usual)(?: [a-z]{2,12})? $", re.I)
_THING_BEHIND: Final = re.compile(
    r" (?!morning|night|evening|afternoon|(?:at|in|on|with|for|we|i|is|was)\b)[a-z]{3,}",
    re.IGNORECASE,
)
_MONTH_BEHIND: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
#: What follows a weekday that is dated already, or that comes every week.
_DATED_OR_WEEKLY: Final = re.compile(
    rf"s\b|,? \d| the| night| morning| (?:evening|afternoon)s\b|,? {_MONTH_BEHIND}", re.IGNORECASE
)
_HABITUAL_BEFORE: Final = re.compile(
    r"(?:\b(?:every|each|alternate|most|other|second|first|third|last|next|this|coming|on|by|until"
    r"|before|since|a|week on|not|and|to|or|till|from)|[-/(,]) ?$",
    re.IGNORECASE,
)
_FRENCH_HABIT: Final = re.compile(
    r"\b(?:le|les|chaque|tous les|du|au|un|et|ou|pas)(?: (?:premier|dernier|deuxième|troisième"
    r"|quatrième|second|autre|prochain|même|seul|le|les))? ?$|\($",
    re.IGNORECASE,
)
_FRENCH_PAST: Final = re.compile(
    r"\b(?:j'ai|on a|il a|elle a|nous avons) (?:\w{2,10} )?\w{1,20}(?:é|és|ée|i|u|is|it)(?<!di)\b"
    r"|\b(?:suis|est|sommes) (?:allé|parti|venu|né|rentré|mort|tombé)\w{0,2}\b|\bétait\b",
    re.IGNORECASE,
)


def _last_or_next(found: re.Match[str], day: date, text: str) -> str:
    which, word = found[1].lower(), found[2].lower()
    back = which in ("last", "past")
    if word in _DAYS["en"]:
        if which == "this":
            back = bool(_PAST.search(text[: found.start()]))
        return _weekday(day, word, back=back, language="en")
    return _period(day, word, {"last": -1, "past": -1, "this": 0, "next": 1}[which], "en")


def _period(day: date, word: str, step: int, language: str) -> str:
    if word in ("month", "mois"):
        return _month(day.year, day.month + step, language)
    if word in ("year", "an", "année"):
        return str(day.year + step)
    monday = day - timedelta(days=day.weekday()) + timedelta(weeks=step)
    if word in ("weekend", "week-end"):
        return written(monday + timedelta(days=5), language)
    return ("week of " if language == "en" else "semaine du ") + written(monday, language)


def _on_day(found: re.Match[str], day: date, text: str) -> str:
    if _DATED_OR_WEEKLY.match(text, found.end()):
        return ""
    since = found[0].lower().startswith("since")
    back = since or bool(_PAST.search(text[: found.start()]))
    return _weekday(day, found[1].lower(), back=back, language="en")


def _french_day(found: re.Match[str], day: date, _: str) -> str:
    back = found[2].lower().startswith("dernier")
    return _weekday(day, found[1].lower(), back=back, language="fr")


def _french_period(found: re.Match[str], day: date, _: str) -> str:
    step = -1 if found[2].lower().startswith(("dernier", "passé")) else 1
    return _period(day, found[1].lower(), step, "fr")


_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date, str], str]], ...]] = (
    (
        re.compile(
            r"\b(?:in a fortnight|a fortnight ago|a fortnight from (?:today|now))\b", re.IGNORECASE
        ),
        _fortnight,
    ),
    (
        re.compile(rf"\b{_COUNT} {_UNIT} from (?:today|now)\b", re.IGNORECASE),
        lambda found, day, _: _span(found, day, 1, "en"),
    ),
    (
        re.compile(rf"\bbeen {_COUNT} {_UNIT}(?= since\b)", re.IGNORECASE),
        lambda found, day, _: _span(found, day, -1, "en"),
    ),
    (
        re.compile(rf"\bça fait {_COUNT} {_UNIT}(?= qu[e'])", re.IGNORECASE),
        lambda found, day, _: _span(found, day, -1, "fr"),
    ),
    (
        re.compile(r"\b(?:last night|this (?:morning|afternoon|evening))\b", re.IGNORECASE),
        lambda found, day, _: written(
            day - timedelta(days=found[0].lower().startswith("last")), "en"
        ),
    ),
    (
        re.compile(
            r"\b(?:the day after tomorrow|the day before yesterday|(?<!after )tomorrow"
            r"|(?<!before )yesterday|(?<!ago )(?<!from )today|tonight|apr[èe]s-demain"
            r"|avant-hier|(?<!-)demain|(?<!-)hier|aujourd['\u2019]hui|ce soir)\b",
            re.IGNORECASE,
        ),
        _near,
    ),
    (
        re.compile(rf"\bfor {_COUNT} {_UNIT}(?= now\b)", re.IGNORECASE),
        lambda found, day, _: _since(_span(found, day, -1, "en"), "since"),
    ),
    (
        re.compile(rf"\bdepuis {_COUNT} {_UNIT}(?= maintenant\b)", re.IGNORECASE),
        lambda found, day, _: _since(_span(found, day, -1, "fr"), "depuis"),
    ),
    (
        re.compile(
            rf"\bin (?:exactly |about |around |roughly |just |almost )?{_COUNT} {_UNIT}"
            r"(?:['\u2019] time)?\b",
            re.IGNORECASE,
        ),
        lambda found, day, _: _span(found, day, 1, "en"),
    ),
    (
        re.compile(rf"\b{_COUNT} {_UNIT} ago(?: today| exactly)?\b", re.IGNORECASE),
        lambda found, day, _: _span(found, day, -1, "en"),
    ),
    (
        re.compile(
            rf"\bdans (?:exactement |environ )?{_COUNT} {_UNIT}(?: jour pour jour)?\b",
            re.IGNORECASE,
        ),
        lambda found, day, _: _span(found, day, 1, "fr"),
    ),
    (
        re.compile(rf"\bil y a {_COUNT} {_UNIT}\b", re.IGNORECASE),
        lambda found, day, _: _span(found, day, -1, "fr"),
    ),
    (
        re.compile(
            rf"\ba week (?:on |this )?{_SHORT_DAY}\b|\b{_SHORT_DAY} week\b(?!end)", re.IGNORECASE
        ),
        _week_on,
    ),
    (
        re.compile(
            r"\b(last|past|next|this) (week|weekend|month|year|monday|tuesday|wednesday|thursday"
            r"|friday|saturday|sunday)\b",
            re.IGNORECASE,
        ),
        _last_or_next,
    ),
    (
        re.compile(
            r"\b(?:on|by|until|before|since) (monday|tuesday|wednesday|thursday|friday|saturday"
            r"|sunday)\b",
            re.IGNORECASE,
        ),
        _on_day,
    ),
    (
        re.compile(
            rf"\b(?:this coming|the coming|coming|this|next) {_SHORT_DAY}\b(?! \()", re.IGNORECASE
        ),
        _coming_day,
    ),
    (
        re.compile(r"\b(last|this|next) (spring|summer|autumn|fall|winter)\b", re.IGNORECASE),
        _season,
    ),
    (
        re.compile(
            rf"\b({_WEEKDAY})\b(?! ?(?:s\b|mornings|nights|evenings|afternoons|to\b|and\b|or\b"
            rf"|the\b|,? ?{_MONTH_BEHIND}"
            r"|before\b|after\b|\(|-|/|through|\d{1,2}(?:st|nd|rd|th)))",
            re.IGNORECASE,
        ),
        _bare_day,
    ),
    (
        re.compile(
            rf"\b{_FRENCH_WEEKDAY} (dernier|prochain)\b",
            re.IGNORECASE,
        ),
        _french_day,
    ),
    (
        re.compile(
            rf"\b(?:ce )?{_FRENCH_WEEKDAY}\b(?! ?(?:\d{{1,2}} [a-zà-ÿ]{{3,9}}|dernier|prochain"
            rf"|et\b|au\b"
            r"|ou\b|\())",
            re.IGNORECASE,
        ),
        _bare_french_day,
    ),
    (
        re.compile(
            r"\b(mois|semaine|année|an|week-end) (derni[eè]re?|prochaine?|passée?)\b", re.IGNORECASE
        ),
        _french_period,
    ),
)
