"""Details of an entry that an update leaves as they were.

"My flight got moved to 9:15" gives another hour to "my flight to Lisbon is on Friday at 7": the day
and the city still hold. A new statement that names nothing but the thing and its new value is read
as a change of that value, and the entry goes on with it.
"""

import re
from typing import Final

from recollect.chat.language.value_patterns import PLAIN_NUMBER, VALUES
from recollect.chat.updates.update_verdict import topic_of

#: What led to a change, before the change: "new timetable, so the gym is on Tuesdays now".
_LED_TO: Final = re.compile(r"^[^.]{3,60}?,? (?:so|du coup|donc) (?=\w)", re.IGNORECASE)
_LONGEST: Final = 30  # words of an entry that is still one fact
#: The absolute date that was added after a relative one.
_DATE_BESIDE: Final = re.compile(r" \([^()]{0,30}\d{4}\)")
#: A full hour without minutes: "at 7", "à 14", "moved to 9".
FULL_HOUR: Final = re.compile(r"(?<=\bat )\d{1,2}\b(?![:.h/]?\d)|(?<=\bà )\d{1,2}\b(?![:.h/]?\d)")
_DAY: Final = VALUES[2].pattern.removeprefix(r"\b").removesuffix(r"\b")
_SEVERAL_DAYS: Final = re.compile(
    rf"\b{_DAY}\b(?:(?:, | and | & | et |/){_DAY}\b){{0,6}}", re.IGNORECASE
)
_DATES, _HOURS, _WEEKDAYS, _MONTH_DAYS, _AMOUNTS = range(5)
#: A number with what it counts; its unit is the last word.
_AMOUNT: Final = re.compile(r"(\d[\d.,]{0,8}|[a-zà-ÿ]{2,8})( [^\W\d_]{1,12})$", re.IGNORECASE)


def carried_over(old: str, new: str) -> str | None:
    """The old statement with the values of a new one, if the new one says nothing else and would
    lose a detail; None otherwise.
    """
    new = _LED_TO.sub("", new)
    topic, before = topic_of(new), topic_of(old)
    if not topic or not topic <= before or len(old.split()) > _LONGEST:
        return None
    whole, exchanges, stays = old, False, bool(before - topic)
    for number, kind in enumerate(VALUES):
        was, now = _found(number, kind, old), _found(number, kind, new)
        if was is None:
            if now is not None and not _is_day_of(number, new, old):
                return None
        elif now is None:
            stays = True
        elif _unit(was[0]) != _unit(now[0]):
            return None
        elif was[0].lower() != now[0].lower():
            whole, exchanges = _exchanged(whole, was[0], _with_date(now, new)), True
    if not exchanges:
        whole = _bare_number(old, new) or old
    return whole if whole != old and stays else None


def _found(number: int, kind: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The value of a kind in a text: several days as one, an hour also without minutes."""
    if number == _WEEKDAYS:
        return _SEVERAL_DAYS.search(text)
    return kind.search(text) or (FULL_HOUR.search(text) if number == _HOURS else None)


def _is_day_of(number: int, new: str, old: str) -> bool:
    """Whether a date of the new statement goes with a weekday that is exchanged anyway."""
    both = VALUES[_WEEKDAYS].search(new) and VALUES[_WEEKDAYS].search(old)
    return number in (_DATES, _MONTH_DAYS) and both is not None and "(" in new


def _with_date(now: re.Match[str], new: str) -> str:
    """A value with the absolute date beside it."""
    date = _DATE_BESIDE.match(new, now.end())
    return now[0] + (date[0] if date else "")


def with_other_value(text: str, was: str, now: re.Match[str], new: str) -> str:
    """A text with another value, and the absolute date beside that in place of its own."""
    return _exchanged(text, was, _with_date(now, new))


def _exchanged(text: str, was: str, now: str) -> str:
    """A text with another value, without the absolute date beside the old one."""
    begin = text.index(was)
    rest = text[begin + len(was) :]
    date = _DATE_BESIDE.match(rest)
    return f"{text[:begin]}{now}{rest[date.end() :] if date else rest}"


def _bare_number(old: str, new: str) -> str | None:
    """The old statement with its only amount changed to the only number of a new one: "my rent
    went up to 850" keeps the euros.
    """
    amounts = list(VALUES[_AMOUNTS].finditer(old))
    numbers = PLAIN_NUMBER.findall(_DATE_BESIDE.sub("", new))
    if len(amounts) != 1 or len(numbers) != 1:
        return None
    amount = _AMOUNT.fullmatch(amounts[0][0])
    if amount is None or amount[1] == numbers[0]:
        return None
    return _exchanged(old, amounts[0][0], f"{numbers[0]}{amount[2]}")


def _unit(value: str) -> str:
    """The unit of a figure; empty if it has none or is a day."""
    unit = value.rsplit(" ", 1)[-1].lower().rstrip("s")
    return unit if " " in value and not unit.isdigit() and value[0].isdigit() else ""
