"""Extracts the value in a sentence that fits a question: a time, an amount, a person, a place.

A value of another kind does not count: no date answers "what time", no minutes answer "how many",
no town answers "who". Nor does a value that the question names itself. Relative dates are resolved
from the day on which they were said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from recollect.chat.language.relative_dates import with_dates
from recollect.research.clauses import Placed, belongs, nearest_to
from recollect.research.questions import ReadQuestion, content_words_of, term_of

RESOLVED: Final = re.compile(r" \(([^()]{3,40})\)")
_MONTHS: Final = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_DATE: Final = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}(?:,? \d{{4}})?\b"
    rf"|\b{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b|\b{_MONTHS} \d{{4}}\b"
    rf"|\b(?:in|since|until) {_MONTHS}\b(?! \d)|\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b(?:19|20)\d{{2}}\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    r"\b(?:[01]?\d|2[0-3])[:h][0-5]\d\b(?: ?[ap]\.?m\b)?|\b(?:1[0-2]|[1-9]) ?[ap]\.?m\b"
    r"|\b(?:noon|midday|midnight)\b|\b(?:at|until|by|from) (?:1[0-2]|[1-9]) o'clock\b",
    re.IGNORECASE,
)
_DAYS: Final = re.compile(
    r"\b(?:every day|(?:on |every |each )(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:on |every )?week(?:days|ends?))\b",
    re.IGNORECASE,
)
_COUNT: Final = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|dozen"
    r"|a couple of|a few|several|half an?)"
)
_NUMBER: Final = rf"(?:{_COUNT}|an?)"
#: A number with up to three words between it and what is counted: "two very old dogs".
_COUNTED: Final = re.compile(
    rf"\b(\d[\d,.]{{0,12}}|{_COUNT})((?: (?!each\b|every\b|per\b)[\w'-]{{1,30}}){{1,4}})",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"[$\u20ac\u00a3]?\b\d[\d,.]{0,12}\b(?:%| ?[a-zA-Z]{2,20})?"
    rf"|\b{_NUMBER} [a-zA-Z]{{2,20}}\b|\b(?:once|twice)(?: [a-zA-Z]{{1,20}}){{0,2}}",
    re.IGNORECASE,
)
_SPAN: Final = re.compile(
    rf"\b(?:\d{{1,4}}|{_NUMBER})(?: and a half)? (?:more )?"
    r"(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|decades?)\b"
    r"|\bsince (?:\d{4}|[A-Z][a-z]{2,8} \d{4})\b",
    re.IGNORECASE,
)
_OFTEN: Final = re.compile(
    r"\b(?:once|twice|\d{1,3} times|(?:two|three|four|five|several|a few) times)"
    r"(?: (?:a|per|every|each) [a-z]{3,10})?\b"
    r"|\b(?:every|each) (?:other |second |single )?[a-z]{3,10}\b"
    r"|\b(?:hourly|daily|weekly|monthly|yearly|annually|always|never)\b",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    r"never|not|no|except|\w{2,8}n['\u2019]t|cannot|jamais|pas|sauf", re.IGNORECASE
)
_MANY: Final = re.compile(r"\bhow many (?:more |other |different |of the )?([\w'-]{2,30})", re.I)
_LONG: Final = re.compile(r"\bhow long\b", re.IGNORECASE)
_FREQUENT: Final = re.compile(r"\bhow often\b", re.IGNORECASE)
_TIME_OF_DAY: Final = re.compile(r"\bwhat time\b", re.IGNORECASE)
#: Any time, also one of another clause.
TIME: Final = rf"\b{_MONTHS}\b|{_DATE.pattern}|{_CLOCK.pattern}|{_DAYS.pattern}|\b[a-z]{{3,6}}day\b"
_WHOSE_DATE: Final = re.compile(r"\b(?:what|which) (?:date|day|month|year)\b", re.IGNORECASE)
_NAMES: Final = re.compile(r"(?<=[a-z,] )[A-Z][\w-]{1,40}(?: [A-Z][\w-]{1,40}){0,3}")
_WHERE: Final = re.compile(
    r"\b(?:in|at|to|from|near|around|of|visit(?:ed|ing)?|left|leaving) "
    r"(?:the )?(?-i:([A-Z][\w'-]{1,40}(?: [A-Z][\w'-]{1,40}){0,3}))",
    re.IGNORECASE,
)
#: A piece of code in a sentence: a name in it is no person's.
_CODE: Final = re.compile(r"`[^`]{1,300}`")
_BEFORE_PLACE: Final = re.compile(r"\b(?:in|at|to|from|near|on|since|until|of)(?: the)? $", re.I)
_NO_NAMES: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december english french german spanish christmas"
    " easter".split()
)


def value_in(question: ReadQuestion, sentence: str, day: date | None) -> str:
    """The value in a sentence, said on a given day, that fits a question; empty where there is
    none. Without a day no relative date is resolved.
    """
    if question.wants == "time":
        return _time(question, sentence, day)
    if question.wants == "number":
        return _amount(question.text, sentence)
    if question.wants == "place":
        places = [
            Placed(found[1], found.start(), found.end())
            for found in _WHERE.finditer(sentence)
            if _is_new(found[1], question) and belongs(question, sentence, found.start())
        ]
        return nearest_to(question, sentence, places)
    if question.wants == "person":
        return next(
            (
                found[0]
                for found in _NAMES.finditer(_CODE.sub(_blank, sentence))
                if _is_new(found[0], question)
                and not found[0].isupper()
                and not _BEFORE_PLACE.search(sentence[: found.start()])
            ),
            "",
        )
    return ""


@dataclass(frozen=True, slots=True)
class _ToldTime(Placed):
    """A time in a sentence, and whether it was resolved from a relative date."""

    is_resolved: bool = False


_NO_TIME: Final = _ToldTime("", 0, 0)


def time_told(text: str, day: date, known: str = "") -> str:
    """The time that a text refers to: a date in it, or the resolved form of its relative date.

    Dates that are already ``known``, such as those of the question, tell nothing.
    """
    times = _times_told(text, day, known)
    resolved = (one for one in times if one.is_resolved)
    return next(resolved, next(iter(times), _NO_TIME)).value


def _times_told(text: str, day: date | None, known: str) -> list[_ToldTime]:
    """The times that a text refers to, in their order, with their places in it."""
    times = [
        _ToldTime(one[0], one.start(), one.end())
        for one in _DATE.finditer(text)
        if one[0].lower() not in known.lower()
    ]
    told = text if day is None else with_dates(text, day)
    added = 0  # characters that the resolved dates before this one take
    for one in RESOLVED.finditer(told):
        if f"({one[1]})" in text:
            continue
        place = one.start() - added
        added += len(one[0])
        if not is_denied(told[: one.start()].split()):
            begins = text.rfind(" ", 0, max(0, text.rfind(" ", 0, place))) + 1
            times.append(_ToldTime(one[1], begins, place, True))
    return sorted(times, key=lambda one: one.start)


def is_denied(words: Sequence[str]) -> bool:
    """Whether the words before a day deny it ("never on Friday"): it names no date then."""
    return any(_DENIES.fullmatch(word.strip(".,;:()")) for word in words[-4:-1])


def holds_value(question: ReadQuestion, sentence: str) -> bool:
    """Whether a sentence holds a time or an amount, where the question asks for one."""
    return question.wants in ("time", "number") and bool(
        value_in(question, sentence, date(2000, 1, 5))
    )


def _time(question: ReadQuestion, sentence: str, day: date | None) -> str:
    clock = _CLOCK.search(sentence)
    if _TIME_OF_DAY.search(question.text):
        return clock[0] if clock else ""
    times = _times_told(sentence, day, question.text)
    own = [one for one in times if belongs(question, sentence, one.start)]
    resolved = [one for one in own if one.is_resolved]
    dated = nearest_to(question, sentence, resolved or own)
    if dated or times or _WHOSE_DATE.search(question.text):
        return dated
    return " ".join(one[0] for one in (_DAYS.search(sentence), clock) if one)


def _amount(question: str, sentence: str) -> str:
    if _LONG.search(question):
        return _first(_SPAN, sentence)
    if _FREQUENT.search(question):
        return _first(_OFTEN, sentence)
    many = _MANY.search(question)
    if many is None:
        return _first(_AMOUNT, sentence)
    counted = term_of(many[1].lower())
    amounts = [found[0].strip() for found in _AMOUNT.finditer(sentence)]
    named = [one for one in amounts if counted in {term_of(word) for word in content_words_of(one)}]
    if named:
        return named[0]
    if counted == "time":
        return _first(_OFTEN, sentence)
    for found in _COUNTED.finditer(sentence):
        words = found[2].split()
        terms = [term_of(word.lower()) for word in words]
        if counted in terms:
            return " ".join([found[1], *words[: terms.index(counted) + 1]])
    return ""


def _blank(found: re.Match[str]) -> str:
    """As many spaces as what was found, so that places in the sentence stay."""
    return " " * len(found[0])


def _first(pattern: re.Pattern[str], sentence: str) -> str:
    found = pattern.search(sentence)
    return found[0].strip() if found else ""


def _is_new(name: str, question: ReadQuestion) -> bool:
    """Whether a name could answer: the question does not name it, and it is no day or month."""
    return name not in question.text and name.split(maxsplit=1)[0].lower() not in _NO_NAMES
