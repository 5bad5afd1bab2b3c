"""Translates an ``re`` pattern into an RE2 pattern that matches at least wherever it does.

RE2 has no look-around, no possessive repeats and no back-references. Leaving out the first,
relaxing the second and taking anything for the third gives such a pattern. The result says whether
nothing had to be left out.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as sre
from re import _parser
from typing import Any, Final

#: Repeats of at least this many are treated as unlimited: counting is very expensive in RE2.
_MANY: Final = 128
_MAX_TIMES: Final = 1_000
_ASCII: Final = tuple(map(chr, range(128)))
#: Sample characters of every kind beyond ASCII: a class is taken to treat its kind alike.
BEYOND: Final = (
    "\u00e9\u00df\u0436\u4e2d\u0660\u00b2\u00a0\u2003\u2028\u2019\u201c\u2026\u200b\u0301"
    "\U0001f600\ufeff"
)
#: A plain number: asked of one, a flag of ``re`` is made anew each time.
_IGNORING_CASE: Final = int(re.IGNORECASE)
_REPEATS: Final = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_SINGLE: Final = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)
StandIn = Callable[[str], str]


def tree_of(written: str | bytes, flags: int = 0) -> Any:
    """The parsed pattern, with its flags in ``tree.state.flags``."""
    return _parser.parse(written, flags)


def is_single(operation: Any) -> bool:
    """Whether a node matches exactly one character."""
    return bool(operation in _SINGLE)


def takes(operation: Any, value: Any, character: str, flags: int) -> bool:
    """Whether a one-character node matches this character."""
    if operation is sre.ANY:
        return character != "\n" or bool(flags & re.DOTALL)
    if flags & _IGNORING_CASE:
        return any(
            _takes(operation, value, one)
            for one in {character, character.lower(), character.upper()}
        )
    return _takes(operation, value, character)


def _takes(operation: Any, value: Any, character: str) -> bool:
    if len(character) != 1:
        return False
    if operation is sre.LITERAL:
        return bool(ord(character) == value)
    if operation is sre.NOT_LITERAL:
        return bool(ord(character) != value)
    members = value[1:] if value[0][0] is sre.NEGATE else value
    return any(_member(kind, what, character) for kind, what in members) is (members is value)


def _member(kind: Any, what: Any, character: str) -> bool:
    if kind is sre.LITERAL:
        return bool(ord(character) == what)
    if kind is sre.RANGE:
        return bool(what[0] <= ord(character) <= what[1])
    return _of_category(what, character)


def _of_category(category: Any, character: str) -> bool:
    name = str(category)
    inside = (
        character.isspace()
        if name.endswith("SPACE")
        else character.isdecimal()
        if name.endswith("DIGIT")
        else character.isalnum() or character == "_"
    )
    return inside is not ("NOT" in name)


def characters_named(operation: Any, value: Any) -> set[str]:
    """The characters that a node names one by one, and the ends of its ranges."""
    if operation in (sre.LITERAL, sre.NOT_LITERAL):
        return {chr(value)}
    if operation is not sre.IN:
        return set()
    found = {chr(what) for kind, what in value if kind is sre.LITERAL}
    return found | {chr(end) for kind, what in value if kind is sre.RANGE for end in what}


class Translation:
    """The RE2 pattern for the ASCII copy of a text, and whether it is exact."""

    def __init__(self, tree: Any, stand_in: StandIn, group: int | None = None) -> None:
        self._stand_in = stand_in
        self._group = group
        self._groups: dict[int, str] = {}
        self.exact = True
        flags = tree.state.flags
        self.written = ("(?i)" if flags & re.IGNORECASE else "") + self._whole(tree, flags)

    def _whole(self, tree: Any, flags: int) -> str:
        nodes = list(tree)
        after = self._character_after(nodes[-1], flags) if nodes else None
        if after is None:
            return self._sequence(nodes, flags)
        self.exact = False
        return self._sequence(nodes[:-1], flags) + after

    def _character_after(self, node: tuple[Any, Any], flags: int) -> str | None:
        """A final look-ahead for one character, translated to consume it; nothing follows it."""
        operation, value = node
        if operation not in (sre.ASSERT, sre.ASSERT_NOT) or value[0] < 0 or len(value[1]) != 1:
            return None
        inner, what = value[1][0]
        if inner is not sre.IN or any(map(_takes_any_beyond, (what,))):
            return None
        if operation is sre.ASSERT:
            return _class(inner, what, flags, self._stand_in)
        turned = what[1:] if what[0][0] is sre.NEGATE else [(sre.NEGATE, None), *what]
        return f"(?:{_class(inner, turned, flags, self._stand_in)}|\\z)"

    def _sequence(self, nodes: Iterable[tuple[Any, Any]], flags: int) -> str:
        return "".join(self._node(operation, value, flags) for operation, value in nodes)

    def _node(self, operation: Any, value: Any, flags: int) -> str:
        if is_single(operation):
            return _class(operation, value, flags, self._stand_in)
        if operation in _REPEATS:
            return self._repeat(operation, value, flags)
        if operation is sre.BRANCH:
            return f"(?:{'|'.join(self._sequence(one, flags) for one in value[1])})"
        if operation is sre.SUBPATTERN:
            return self._subpattern(value, flags)
        if operation is sre.AT:
            self.exact &= value not in (sre.AT_END, sre.AT_END_STRING)
            return _place(value, flags)
        self.exact = False
        if operation is sre.ATOMIC_GROUP:
            return f"(?:{self._sequence(value, flags)})"
        if operation in (sre.ASSERT, sre.ASSERT_NOT):
            return ""
        return self._groups.get(value, "")  # what was matched before, or something like it

    def _subpattern(self, value: Any, flags: int) -> str:
        group, added, removed, inner = value
        character = "i" if added & re.IGNORECASE else "-i" if removed & re.IGNORECASE else ""
        inside = f"(?{character}:{self._sequence(inner, (flags | added) & ~removed)})"
        if group is not None:
            self._groups[group] = inside
        return f"({inside})" if group is not None and group == self._group else inside

    def _repeat(self, operation: Any, value: Any, flags: int) -> str:
        least, most, inner = value
        endless = most is sre.MAXREPEAT
        relaxed = not endless and (most > _MAX_TIMES or (most >= _MANY and len(inner) == 1))
        self.exact &= operation is not sre.POSSESSIVE_REPEAT and least <= _MAX_TIMES and not relaxed
        upper = "" if endless or relaxed else str(most)
        lazy = "?" if relaxed or operation is sre.MIN_REPEAT else ""
        return f"(?:{self._sequence(inner, flags)}){{{min(least, _MAX_TIMES)},{upper}}}{lazy}"


def _takes_any_beyond(value: Any) -> bool:
    """Whether a class names characters beyond ASCII, whose ASCII replacements others share."""
    return any(not character.isascii() for character in characters_named(sre.IN, value))


def _place(value: Any, flags: int) -> str:
    if value is sre.AT_BEGINNING:
        return "(?m:^)" if flags & re.MULTILINE else r"\A"
    if value is sre.AT_END:
        return "(?m:$)" if flags & re.MULTILINE else r"(?:\n?\z)"
    places = {sre.AT_BEGINNING_STRING: r"\A", sre.AT_END_STRING: r"\z"}
    return places.get(value, r"\b" if value is sre.AT_BOUNDARY else r"\B")


def _class(operation: Any, value: Any, flags: int, stand_in: StandIn) -> str:
    """The ASCII characters that a node matches, and the replacements of all others it matches."""
    if operation is sre.LITERAL:
        return re.escape(stand_in(chr(value)))
    if operation is sre.ANY:
        return "(?s:.)" if flags & re.DOTALL else "[^\\n]"
    return _written_class(operation, tuple(value) if operation is sre.IN else value, stand_in)


@lru_cache(maxsize=512)
def _written_class(operation: Any, value: Any, stand_in: StandIn) -> str:
    taken = {character for character in _ASCII if _takes(operation, value, character)}
    others = characters_named(operation, value) | set(BEYOND)
    taken |= {stand_in(character) for character in others if _takes(operation, value, character)}
    if len(taken) == 1:
        return re.escape(next(iter(taken)))
    return f"[{_ranges(sorted(map(ord, taken)))}]" if taken else r"[^\x00-\xff]"


def _ranges(points: list[int]) -> str:
    found: list[tuple[int, int]] = []
    for point in points:
        if found and found[-1][1] == point - 1:
            found[-1] = (found[-1][0], point)
        else:
            found.append((point, point))
    return "".join(
        f"\\x{low:02x}" if low == high else f"\\x{low:02x}-\\x{high:02x}" for low, high in found
    )
