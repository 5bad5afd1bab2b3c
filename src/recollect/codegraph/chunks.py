"""Splits a file into searchable chunks: whole functions, class heads, sections, or some lines.

Each file also has an *outline*: its path, its symbols and their first words. The outline is the
second field of the search, and is shown when a file is found by its names.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from recollect.codegraph.facts import Definition, Facts
from recollect.vocabulary.code import FileRole

LINES: Final = 100
_MAX_LINES: Final = 400
_LONGEST: Final = 24_000
_FEW_LINES: Final = 3
_OUTLINE: Final = 12_000
_DATA_CHUNKS: Final = 20
_HEADING: Final = re.compile(r"^(#{1,6})[ \t]++(.+)$|^(.+)\n[=\-~^]{3,}+[ \t\r]*+$", re.M)


class Piece(NamedTuple):
    """A chunk before it has an id."""

    kind: str
    name: str
    heading: str
    start: int
    end: int
    text: str


def pieces_of(path: str, facts: Facts, text: str, role: FileRole) -> list[Piece]:
    """All chunks of a file, the outline first."""
    lines = text.splitlines()
    found = [_outline(path, facts)]
    if role in {FileRole.GENERATED, FileRole.VENDORED}:
        return found
    if facts.language:
        found += _code(path, facts, lines)
    elif role is FileRole.PROSE:
        found += _prose(path, lines)
    else:
        found += list(_slices(path, "", lines, (0, len(lines))))[:_DATA_CHUNKS]
    return found


def _outline(path: str, facts: Facts) -> Piece:
    outline_lines = [
        f"{definition.kind} {definition.name}" + (f": {definition.doc}" if definition.doc else "")
        for definition in facts.definitions
    ]
    outline_lines += facts.globals
    return Piece(
        "outline", "", path, 1, max(1, facts.lines), "\n".join([path, *outline_lines])[:_OUTLINE]
    )


def _code(path: str, facts: Facts, lines: Sequence[str]) -> Iterator[Piece]:
    """Chunks of code: short top-level definitions whole, long classes by their methods."""
    covered = 0
    top = [one for one in facts.definitions if one.kind != "module"]
    by_end = 0
    for place, definition in enumerate(top):
        if definition.end <= by_end:
            continue
        start = max(definition.start, covered + 1)
        yield from _slices(path, "", lines, (covered, start - 1))
        if definition.end - start < LINES or definition.kind not in {"class", "interface"}:
            yield from _slices(
                path, definition.name, lines, (start - 1, definition.end), definition
            )
        else:
            yield from _members(path, definition, top[place + 1 :], lines, start)
        covered = by_end = max(covered, definition.end)
    yield from _slices(path, "", lines, (covered, len(lines)))


def _members(
    path: str,
    owner: Definition,
    rest: Sequence[Definition],
    lines: Sequence[str],
    start: int,
) -> Iterator[Piece]:
    covered = start - 1
    for member in rest:
        if member.start > owner.end:
            break
        if member.start <= covered or member.end > owner.end:
            continue
        yield from _slices(path, owner.name, lines, (covered, member.start - 1))
        yield from _slices(path, member.name, lines, (member.start - 1, member.end), member)
        covered = member.end
    yield from _slices(path, owner.name, lines, (covered, owner.end))


def _slices(
    path: str,
    name: str,
    lines: Sequence[str],
    span: tuple[int, int],
    definition: Definition | None = None,
) -> Iterator[Piece]:
    """Lines of the span (counted from 0) in pieces, without blank and very short ones."""
    first, last = span
    most = LINES if definition is None else _MAX_LINES
    kind = definition.kind if definition else ("class" if name else "lines")
    for start in range(first, last, most):
        end = min(last, start + most)
        text = "\n".join(lines[start:end])[:_LONGEST]
        if not text.strip() or (kind == "lines" and end - start < _FEW_LINES and len(text) < 80):
            continue
        heading = f"{path} > {name.replace('.', ' > ')}" if name else path
        yield Piece(kind, name, heading, start + 1, end, text)


def _prose(path: str, lines: Sequence[str]) -> Iterator[Piece]:
    text = "\n".join(lines)
    starts = [(0, "")]
    starts += [
        (text.count("\n", 0, found.start()), (found[2] or found[3] or "").strip())
        for found in _HEADING.finditer(text)
    ]
    for place, (start, title) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        for piece in _slices(path, "", lines, (start, end)):
            heading = f"{path} > {title}" if title else path
            yield piece._replace(kind="section", name=title[:200], heading=heading[:400])
