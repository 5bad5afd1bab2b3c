"""Edits JSON files in place: adds and removes entries without changing any other byte.

Spacing, order and line ends that people wrote are kept. An added entry is placed at the end of its
object or list; removing it restores exactly the previous text.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_SCALAR: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_INDENT: Final = "  "
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
EMPTY: Final = "{}\n"


@dataclass(slots=True)
class JsonNode:
    """A JSON value and its position in the text; for object members also where names begin."""

    start: int
    end: int = 0
    kind: str = ""
    value: Any = None
    starts: list[int] = field(default_factory=list)
    children: list["JsonNode"] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def get(self, name: str) -> "JsonNode | None":
        """Return a member; the last one of that name counts, as in other JSON readers."""
        for place in range(len(self.names) - 1, -1, -1):
            if self.names[place] == name:
                return self.children[place]
        return None


def parsed(text: str) -> JsonNode:
    """Parse a document into nodes; ``ValueError`` when it is not JSON."""
    json.loads(text)  # the strict parser decides what is JSON
    return _value(text, _skip(text, 0))


def plain(text: str, node: JsonNode) -> Any:
    """Python value of a node."""
    return json.loads(text[node.start : node.end])


def put_member(text: str, path: Sequence[str], name: str, value: str) -> str:
    """Add a member to the object at a path, after the others."""
    return _put(text, _at(text, path), f"{json.dumps(name)}: {value}")


def put_item(text: str, path: Sequence[str], value: str) -> str:
    """Add an item to the list at a path, after the others."""
    return _put(text, _at(text, path), value)


def take_out(text: str, path: Sequence[str], unwanted: Callable[[str, Any], bool]) -> str:
    """Remove the members or items at a path for which the test of name and value holds."""
    while True:
        node = _find(text, path)
        if node is None:
            return text
        names = node.names or [""] * len(node.children)
        for place, (name, child) in enumerate(zip(names, node.children, strict=True)):
            if unwanted(name, plain(text, child)):
                text = _taken(text, node, place)
                break
        else:
            return text


def has(text: str, path: Sequence[str]) -> bool:
    """Whether a value exists at a path."""
    return _find(text, path) is not None


def _find(text: str, path: Sequence[str]) -> JsonNode | None:
    node: JsonNode | None = parsed(text)
    for name in path:
        node = node.get(name) if node is not None else None
    return node


def _at(text: str, path: Sequence[str]) -> JsonNode:
    node = _find(text, path)
    if node is None:
        raise ValueError(f"there is no {'.'.join(path)}")
    return node


def _put(text: str, node: JsonNode, piece: str) -> str:
    indent = _line_indent(text, node.start)
    if node.children:
        gap = text[node.start + 1 : node.starts[0]]
        between = gap if "\n" in gap else " "
        inner = between.rsplit("\n", 1)[-1] if "\n" in between else indent + _INDENT
        where = node.children[-1].end
        return f"{text[:where]},{between}{_indented(piece, inner)}{text[where:]}"
    inner = indent + _INDENT
    where = node.start + 1
    added = f"\n{inner}{_indented(piece, inner)}\n{indent}"
    return text[:where] + added + text[where:]


def _taken(text: str, node: JsonNode, place: int) -> str:
    start, end = node.starts[place], node.children[place].end
    if place > 0:
        return text[: node.children[place - 1].end] + text[end:]
    if len(node.children) > 1:
        return text[:start] + text[node.starts[1] :]
    indent = _line_indent(text, node.start)
    before, after = f"\n{indent}{_INDENT}", f"\n{indent}"
    if text[node.start + 1 : start] == before and text[end:].startswith(after):
        return text[: node.start + 1] + text[end + len(after) :]
    return text[:start] + text[end:]


def _indented(piece: str, indent: str) -> str:
    return piece.replace("\n", f"\n{indent}")


def _line_indent(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _value(text: str, place: int) -> JsonNode:
    sign = text[place]
    if sign == '"':
        return JsonNode(place, _string_end(text, place), "string")
    if sign in "{[":
        return _container(text, place, sign == "{")
    found = _SCALAR.match(text, place)
    if found is None:
        raise ValueError(f"no JSON at {place}")
    return JsonNode(place, found.end(), "scalar")


def _container(text: str, place: int, named: bool) -> JsonNode:
    node = JsonNode(place, kind="object" if named else "list")
    closing = "}" if named else "]"
    place = _skip(text, place + 1)
    while text[place] != closing:
        if text[place] == ",":
            place = _skip(text, place + 1)
        node.starts.append(place)
        if named:
            end = _string_end(text, place)
            node.names.append(json.loads(text[place:end]))
            place = end
            place = _skip(text, _skip(text, place) + 1)
        child = _value(text, place)
        node.children.append(child)
        place = _skip(text, child.end)
    node.end = place + 1
    return node


def _string_end(text: str, place: int) -> int:
    found = _STRING.match(text, place)
    if found is None:
        raise ValueError(f"no string at {place}")
    return found.end()
