"""Passwords in a column: of a Markdown table, of a list with commas, of rows that SQL inserts.

The name of the column says password, the value is in the same column of a later row. A text is read
only if it contains a word for password, line by line, and every line once.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from recollect.trust.password_words import PASSWORDS, SHORT
from recollect.trust.secret_values import Secret, is_bare_word, is_literal, is_password
from recollect.vocabulary.lazy_patterns import lazy_pattern

KIND: Final = "password in a table"
_LABELS: Final = frozenset((*PASSWORDS, *SHORT))
_ROWS: Final = 200
_LONGEST_LINE: Final = 2_000
_INSERT: Final = lazy_pattern(
    r"(?i)\binsert\s{1,4}into\s{1,4}[\w.\"`\[\]]{1,80}\s{0,4}\((?P<names>[^()]{1,600})\)\s{0,8}"
    r"values\s{0,8}(?=\()"
)
_ROW: Final = lazy_pattern(r"\s{0,8},?\s{0,8}\((?P<values>[^()\n]{1,1000})\)")
_VALUE: Final = lazy_pattern(
    r"\s{0,4}(?:[NnEe]?'([^'\n]{0,400})'|\"([^\"\n]{0,400})\"|([^,'\"]{1,200}))"
)
_MAPPING: Final = lazy_pattern(r"(?i)passwords[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3}[{\[]")
_ENTRY: Final = lazy_pattern(
    r"\s{0,40},?\s{0,40}(?:[\w.@-]{1,60}\s{0,3}(?:=>|[:=])\s{0,3}"
    r"|[\"'][^\"'\n]{1,80}[\"']\s{0,3}(?:=>|[:=])\s{0,3})?[\"'](?P<value>[^\"'\n]{4,200})[\"']"
)
_SIGNS_OF_CELLS: Final = " \t*`\"'"


class _Cell(NamedTuple):
    text: str
    start: int


def find_listed(text: str, low: str, present: frozenset[str]) -> Iterator[Secret]:
    """Every password in a column of a table; ``low`` is the text in lower case, ``present`` the
    words in it.
    """
    if present.isdisjoint(_LABELS):
        return
    if "passwords" in low:
        yield from _mapped(text)
    if "insert" in low:
        yield from _inserted(text)
    if "\n" in text:
        yield from _in_columns(text, low, sorted(present.intersection(_LABELS)))


def _mapped(text: str) -> Iterator[Secret]:
    """The values of a mapping or a list that is called passwords."""
    for found in _MAPPING.finditer(text):
        entry = _ENTRY.match(text, found.end())
        while entry is not None:
            if is_password(entry["value"]):
                yield Secret(KIND, entry.start("value"), entry.end("value"))
            entry = _ENTRY.match(text, entry.end())


def _inserted(text: str) -> Iterator[Secret]:
    for found in _INSERT.finditer(text):
        names = [name.strip(' \t\r\n"`[]').lower() for name in found["names"].split(",")]
        places = [place for place, name in enumerate(names) if _is_label(name)]
        row = _ROW.match(text, found.end()) if places else None
        while row is not None:
            values = list(_VALUE.finditer(text, row.start("values"), row.end("values")))
            for place in places:
                quoted = values[place][1] or values[place][2] if place < len(values) else None
                if quoted and is_literal(quoted):
                    group = 1 if values[place][1] else 2
                    yield Secret(KIND, values[place].start(group), values[place].end(group))
            row = _ROW.match(text, row.end())


def _is_label(name: str) -> bool:
    """Whether the name of a column is a word for password, or ends with one."""
    if len(name) > 30 or name.endswith("hash"):
        return False
    last = name.replace("-", "_").rpartition("_")[2].rpartition(" ")[2]
    return last in _LABELS or name in _LABELS


def _in_columns(text: str, low: str, labels: list[str]) -> Iterator[Secret]:
    """The values below a header; a header's line is read once."""
    read = 0
    for at in sorted({at for label in labels for at in _places(low, label)}):
        begins = text.rfind("\n", 0, at) + 1
        ends = text.find("\n", at)
        if begins < read or ends < 0 or ends - begins > _LONGEST_LINE:
            continue
        read = ends
        for sign in "|,;\t":
            names = _cells(text, begins, ends, sign)
            places = [place for place, name in enumerate(names) if _is_label(name.text.lower())]
            if len(names) > 1 and places and all(len(name.text) <= 30 for name in names):
                read, found = _below(text, ends + 1, sign, len(names), places)
                yield from found
                break


def _places(low: str, label: str) -> Iterator[int]:
    at = low.find(label)
    while at >= 0:
        yield at
        at = low.find(label, at + len(label))


def _below(
    text: str, begins: int, sign: str, size: int, places: list[int]
) -> tuple[int, list[Secret]]:
    """The end of the rows below a header, and the passwords in them."""
    found: list[Secret] = []
    for _ in range(_ROWS):
        ends = text.find("\n", begins)
        ends = len(text) if ends < 0 else ends
        if ends - begins > _LONGEST_LINE:
            break
        cells = _cells(text, begins, ends, sign)
        if len(cells) != size:
            break
        for place in places:
            value = cells[place].text
            if is_password(value) or (sign != "," and is_bare_word(value)):
                found.append(Secret(KIND, cells[place].start, cells[place].start + len(value)))
        begins = ends + 1
        if begins >= len(text):
            break
    return begins, found


def _cells(text: str, begins: int, ends: int, sign: str) -> list[_Cell]:
    """The cells of a line, without surrounding characters."""
    cells: list[_Cell] = []
    line = text[begins:ends]
    if sign not in line:
        return cells
    at = begins
    for part in line.split(sign):
        inner = part.strip(_SIGNS_OF_CELLS)
        cells.append(_Cell(inner, at + part.index(inner) if inner else at))
        at += len(part) + 1
    return cells
