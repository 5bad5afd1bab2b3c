"""Parses one file: runs its language's query and sorts the captures into facts.

Only captures come out of the parser; their nesting is found by a sweep over their positions, so the
cost of a file follows its captures and never needs a walk over the whole tree.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from recollect.codegraph.facts import Call, Definition, Facts, Typed
from recollect.codegraph.languages.language import Language, Text

_CHAIN: Final = re.compile(r"[\w$@]+(?:\.[\w$]+)*\Z")
_TAIL: Final = re.compile(r"\.([\w$]+)\Z")
_LINKS: Final = re.compile(r"(?<!\s)\s*+(?:\?\.|->|::|!\.)\s*+")
_MADE: Final = re.compile(r"([\w$.]+)\([^()]*\)\.([\w$]+)\Z")
_LONGEST_NAME: Final = 200
_LONGEST_DOC: Final = 300
_MAX_HELD: Final = 100


@cache
def _parser_of(language: Language) -> tuple[Any, Any]:
    import tree_sitter

    grammar = tree_sitter.Language(language.grammar())
    return tree_sitter.Parser(grammar), tree_sitter.Query(grammar, language.query)


def read(language: Language, source: bytes) -> Facts:
    """The facts of a file; code that does not parse is skipped and reported."""
    import tree_sitter

    parser, query = _parser_of(language)
    tree = parser.parse(source)
    root = tree.root_node
    captures = {
        name: sorted(nodes, key=_position)  # in the order of the text, whatever the parser's is
        for name, nodes in tree_sitter.QueryCursor(query).captures(root).items()
    }

    def text(node: Any) -> str:
        if node is None:
            return ""
        return source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    starts = [0, *(found.end() for found in re.finditer(b"\n", source))]

    def line(node: Any) -> int:
        return bisect_right(starts, node.start_byte)

    facts = Facts(language.name, lines=len(starts))
    if root.has_error:
        facts.problem = "some of it does not parse"
    scopes = _definitions(language, captures, text, starts, facts)
    for node in captures.get("global", ()):
        facts.globals.append(text(node))
    _calls(language, captures, (text, line), scopes, facts)
    for node in captures.get("import", ()):
        facts.imports.extend(language.imports(node, text, line(node)))
    for node in captures.get("export", ()):
        facts.exports.append(text(node))
    packages = captures.get("package")
    if packages:
        facts.package = text(packages[0]).strip("\"'; ")
    language.finish(facts, root, text)
    return facts


def _position(node: Any) -> tuple[int, int]:
    start: int = node.start_byte
    return start, -node.end_byte


class _Scopes:
    """Finds the definition that encloses a position."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans
        self._stack: list[int] = []
        self._next = 0

    def at(self, position: int) -> int:
        """The innermost definition around a position; positions come in ascending order."""
        while self._next < len(self._spans) and self._spans[self._next][0] <= position:
            self._stack.append(self._next)
            self._next += 1
        while self._stack and self._spans[self._stack[-1]][1] <= position:
            self._stack.pop()
        return self._stack[-1] if self._stack else -1

    def again(self) -> "_Scopes":
        """The same spans, for another sweep from the first position."""
        return _Scopes(self._spans)


