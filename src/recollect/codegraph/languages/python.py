"""Python: its query, and readers for its imports, bases and types."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from recollect.codegraph.facts import Import
from recollect.codegraph.languages.language import Language, Text

_QUERY: Final = """
(function_definition) @function
(class_definition) @class
(call) @call
[(import_statement) (import_from_statement)] @import
(argument_list [(identifier) (attribute)] @reference)
(keyword_argument value: [(identifier) (attribute)] @reference)
(decorator [(identifier) (attribute)] @reference)
(pair value: [(identifier) (attribute)] @reference)
(list [(identifier) (attribute)] @reference)
(tuple [(identifier) (attribute)] @reference)
(assignment right: [(identifier) (attribute)] @reference)
(return_statement [(identifier) (attribute)] @reference)
(except_clause [(identifier) (attribute)] @reference)
(except_clause (as_pattern . [(identifier) (attribute)] @reference))
(except_clause (tuple [(identifier) (attribute)] @reference))
(raise_statement [(identifier) (attribute)] @reference)
(comparison_operator [(identifier) (attribute)] @reference)
(type [(identifier) (attribute)] @reference)
(for_statement right: (identifier) @used)
(for_in_clause right: (identifier) @used)
(subscript value: (identifier) @used)
(attribute object: (identifier) @_object attribute: (identifier) @_name) @member
(assignment right: (call)) @typed
(assignment type: (_)) @typed
(typed_parameter) @typed
(typed_default_parameter) @typed
(with_item value: (as_pattern (call) (as_pattern_target))) @typed
(module (expression_statement (assignment left: (identifier) @global)))
(module (if_statement (block (expression_statement (assignment left: (identifier) @global)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @global)))))
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(module . (expression_statement (string) @doc))
"""


def _grammar() -> Any:
    import tree_sitter_python

    return tree_sitter_python.language()


def _imports(node: Any, text: Text, line: int) -> Iterable[Import]:
    if node.type == "import_statement":
        for one in node.children_by_field_name("name"):
            if one.type == "aliased_import":
                module = text(one.child_by_field_name("name"))
                yield Import(module, "", text(one.child_by_field_name("alias")), line)
            else:
                yield Import(text(one), "", text(one).partition(".")[0], line)
        return
    module = text(node.child_by_field_name("module_name")).replace(" ", "")
    names = node.children_by_field_name("name")
    for one in names:
        if one.type == "aliased_import":
            name = text(one.child_by_field_name("name"))
            yield Import(module, name, text(one.child_by_field_name("alias")), line)
        else:
            yield Import(module, text(one), text(one), line)
    if not names:
        yield Import(module, "*", "*", line)


def _bases(node: Any, text: Text) -> Sequence[str]:
    listed = node.child_by_field_name("superclasses")
    if listed is None:
        return ()
    found = []
    for child in listed.named_children:
        one = child.child_by_field_name("value") if child.type == "subscript" else child
        if one is not None and one.type in {"identifier", "attribute"}:
            found.append(text(one))
    return found


def _returns(node: Any, text: Text) -> str:
    annotation = node.child_by_field_name("return_type")
    return plain_type(text(annotation)) if annotation is not None else ""


def plain_type(annotation: str) -> str:
    """The class that an annotation names, without quotes, options and containers."""
    annotation = annotation.strip().strip("\"'")
    for wrapper in ("Optional[", "Type[", "type[", "Annotated[", "Final[", "ClassVar["):
        if annotation.startswith(wrapper):
            annotation = annotation[len(wrapper) :].rstrip("]").split(",")[0]
    parts = [part.strip() for part in annotation.split("|")]
    annotation = next((part for part in parts if part != "None"), "").split("[")[0]
    return annotation if annotation.replace(".", "").replace("_", "").isalnum() else ""


def _types(node: Any, text: Text) -> Iterable[tuple[str, str]]:
    if node.type == "with_item":
        pattern = node.child_by_field_name("value")
        call, target = pattern.named_children[0], pattern.named_children[-1]
        yield text(target), text(call.child_by_field_name("function")) + "()"
        return
    annotation = node.child_by_field_name("type")
    if node.type == "typed_parameter":
        variable = node.named_children[0]
    else:
        variable = node.child_by_field_name("left") or node.child_by_field_name("name")
    if variable is None or variable.type not in {"identifier", "attribute"}:
        return
    if annotation is not None:
        named = plain_type(text(annotation))
        if named:
            yield text(variable), named
        return
    right = node.child_by_field_name("right")
    if right is not None and right.type == "call":
        yield text(variable), text(right.child_by_field_name("function")) + "()"


PYTHON: Final = Language(
    "python",
    (".py", ".pyi", ".pyw"),
    _grammar,
    _QUERY,
    imports=_imports,
    bases_of=_bases,
    returns_of=_returns,
    types_of=_types,
)
