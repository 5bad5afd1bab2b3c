"""Private members of libraries: one is used, in one module, with the version it is known to fit."""

import ast
from importlib.metadata import version
from pathlib import Path

import recollect

PACKAGE = Path(recollect.__file__).parent
#: Members that begin with an underline and are documented all the same.
DOCUMENTED = {"_replace", "_asdict", "_value_", "_exit"}
#: Where each private member of a library is used.
USED = {("surfaces/cli/command.py", "_runtime_param")}


Nodes = list[ast.AST]


def private_members(nodes: Nodes) -> set[str]:
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
    }


def own_names(nodes: Nodes) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
                found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


def private_imports(nodes: Nodes) -> set[str]:
    modules = {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module is not None
    }
    libraries = ("sqlalchemy", "typer", "uvicorn", "fastapi", "starlette", "pydantic", "mcp")
    return {name for name in modules if name.startswith(libraries) and "._" in name}


def test_private_members_of_libraries_are_used_in_one_known_place() -> None:
    own, used_in, imported = set(DOCUMENTED), {}, set[str]()
    for path in PACKAGE.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))  # gone before the next file's
        own |= own_names(nodes)
        used_in[path.relative_to(PACKAGE).as_posix()] = private_members(nodes)
        imported |= private_imports(nodes)
    used = {(path, name) for path, names in used_in.items() for name in names - own}
    assert used == USED
    assert not imported


def test_the_version_of_typer_is_the_one_whose_member_is_used() -> None:
    """Another version: see that ``--help`` and ``recall`` still load no pydantic, then write it
    here."""
    from typer.core import TyperArgument, TyperOption

    assert version("typer") == "0.29.0"
    for kind in (TyperArgument, TyperOption):
        assert any("_runtime_param" in vars(base).get("__annotations__", {}) for base in kind.mro())