def _definitions(
    language: Language, captures: Any, text: Text, starts: list[int], facts: Facts
) -> _Scopes:
    found = [
        (node.start_byte, node.end_byte, kind, node)
        for kind in language.kinds
        for node in captures.get(kind, ())
    ]
    found.sort(key=lambda one: (one[0], -one[1]))
    docs = captures.get("doc", ())
    doc_starts = [node.start_byte for node in docs]
    stack: list[tuple[int, str, str]] = []
    spans: list[tuple[int, int]] = []
    for start, end, kind, node in found:
        name = language.name_of(node, text)[:_LONGEST_NAME]
        if not name or (spans and spans[-1] == (start, end)):
            continue
        while stack and stack[-1][0] <= start:
            stack.pop()
        owner = language.owner_of(node, text) or (stack[-1][1] if stack else "")
        inside = bool(owner) and (not stack or stack[-1][2] in {"class", "interface"})
        definition_kind = "method" if kind == "function" and inside else kind
        qualified = f"{owner}.{name}" if owner else name
        stack.append((end, qualified, kind))
        spans.append((start, end))
        place = bisect_right(doc_starts, start)
        doc = ""
        if kind != "module" and place < len(docs) and doc_starts[place] < end:
            doc = _first_words(text(docs[place]))
        facts.definitions.append(
            Definition(
                qualified,
                definition_kind,
                bisect_right(starts, start),
                bisect_right(starts, max(start, end - 1)),
                tuple(language.bases_of(node, text)) if kind in {"class", "interface"} else (),
                language.returns_of(node, text) if kind == "function" else "",
                doc,
            )
        )
    return _Scopes(spans)


def _calls(
    language: Language,
    captures: Any,
    reading: tuple[Text, Callable[[Any], int]],
    scopes: _Scopes,
    facts: Facts,
) -> None:
    text, line = reading
    seen: set[tuple[int, str]] = set()
    outside: list[tuple[int, str]] = []
    spots = [(node.start_byte, False, node) for node in captures.get("call", ())]
    spots += [(node.start_byte, True, node) for node in captures.get("reference", ())]
    spots += [(node.start_byte, True, node) for node in captures.get("member", ())]
    spots += [
        (node.start_byte, True, node)
        for node in captures.get("used", ())
        if text(node) in facts.globals
    ]
    spots.sort(key=lambda one: one[:2])
    inside = scopes.again()
    for position, reference, node in spots:
        scope = inside.at(position)
        name = chain(text(node) if reference else language.callee_of(node, text))
        if name and scope < 0:
            outside.append((position, name))
        if name and (scope, name) not in seen:
            seen.add((scope, name))
            facts.calls.append(Call(scope, name, line(node), reference))
    for node in captures.get("global", ()):
        first, last = (bisect_left(outside, (at, "")) for at in node.parent.byte_range)
        names = [name for _, name in outside[first:last] if name != text(node)]
        if names:
            facts.held.append((text(node), tuple(dict.fromkeys(names))[:_MAX_HELD]))
    inside = scopes.again()
    for node in captures.get("typed", ()):
        scope = inside.at(node.start_byte)
        for variable, definition_kind in language.types_of(node, text):
            named = chain(definition_kind)
            if named and len(variable) < _LONGEST_NAME:
                facts.types.append(Typed(scope, _normal(variable), named))


def chain(callee: str) -> str:
    """A callee as dotted names; ``?.name`` where the receiver of the call is unknown.

    ``x()`` at the end stands for the result of a call of ``x``.
    """
    if len(callee) > 4_000:
        return ""
    callee = _normal(callee)
    if _CHAIN.match(callee):
        return callee if len(callee) <= _LONGEST_NAME else ""
    if callee.endswith("()") and _CHAIN.match(callee[:-2]):
        return callee if len(callee) <= _LONGEST_NAME else ""
    made = _MADE.match(callee)
    if made and len(callee) <= _LONGEST_NAME:
        return f"{made[1]}().{made[2]}"
    tail = _TAIL.search(callee.removesuffix("()"))
    return f"?.{tail[1]}" if tail and len(tail[1]) <= _LONGEST_NAME else ""


def _normal(name: str) -> str:
    if name.isidentifier():
        return name
    name = _LINKS.sub(".", name)
    if "\n" in name or " " in name:
        name = re.sub(r"\s+", "", name)
    if name.startswith(("this.", "$this.", "cls.")):
        name = "self." + name.partition(".")[2]
    return name[1:] if name[:1] == "$" and name[1:2].isalpha() else name


def _first_words(doc: str) -> str:
    plain = " ".join(doc.strip().lstrip("rRbBuUfF").strip("\"'`/*#- \n\t").split())
    return plain[:_LONGEST_DOC]
