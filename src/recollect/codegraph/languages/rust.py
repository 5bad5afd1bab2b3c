"""Rust: modules by ``mod``, names by ``use`` trees, methods in ``impl`` blocks."""

import re
from collections.abc import Iterable
from typing import Any, Final

from recollect.codegraph.facts import Facts, Import
from recollect.codegraph.languages.language import Language, Text

_QUERY: Final = """
(function_item) @function
(function_signature_item) @function
(struct_item) @class
(enum_item) @class
(union_item) @class
(trait_item) @interface
(type_item) @interface
(macro_definition) @function
(mod_item body: (_)) @module
(mod_item !body) @import
(use_declaration) @import
(call_expression) @call
(macro_invocation) @call
(struct_expression) @call
(arguments [(identifier) (scoped_identifier)] @reference)
(parameter) @typed
(let_declaration) @typed
(source_file (const_item name: (identifier) @global))
(source_file (static_item name: (identifier) @global))
"""
_TYPE: Final = re.compile(r"^(?:&|mut |'\w+ |dyn |Box<|Arc<|Rc<|Option<|\s)*([\w:]+)")


def _grammar() -> Any:
    import tree_sitter_rust

    return tree_sitter_rust.language()


def _imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    public = any(child.type == "visibility_modifier" for child in node.children)
    if node.type == "mod_item":
        name = text(node.child_by_field_name("name"))
        yield Import(f"mod {name}", "", name, line, public)
        return
    tree = text(node.child_by_field_name("argument"))
    for path, alias in use_tree(re.sub(r"//[^\n]*", "", tree)):
        head, _, last = path.rpartition("::")
        if last == "*":
            yield Import(head, "*", "*", line, public)
        elif last == "self":
            module, _, name = head.rpartition("::")
            yield Import(module, name, alias or name, line, public)
        else:
            yield Import(head, last, alias or last, line, public)


def use_tree(tree: str) -> Iterable[tuple[str, str]]:
    """Every path that a use tree imports, with the name given to it."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, alias = tree.partition(" as ")
        if path.strip():
            yield path.strip(), alias.strip()
        return
    prefix, inside = tree[:brace], tree[brace + 1 : tree.rfind("}")]
    depth, start = 0, 0
    parts = []
    for place, character in enumerate(inside):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(inside[start:place])
            start = place + 1
    for part in [*parts, inside[start:]]:
        for path, alias in use_tree(part):
            yield prefix.strip() + path, alias


def _owner(node: Any, text: Text) -> str:
    """The type of an ``impl`` block."""
    if node.type not in {"function_item", "function_signature_item"} or node.parent is None:
        return ""
    block = node.parent.parent
    if block is None or block.type != "impl_item":
        return ""
    found = _TYPE.match(text(block.child_by_field_name("type")))
    return found[1].rpartition("::")[2] if found else ""


def _returns(node: Any, text: Text) -> str:
    type_node = node.child_by_field_name("return_type")
    found = _TYPE.match(text(type_node).removeprefix("Result<")) if type_node is not None else None
    return found[1] if found else ""


def _callee(node: Any, text: Text) -> str:
    for field in ("function", "macro", "name"):
        called = node.child_by_field_name(field)
        if called is not None:
            if called.type == "generic_function":
                called = called.child_by_field_name("function")
            return text(called)
    return ""


def _types(node: Any, text: Text) -> Iterable[tuple[str, str]]:
    pattern, type_node = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    if pattern is None or pattern.type != "identifier":
        return
    if type_node is not None:
        found = _TYPE.match(text(type_node))
        if found:
            yield text(pattern), found[1]
        return
    value = node.child_by_field_name("value")
    while value is not None and value.type in {
        "try_expression",
        "await_expression",
        "reference_expression",
    }:
        value = value.named_children[0] if value.named_children else None
    if value is not None and value.type == "call_expression":
        yield text(pattern), text(value.child_by_field_name("function")) + "()"
    elif value is not None and value.type == "struct_expression":
        yield text(pattern), text(value.child_by_field_name("name"))


def _finish(facts: Facts, root: Any, text: Text) -> None:
    """Assign the bases in ``impl Trait for Type`` to the type."""
    traits: dict[str, list[str]] = {}
    for child in root.named_children:
        if child.type == "impl_item" and child.child_by_field_name("trait") is not None:
            held = _TYPE.match(text(child.child_by_field_name("type")))
            type_node = _TYPE.match(text(child.child_by_field_name("trait")))
            if held and type_node:
                named = held[1].rpartition("::")[2]
                traits.setdefault(named, []).append(type_node[1].replace("::", "."))
    facts.definitions = [
        one._replace(bases=tuple(traits[one.name])) if one.name in traits else one
        for one in facts.definitions
    ]


RUST: Final = Language(
    "rust",
    (".rs",),
    _grammar,
    _QUERY,
    imports=_imports,
    owner_of=_owner,
    returns_of=_returns,
    callee_of=_callee,
    types_of=_types,
    finish=_finish,
)
