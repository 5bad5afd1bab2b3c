"""JavaScript, TypeScript and TSX: one family with two queries."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

from recollect.codegraph.facts import Facts, Import
from recollect.codegraph.languages.language import Language, Text

_COMMON: Final = """
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @function
(variable_declarator name: (identifier) value: [(arrow_function) (function_expression)]) @function
(call_expression) @call
(new_expression) @call
(import_statement) @import
(export_statement source: (string)) @import
(arguments [(identifier) (member_expression)] @reference)
(pair value: (identifier) @reference)
(shorthand_property_identifier) @reference
(array (identifier) @reference)
(variable_declarator value: (identifier) @reference)
(variable_declarator name: (identifier) value: (new_expression)) @typed
(program (lexical_declaration (variable_declarator name: (identifier) @global)))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @global))))
(call_expression function: (identifier) @_require arguments: (arguments . (string))
  (#eq? @_require "require")) @import
(call_expression function: (import) arguments: (arguments . (string))) @import
"""

_JAVASCRIPT: Final = """
(class) @class
(field_definition property: (property_identifier) value: (arrow_function)) @function
(jsx_opening_element name: [(identifier) (member_expression)] @reference)
(jsx_self_closing_element name: [(identifier) (member_expression)] @reference)
"""

_TYPESCRIPT: Final = """
(abstract_class_declaration) @class
(interface_declaration) @interface
(type_alias_declaration) @interface
(enum_declaration) @class
(internal_module) @module
(function_signature) @function
(method_signature) @function
(abstract_method_signature) @function
(public_field_definition name: (property_identifier) value: (arrow_function)) @function
(type_annotation [(type_identifier) (nested_type_identifier)] @reference)
(type_arguments (type_identifier) @reference)
(required_parameter pattern: (identifier) type: (type_annotation (type_identifier))) @typed
(import_require_clause) @import
(lexical_declaration (variable_declarator name: (identifier) type: (type_annotation))) @typed
"""

_TSX: Final = """
(jsx_opening_element name: [(identifier) (member_expression)] @reference)
(jsx_self_closing_element name: [(identifier) (member_expression)] @reference)
"""


def _javascript() -> Any:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def _typescript() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> Any:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def _name(node: Any, text: Text) -> str:
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    return text(named).strip("\"'[]") if named is not None else ""


def _quoted(node: Any, text: Text) -> str:
    return text(node).strip("\"'`")


def _imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    if node.type == "call_expression":
        listed = node.child_by_field_name("arguments").named_children
        yield from _required(node, _quoted(listed[0], text), text, line)
        return
    source = node.child_by_field_name("source") or _first_string(node)
    if source is None:
        return
    module = _quoted(source, text)
    if node.type == "export_statement":
        yield from _exports(node, module, text, line)
        return
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    if node.type == "import_require_clause":
        yield Import(module, "", text(node.named_children[0]), line)
        return
    if clause is None:
        yield Import(module, "", "", line)
        return
    yield from _clause(clause, module, text, line)


def _first_string(node: Any) -> Any:
    below = (part for child in node.named_children for part in (child, *child.named_children))
    return next((part for part in below if part.type == "string"), None)


def _clause(clause: Any, module: str, text: Text, line: int) -> Iterable[Import]:
    yield Import(module, "", "", line)
    for part in clause.named_children:
        if part.type == "identifier":
            yield Import(module, "default", text(part), line)
        elif part.type == "namespace_import":
            yield Import(module, "", text(part.named_children[-1]), line)
        elif part.type == "named_imports":
            for one in part.named_children:
                named = one.child_by_field_name("name")
                if named is not None:
                    alias = one.child_by_field_name("alias") or named
                    yield Import(module, text(named), text(alias), line)


def _required(node: Any, module: str, text: Text, line: int) -> Iterable[Import]:
    """``const x = require("m")`` and ``const {a, b: c} = require("m")``."""
    holder = node.parent
    while holder is not None and holder.type in {"await_expression", "member_expression"}:
        holder = holder.parent
    name = holder.child_by_field_name("name") if holder is not None else None
    yield Import(
        module, "", text(name) if name is not None and name.type == "identifier" else "", line
    )
    if name is not None and name.type == "object_pattern":
        for one in name.named_children:
            if one.type == "shorthand_property_identifier_pattern":
                yield Import(module, text(one), text(one), line)
            elif one.type == "pair_pattern":
                key, value = one.child_by_field_name("key"), one.child_by_field_name("value")
                if value.type == "identifier":
                    yield Import(module, text(key), text(value), line)


def _exports(node: Any, module: str, text: Text, line: int) -> Iterable[Import]:
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    space = next((child for child in node.named_children if child.type == "namespace_export"), None)
    if space is not None:
        yield Import(module, "", text(space.named_children[-1]), line, True)
    elif clause is None:
        yield Import(module, "*", "*", line, True)
    else:
        yield Import(module, "", "", line, True)
        for one in clause.named_children:
            named = one.child_by_field_name("name")
            alias = one.child_by_field_name("alias") or named
            yield Import(module, text(named), text(alias), line, True)


def _bases(node: Any, text: Text) -> Sequence[str]:
    found = []
    for child in node.named_children:
        if child.type in {"class_heritage", "extends_type_clause"}:
            for part in [child, *child.named_children]:
                for one in part.named_children:
                    if one.type in {"identifier", "type_identifier", "member_expression"}:
                        found.append(text(one))
                    elif one.type in {"generic_type"}:
                        found.append(text(one.named_children[0]))
    return list(dict.fromkeys(found))


def _callee(node: Any, text: Text) -> str:
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    return text(called) if called is not None else ""


def _types(node: Any, text: Text) -> Iterable[tuple[str, str]]:
    for part in [node, *node.named_children]:
        name = part.child_by_field_name("name") or part.child_by_field_name("pattern")
        if name is None or name.type != "identifier":
            continue
        type_node = part.child_by_field_name("type")
        if type_node is not None and type_node.named_children:
            yield text(name), text(type_node.named_children[0]).split("<")[0]
            return
        value = part.child_by_field_name("value")
        if value is not None and value.type == "new_expression":
            yield text(name), text(value.child_by_field_name("constructor"))
            return


def _finish(facts: Facts, root: Any, text: Text) -> None:
    """Resolve ``export default``, and names exported under another name."""
    for child in root.named_children:
        if child.type != "export_statement" or child.child_by_field_name("source") is not None:
            continue
        value = child.child_by_field_name("value")
        declared = child.child_by_field_name("declaration")
        if any(part.type == "default" for part in child.children):
            named = value if value is not None else declared
            if named is not None and named.type == "identifier":
                facts.exports.append(f"default={text(named)}")
            elif named is not None and named.child_by_field_name("name") is not None:
                facts.exports.append(f"default={text(named.child_by_field_name('name'))}")
        clause = next((one for one in child.named_children if one.type == "export_clause"), None)
        for one in clause.named_children if clause is not None else ():
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            if name is not None and alias is not None:
                facts.exports.append(f"{text(alias)}={text(name)}")


_language: Final = partial(
    Language,
    imports=_imports,
    name_of=_name,
    bases_of=_bases,
    callee_of=_callee,
    types_of=_types,
    finish=_finish,
)
JAVASCRIPT: Final = _language(
    "javascript", (".js", ".jsx", ".mjs", ".cjs"), _javascript, _COMMON + _JAVASCRIPT
)
TYPESCRIPT: Final = _language(
    "typescript", (".ts", ".mts", ".cts"), _typescript, _COMMON + _TYPESCRIPT
)
TSX: Final = _language("tsx", (".tsx",), _tsx, _COMMON + _TYPESCRIPT + _TSX)
