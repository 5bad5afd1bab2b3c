"""Go: packages are directories, and a method is declared beside its type, not inside it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from recollect.codegraph.facts import Import
from recollect.codegraph.languages.language import Language, Text

_QUERY: Final = """
(function_declaration) @function
(method_declaration) @function
(type_declaration (type_spec type: (struct_type)) @class)
(type_declaration (type_spec type: (interface_type)) @interface)
(type_declaration (type_spec type: [(type_identifier) (function_type) (map_type) (slice_type)
  (qualified_type) (pointer_type) (channel_type) (array_type)]) @class)
(call_expression) @call
(composite_literal type: [(type_identifier) (qualified_type)] @reference)
(argument_list [(identifier) (selector_expression)] @reference)
(parameter_declaration type: (type_identifier) @reference)
(parameter_declaration type: (qualified_type) @reference)
(import_spec) @import
(package_clause (package_identifier) @package)
(parameter_declaration name: (identifier)) @typed
(short_var_declaration) @typed
(var_spec) @typed
(source_file (var_declaration (var_spec name: (identifier) @global)))
(source_file (const_declaration (const_spec name: (identifier) @global)))
"""
_TYPE: Final = re.compile(r"^[&*\[\]]*([\w.]+)")


def _grammar() -> Any:
    import tree_sitter_go

    return tree_sitter_go.language()


def _imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    path = text(node.child_by_field_name("path")).strip('"`')
    named = node.child_by_field_name("name")
    alias = text(named) if named is not None else ""
    if alias == ".":
        yield Import(path, "*", "*", line)
    else:
        yield Import(path, "", alias if alias != "_" else "", line)


def _owner(node: Any, text: Text) -> str:
    if node.type != "method_declaration":
        return ""
    found = re.search(
        r"\b([A-Za-z_]\w*+)\s*+(?:\[[^\[\]]*+\]\s*+)?\)$",
        text(node.child_by_field_name("receiver")),
    )
    return found[1] if found else ""


def _bases(node: Any, text: Text) -> Sequence[str]:
    """Embedded types."""
    body = node.child_by_field_name("type")
    if body is None or body.type != "struct_type" or not body.named_children:
        return ()
    fields = body.named_children[0].named_children
    plain = [field for field in fields if field.type == "field_declaration"]
    return [
        text(field.child_by_field_name("type")).lstrip("*")
        for field in plain
        if field.child_by_field_name("name") is None and field.child_by_field_name("type")
    ]


def _returns(node: Any, text: Text) -> str:
    result = node.child_by_field_name("result")
    if result is None:
        return ""
    found = _TYPE.match(text(result).lstrip("("))
    return found[1] if found else ""


def _types(node: Any, text: Text) -> Iterable[tuple[str, str]]:
    type_node = node.child_by_field_name("type")
    if type_node is not None:
        found = _TYPE.match(text(type_node))
        for name in node.children_by_field_name("name"):
            if found:
                yield text(name), found[1]
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not left.named_children or not right.named_children:
        return
    variable, value = left.named_children[0], right.named_children[0]
    if value.type == "unary_expression" and value.named_children:
        value = value.named_children[0]
    if value.type == "composite_literal":
        found = _TYPE.match(text(value.child_by_field_name("type")))
        if found:
            yield text(variable), found[1]
    elif value.type == "call_expression":
        yield text(variable), text(value.child_by_field_name("function")) + "()"


GO: Final = Language(
    "go",
    (".go",),
    _grammar,
    _QUERY,
    imports=_imports,
    owner_of=_owner,
    bases_of=_bases,
    returns_of=_returns,
    types_of=_types,
)
