"""Lazy imports: the one place where a module is loaded by name, from tables of names.

A table gives the module of each public name. Everything else is imported with an ordinary
statement, so that the import rules can be checked.
"""

from collections.abc import Callable, Mapping
from importlib import import_module  # noqa: TID251 - the one place
from types import ModuleType
from typing import Any, Final

ROOT: Final = "recollect"


def load(module: str) -> ModuleType:
    """A module of this package, by its full name."""
    if module.partition(".")[0] != ROOT:
        raise ValueError(f"{module!r} is not a module of {ROOT}.")
    return import_module(module)


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package: each name is loaded from its module at its first use."""

    def get(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(load(home), name)
        setattr(load(package), name, value)
        return value

    return get
