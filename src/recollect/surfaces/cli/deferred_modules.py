"""Deferred modules: libraries that other libraries import and a short command never uses.

SQLAlchemy imports asyncio and the metadata of installed packages, numpy its docstrings: together a
tenth of the time of ``recollect recall``. Here such a module is created empty, and loads when an
attribute of it is first used, so whoever needs it finds it whole. Only the process of a short
command defers; programs that import the package, servers and workers load as Python always does.
A name that a later version of a library no longer has is never asked for, and defers nothing.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from importlib.abc import Loader  # loads much itself

#: Imported by name and not used while they load: by SQLAlchemy, by numpy, by Typer.
DEFERRED: Final = frozenset(
    {
        "asyncio",
        "ctypes",
        "importlib.metadata",
        "numpy._core._add_newdocs",
        "numpy._core._add_newdocs_scalars",
        "numpy._core._internal",
        "numpy.lib.format",
        "random",
        "shutil",
        "socket",
        "sqlalchemy.dialects.sqlite.aiosqlite",
        "sqlalchemy.dialects.sqlite.pysqlcipher",
        "subprocess",
        "tempfile",
        "urllib.parse",
    }
)


class DeferredModule(ModuleType):
    """A module that is executed when an attribute of it is first used, once, by one thread."""

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if spec is None or (name == "__path__" and spec.submodule_search_locations is None):
            raise AttributeError(name)
        if spec.name == "asyncio" and name == "iscoroutine":  # SQLAlchemy takes it as it loads
            from asyncio.coroutines import iscoroutine

            return iscoroutine
        loader = _waiting.get(self.__name__)
        if loader is not None:
            loader.execute(self)
        if type(self) is DeferredModule:  # its own code asks, while it is executed
            raise AttributeError(f"module {spec.name!r} has no attribute {name!r} yet")
        return getattr(self, name)


class DeferringLoader:
    """Creates a module without executing it; ``execute`` does that."""

    def __init__(self, loader: "Loader") -> None:
        self._loader = loader
        self._lock = RLock()
        self._executing = False

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The empty module."""
        return DeferredModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Note that the module is to be executed, and leave it empty."""
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        _waiting[module.__name__] = self

    def execute(self, module: ModuleType) -> None:
        """Execute the module; other threads wait, its own code sees what is there so far."""
        with self._lock:
            if self._executing or module.__name__ not in _waiting:
                return
            self._executing = True
            try:
                self._loader.exec_module(module)
            finally:
                self._executing = False
            module.__class__ = ModuleType
            del _waiting[module.__name__]


class DeferringFinder:
    """Finds the deferred modules before anybody else does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The usual spec with a loader that defers; None for all other modules."""
        if fullname not in DEFERRED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Loader", DeferringLoader(spec.loader))
        return spec


_waiting: Final[dict[str, DeferringLoader]] = {}
_finder: Final = DeferringFinder()


def defer() -> None:
    """From now on, the modules in the table are loaded when they are used."""
    sys.meta_path.insert(0, _finder)


def load_all() -> None:
    """Load what was deferred, and defer nothing from now on: what follows may start threads."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    for name, loader in list(_waiting.items()):
        loader.execute(sys.modules[name])
