"""Java, C#, PHP, Ruby, C and C++: queries, and a few shared readers."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from recollect.codegraph.facts import Import
from recollect.codegraph.languages.language import Language, Text

_TYPE: Final = re.compile(r"^(?:const |static |final |\s)*([\w:.\\]+)")


def _java() -> Any:
    import tree_sitter_java

    return tree_sitter_java.language()


def _c_sharp() -> Any:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _php() -> Any:
    import tree_sitter_php

    return tree_sitter_php.language_php()


def _ruby() -> Any:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def _c() -> Any:
    import tree_sitter_c

    return tree_sitter_c.language()


def _cpp() -> Any:
    import tree_sitter_cpp

    return tree_sitter_cpp.language()


_JAVA: Final = """
(class_declaration) @class
(record_declaration) @class
(enum_declaration) @class
(interface_declaration) @interface
(annotation_type_declaration) @interface
(method_declaration) @function
(constructor_declaration) @function
(method_invocation) @call
(object_creation_expression) @call
(method_reference . (_) @reference)
(import_declaration) @import
(package_declaration (_) @package)
(formal_parameter) @typed
(local_variable_declaration) @typed
(field_declaration) @typed
"""
_C_SHARP: Final = """
(class_declaration) @class
(struct_declaration) @class
(record_declaration) @class
(enum_declaration) @class
(interface_declaration) @interface
(method_declaration) @function
(constructor_declaration) @function
(local_function_statement) @function
(invocation_expression) @call
(object_creation_expression) @call
(using_directive) @import
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(parameter) @typed
(variable_declaration) @typed
"""
_PHP: Final = """
(class_declaration) @class
(trait_declaration) @class
(enum_declaration) @class
(interface_declaration) @interface
(function_definition) @function
(method_declaration) @function
(function_call_expression) @call
(member_call_expression) @call
(scoped_call_expression) @call
(object_creation_expression) @call
(namespace_use_declaration) @import
(require_expression) @import
(require_once_expression) @import
(include_expression) @import
(include_once_expression) @import
(namespace_definition name: (_) @package)
(simple_parameter) @typed
"""
_RUBY: Final = """
(class) @class
(module) @module
(method) @function
(singleton_method) @function
(call) @call
(call method: (identifier) @_require arguments: (argument_list . (string))
  (#any-of? @_require "require" "require_relative" "load" "autoload")) @import
"""
_C_QUERY: Final = """
(function_definition) @function
(struct_specifier name: (_) body: (_)) @class
(union_specifier name: (_) body: (_)) @class
(enum_specifier name: (_) body: (_)) @class
(type_definition) @interface
(call_expression) @call
(preproc_include) @import
(argument_list (identifier) @reference)
(initializer_list (identifier) @reference)
"""
_CPP_QUERY: Final = """
(function_definition) @function
(class_specifier name: (_) body: (_)) @class
(struct_specifier name: (_) body: (_)) @class
(enum_specifier name: (_) body: (_)) @class
(namespace_definition) @module
(call_expression) @call
(new_expression) @call
(preproc_include) @import
(argument_list (identifier) @reference)
(declaration) @typed
(parameter_declaration) @typed
"""


def _java_imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    words = text(node).rstrip("; \n").removeprefix("import").split()
    path = words[-1]
    if path.endswith(".*"):
        yield Import(path[:-2], "*", "*", line)
    else:
        head, _, last = path.rpartition(".")
        yield Import(head, last, last, line)


def _c_sharp_imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    body = re.sub(r"^(global\s+)?using\s+(static\s+)?", "", text(node).rstrip("; \n"))
    alias, equals, path = body.partition("=")
    if equals:
        head, _, last = path.strip().rpartition(".")
        yield Import(head, last, alias.strip(), line)
    else:
        yield Import(body.strip(), "*", "*", line)


def _php_imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    if node.type != "namespace_use_declaration":
        found = re.search(r"['\"]([^'\"]+)['\"]", text(node))
        if found:
            yield Import("./" + found[1].lstrip("/"), "*", "*", line)
        return
    body = re.sub(r"^use\s+(function\s+|const\s+)?", "", text(node).rstrip("; \n"))
    prefix, brace, rest = body.partition("{")
    parts = rest.rstrip("} ").split(",") if brace else body.split(",")
    for part in parts:
        path, _, alias = part.strip().partition(" as ")
        path = (prefix.strip() + path if brace else path).strip().lstrip("\\")
        head, _, last = path.rpartition("\\")
        if last:
            yield Import(head, last, alias.strip() or last, line)


def _ruby_imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    found = re.match(r"(\w+)[\s(]+(?::\w+,\s*)?['\"]([^'\"#]+)['\"]", text(node))
    if found:
        path = found[2]
        yield Import("./" + path if found[1] == "require_relative" else path, "*", "*", line)


def _includes(node: Any, text: Text, line: int) -> Iterable[Import]:
    path = node.child_by_field_name("path")
    if path is not None:
        quoted = text(path)
        yield Import(quoted.strip('"<>'), "*", "*", line, quoted.startswith("<"))


def _heritage(node: Any, text: Text) -> Sequence[str]:
    found: list[str] = []
    for child in node.children:
        if child.type in _HERITAGE:
            body = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", text(child)))
            body = re.sub(r"\b(extends|implements|public|private|protected|virtual)\b", " ", body)
            for part in body.lstrip(":< ").split(","):
                name = part.split("(")[0].strip().lstrip("\\")
                if re.fullmatch(r"[\w:.\\]+", name):
                    found.append(name)
    return found


_HERITAGE: Final = frozenset(
    {
        "superclass",
        "super_interfaces",
        "extends_interfaces",
        "base_list",
        "base_clause",
        "class_interface_clause",
        "base_class_clause",
    }
)


def _callee(node: Any, text: Text) -> str:
    name = node.child_by_field_name("name") or node.child_by_field_name("method")
    owner = (
        node.child_by_field_name("object")
        or node.child_by_field_name("receiver")
        or node.child_by_field_name("scope")
    )
    if name is not None:
        return f"{text(owner)}.{text(name)}" if owner is not None else text(name)
    for field in ("function", "type"):
        called = node.child_by_field_name(field)
        if called is not None:
            return re.sub(r"<[^<>]*>", "", text(called))
    plain = [one for one in node.named_children if one.type in {"name", "qualified_name"}]
    return text(plain[0]).rpartition("\\")[2] if plain else ""


def _declared(node: Any, text: Text) -> str:
    """The name inside a C declarator; otherwise the class's own name."""
    named = node.child_by_field_name("name")
    if named is not None:
        return text(named)
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        deeper = inner.child_by_field_name("declarator")
        if deeper is None:
            break
        inner = deeper
    if inner is None:
        return ""
    name = text(inner).replace("::", ".")
    return name if re.fullmatch(r"[\w.~]+", name) else ""


def _typed(node: Any, text: Text) -> Iterable[tuple[str, str]]:
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return
    found = _TYPE.match(text(type_node))
    names = [node.child_by_field_name("name"), *node.children_by_field_name("declarator")]
    names += [one for one in node.named_children if one.type == "variable_declarator"]
    for one in names:
        if one is None or found is None:
            continue
        named = one.child_by_field_name("name") or one
        variable = text(named).split("=")[0].strip("*& $")
        if variable.isidentifier():
            yield variable, found[1]


JAVA: Final = Language(
    "java",
    (".java",),
    _java,
    _JAVA,
    imports=_java_imports,
    bases_of=_heritage,
    callee_of=_callee,
    types_of=_typed,
)
C_SHARP: Final = Language(
    "c#",
    (".cs",),
    _c_sharp,
    _C_SHARP,
    imports=_c_sharp_imports,
    bases_of=_heritage,
    callee_of=_callee,
    types_of=_typed,
)
PHP: Final = Language(
    "php",
    (".php",),
    _php,
    _PHP,
    imports=_php_imports,
    bases_of=_heritage,
    callee_of=_callee,
    types_of=_typed,
)
RUBY: Final = Language(
    "ruby",
    (".rb",),
    _ruby,
    _RUBY,
    imports=_ruby_imports,
    bases_of=_heritage,
    callee_of=_callee,
)
C: Final = Language(
    "c",
    (".c", ".h"),
    _c,
    _C_QUERY,
    imports=_includes,
    name_of=_declared,
)
CPP: Final = Language(
    "c++",
    (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    _cpp,
    _CPP_QUERY,
    imports=_includes,
    name_of=_declared,
    bases_of=_heritage,
    callee_of=_callee,
    types_of=_typed,
)
