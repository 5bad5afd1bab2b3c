"""Text formatting: times, sizes, counts, lists, and texts cut to a line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from recollect.vocabulary.ids import SHORT

_STEPS: Final = (
    (60, 1, "second"),
    (3_600, 60, "minute"),
    (86_400, 3_600, "hour"),
    (86_400 * 14, 86_400, "day"),
    (86_400 * 60, 86_400 * 7, "week"),
)
_CONTROLS: Final = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),  # overrides
}
_WORD: Final = re.compile(r"\w+")


def visible(text: str) -> str:
    """Text without terminal control characters and without overrides of the writing direction."""
    return text if text.isprintable() else text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """The text on one line."""
    return visible(" ".join(text.split()))


def shortened(text: str, length: int) -> str:
    """The beginning of a text, on one line."""
    line = one_line(text)
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def counted(number: int, one: str, many: str | None = None) -> str:
    """'1 memory', '1,200 memories'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def size(number: int) -> str:
    """'512 bytes', '1.2 MB'."""
    if number < 1_000:
        return counted(number, "byte")
    power = 1 if number < 999_500 else 2 if number < 999_500_000 else 3
    value = number / 1_000**power
    unit = ("", "kB", "MB", "GB")[power]
    return f"{value:.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"


def lasted(seconds: float) -> str:
    """'0.3 s', '5 minutes', '2 hours'."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return _in_units(seconds)


def stamp(moment: datetime) -> str:
    """Time in machine format, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ago(moment: datetime, now: datetime) -> str:
    """'just now', '5 minutes ago', 'in 3 days', and the date when it is long ago."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) < 10:
        return "just now"
    if abs(seconds) >= _STEPS[-1][0]:
        return f"{moment.astimezone(UTC).day} {moment.astimezone(UTC):%B %Y}"
    span = _in_units(abs(seconds))
    return f"{span} ago" if seconds > 0 else f"in {span}"


def bar(share: float, width: int = 5) -> str:
    """Share of one as a small bar."""
    full = round(max(0.0, min(1.0, share)) * width)
    return "▰" * full + "▱" * (width - full)


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Ends of ids, longer where two would look alike."""
    known = list(dict.fromkeys(ids))
    length = SHORT
    while len({name[-length:] for name in known}) < len(known):
        length += 2
    return {name: name[-length:] for name in known}


def marked(text: str, query: str) -> Iterator[tuple[str, bool]]:
    """Split a text into pieces, each with whether it is a word of the query, in any ending."""
    stems = {_stem(word) for word in _WORD.findall(query.casefold()) if len(word) > 2}
    end = 0
    for found in _WORD.finditer(text):
        if len(found.group()) > 2 and _stem(found.group().casefold()) in stems:
            if found.start() > end:
                yield text[end : found.start()], False
            yield found.group(), True
            end = found.end()
    if end < len(text):
        yield text[end:], False


def _stem(word: str) -> str:
    """Approximate stem of a word; only for display, search has its own."""
    for ending in ("ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word


def _in_units(seconds: float) -> str:
    for limit, unit, name in _STEPS:
        if seconds < limit:
            return counted(int(seconds // unit), name)
    return counted(int(seconds // 86_400), "day")
